//! `POST /v1/events/{source}`: the door natively. Also what answers every other path.

use super::answer::{head, response};
use super::app::App;
use super::body;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use hexlane_backend::{Failure, Published, Queue};
use hexlane_door::{Answer, Decision, Enqueue, Enqueued, Head, Meter, Problem, Unavailable};
use hexlane_engine::Backends;
use std::sync::Arc;

/// Larger bodies are judged beside the threads that serve connections: from about a
/// millisecond of work on. What is compressed may be large behind few bytes.
const INLINE_BYTES_MAX: usize = 32 * 1024;
/// When to come again after the queue failed and named no time itself.
const RETRY_AFTER_S: u64 = 1;

/// Takes events.
pub(super) async fn intake<B: Backends>(
    State(app): State<Arc<App<B>>>,
    request: Request,
) -> Response<Body> {
    let (parts, mut body) = request.into_parts();
    let answer = match take(&app, head(&parts), &mut body).await {
        Ok(answer) => answer,
        Err(refusal) => {
            body::discard_rest(&parts, &mut body).await;
            refusal
        }
    };
    app.metrics.intake_answered(&answer);
    response(answer)
}

/// The answer; as an error where the body was not read to its end.
async fn take<B: Backends>(
    app: &Arc<App<B>>,
    head: Head,
    body: &mut Body,
) -> Result<Answer, Answer> {
    let opened = app.door.open(&head)?;
    let (coded, mut meter) = (opened.is_coded(), opened.meter(&app.budget)?);
    body::read(body, |bytes| meter.push(bytes)).await?;
    let decision = decide(app, head, meter, coded).await;
    Ok(match decision {
        Decision::Answer(answer) => answer,
        Decision::Enqueue(enqueue) => publish(app, enqueue).await,
    })
}

/// Judges here when it is little, else on a thread of its own.
async fn decide<B: Backends>(
    app: &Arc<App<B>>,
    head: Head,
    mut meter: Meter,
    coded: bool,
) -> Decision {
    let size_bytes = match meter.finish() {
        Ok(body) => body.len(),
        Err(answer) => return Decision::Answer(answer),
    };
    if size_bytes <= INLINE_BYTES_MAX && !coded {
        return judge(app, &head, &mut meter);
    }
    let busy = || Decision::Answer(Problem::Busy.answer());
    let Ok(permit) = Arc::clone(&app.judges).acquire_owned().await else {
        return busy();
    };
    let app = Arc::clone(app);
    let judged = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        judge(&app, &head, &mut meter)
    });
    judged.await.unwrap_or_else(|error| {
        tracing::error!(%error, "a judgement died");
        busy()
    })
}

fn judge<B: Backends>(app: &App<B>, head: &Head, meter: &mut Meter) -> Decision {
    let opened = match app.door.open(head) {
        Ok(opened) => opened,
        Err(answer) => return Decision::Answer(answer),
    };
    match meter.finish() {
        Ok(body) => opened.judge(body, app.clock.now_us()),
        Err(answer) => Decision::Answer(answer),
    }
}

async fn publish<B: Backends>(app: &App<B>, enqueue: Enqueue) -> Answer {
    let envelopes: Vec<_> = enqueue.envelopes().cloned().collect();
    match app.stores.queue().publish(envelopes).await {
        Ok(published) => {
            app.refusals.took(app.clock.monotonic());
            let said: Vec<Enqueued> = published.into_iter().map(enqueued).collect();
            app.metrics.enqueued(&said);
            enqueue.settle(Ok(&said))
        }
        Err(failure) => enqueue.settle(Err(unavailable(app, &failure))),
    }
}

/// What the queue said, in the door's words.
pub(super) const fn enqueued(published: Published) -> Enqueued {
    match published {
        Published::Enqueued => Enqueued::New,
        Published::Duplicate => Enqueued::Duplicate,
        Published::Conflict => Enqueued::Conflict,
    }
}

/// A queue that failed has not confirmed, whatever the reason.
pub(super) fn unavailable<B: Backends>(app: &App<B>, failure: &Failure) -> Unavailable {
    app.refusals.refused(failure, app.clock.monotonic());
    let wished_s = failure
        .retry_after
        .map_or(RETRY_AFTER_S, |wish| wish.as_secs().max(1));
    Unavailable::Unclear {
        retry_after_s: u32::try_from(wished_s).unwrap_or(u32::MAX),
    }
}
