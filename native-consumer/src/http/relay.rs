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
        Err(Problem::MethodNotAllowed.answer())
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
    let most = relay::BATCH_BYTES_MAX;
    let too_large = || Problem::TooLarge { bytes_max: most }.answer();
    let declared = head
        .header("content-length")
        .and_then(|text| text.parse().ok());
    let wanted = declared.unwrap_or(most);
    if wanted > most {
        return Err(too_large());
    }
    let room = app.relay_room.try_acquire_many(relay_pieces(wanted));
    let _room = room.map_err(|_| Problem::Busy.answer())?;
    let mut batch = Vec::new();
    body::read(body, |bytes| {
        if (batch.len() + bytes.len()) as u64 > wanted {
            return Err(too_large());
        }
        batch
            .try_reserve(bytes.len())
            .map_err(|_| Problem::Busy.answer())?;
        batch.extend_from_slice(bytes);
        Ok(())
    })
    .await?;
    if declared.is_some_and(|declared| declared != batch.len() as u64) {
        return Err(Problem::BodyCut.answer());
    }
    let envelopes = relay::unpack(head, &batch, &app.relay_secrets, app.clock.now_us())?;
    Ok(publish(app, envelopes).await)
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
