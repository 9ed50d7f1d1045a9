//! `POST /v1/relay`: envelopes that a Worker judged, put on the queue.

use super::answer::{head, response};
use super::app::{App, relay_pieces};
use super::body;
use super::intake::{enqueued, unavailable};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, Response};
use hexlane_backend::Queue;
use hexlane_core::Envelope;
use hexlane_door::{Answer, Enqueued, Head, Problem, relay};
use hexlane_engine::Backends;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Takes a batch.
pub(super) async fn relay<B: Backends>(
    State(app): State<Arc<App<B>>>,
    request: Request,
) -> Response<Body> {
    let (parts, mut body) = request.into_parts();
    let known_method = parts.method == Method::POST;
    let taken = if known_method {
        take(&app, &head(&parts), &mut body).await
    } else {
        Err(Problem::MethodNotAllowed { allow: "POST" }.answer())
    };
    let answer = match taken {
        Ok(answer) => answer,
        Err(refusal) => {
            body::discard_rest(&parts, &mut body).await;
            refusal
        }
    };
    app.metrics.relay_answered(&answer);
    response(answer)
}

async fn take<B: Backends>(app: &App<B>, head: &Head, body: &mut Body) -> Result<Answer, Answer> {
    let declared = head
        .header("content-length")
        .and_then(|text| text.parse().ok());
    let mut arriving = Arriving::new(&app.relay_room, declared)?;
    body::read(body, |bytes| arriving.push(bytes)).await?;
    let envelopes = relay::unpack(
        head,
        arriving.finish()?,
        &app.relay_secrets,
        app.clock.now_us(),
    )?;
    Ok(publish(app, envelopes).await)
}

/// A batch as it arrives, and its room among those in flight.
struct Arriving<'a> {
    room: &'a Semaphore,
    held: SemaphorePermit<'a>,
    declared: Option<u64>,
    bytes: Vec<u8>,
}

impl<'a> Arriving<'a> {
    fn new(room: &'a Semaphore, declared: Option<u64>) -> Result<Self, Answer> {
        let wanted = within_cap(declared.unwrap_or(0))?;
        Ok(Self {
            room,
            held: take_room(room, relay_pieces(wanted))?,
            declared,
            bytes: Vec::new(),
        })
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Answer> {
        let wanted = relay_pieces(within_cap((self.bytes.len() + bytes.len()) as u64)?);
        let held = u32::try_from(self.held.num_permits()).unwrap_or(u32::MAX);
        self.held
            .merge(take_room(self.room, wanted.saturating_sub(held))?);
        self.bytes
            .try_reserve(bytes.len())
            .map_err(|_| Problem::Busy.answer())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(&self) -> Result<&[u8], Answer> {
        match self.declared {
            Some(declared) if declared != self.bytes.len() as u64 => Err(Problem::BodyCut.answer()),
            Some(_) | None => Ok(&self.bytes),
        }
    }
}

fn take_room(room: &Semaphore, pieces: u32) -> Result<SemaphorePermit<'_>, Answer> {
    room.try_acquire_many(pieces)
        .map_err(|_| Problem::Busy.answer())
}

fn within_cap(bytes: u64) -> Result<u64, Answer> {
    let bytes_max = relay::BATCH_BYTES_MAX;
    if bytes <= bytes_max {
        Ok(bytes)
    } else {
        Err(Problem::TooLarge { bytes_max }.answer())
    }
}

async fn publish<B: Backends>(app: &App<B>, envelopes: Vec<Envelope>) -> Answer {
    let ours = app.door.shard_map();
    if let Some(foreign) = envelopes.iter().find(|envelope| envelope.shard_map != ours) {
        let (theirs, ours) = (foreign.shard_map.shards(), ours.shards());
        tracing::error!(
            theirs,
            ours,
            "the relay's shard map is another one; set the same `shards`"
        );
        return Problem::RelayMalformed("the envelopes are of another shard map").answer();
    }
    match app.stores.queue().publish(envelopes).await {
        Ok(published) => {
            let said: Vec<Enqueued> = published.into_iter().map(enqueued).collect();
            app.metrics.enqueued(&said);
            relay::answer(Ok(&said))
        }
        Err(failure) => relay::answer(Err(unavailable(&failure))),
    }
}
