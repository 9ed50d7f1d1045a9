//! Reading from the queue under credits.

use crate::context::Context;
use crate::end::End;
use crate::observer::Observation;
use crate::row::Row;
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{Credit, Position, Queue, StoreError};
use hexlane_delivery::Load;

/// What a fetch gave.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) rows: Vec<Row>,
    pub(crate) load: Load,
}

/// Fetches within what was reserved, and settles the reservation.
///
/// # Errors
/// When the work on the shard ends: an unanswered fetch may have handed out entries,
/// which come under the next epoch.
pub(crate) async fn fetch<B: Backends>(
    context: &Context<B>,
    tenure: &Tenure,
    position: Position,
    reserved: Load,
) -> Result<Fetched, End> {
    let answer = fetch_reserved(context, tenure, position, reserved).await;
    let load = answer
        .as_ref()
        .map_or_else(|_| Load::default(), |fetched| fetched.load);
    context.credits.fetched(reserved, load);
    answer
}

async fn fetch_reserved<B: Backends>(
    context: &Context<B>,
    tenure: &Tenure,
    position: Position,
    reserved: Load,
) -> Result<Fetched, End> {
    tenure.may_dispatch(context)?;
    let shard = tenure.lease.shard;
    let credit = Credit {
        events_max: reserved.entries,
        bytes_max: reserved.bytes,
    };
    let deliveries = match context
        .stores
        .queue()
        .fetch(&tenure.lease, position, credit)
        .await
    {
        Ok(deliveries) => deliveries,
        Err(StoreError::Fenced { .. }) => return Err(End::Fenced),
        Err(StoreError::Failed(failure)) => return Err(End::FetchLost(failure)),
    };
    let bytes = deliveries
        .iter()
        .map(hexlane_backend::Delivery::size_bytes)
        .sum();
    let load = Load {
        entries: deliveries.len(),
        bytes,
    };
    if load.entries > 0 {
        let pending = position == Position::Pending;
        context.observer.observe(
            shard,
            Observation::Fetched {
                events: load.entries,
                bytes,
                pending,
            },
        );
    }
    let now = context.clock.monotonic();
    let rows = deliveries
        .into_iter()
        .map(|delivery| Row::new(delivery, now))
        .collect();
    Ok(Fetched { rows, load })
}
