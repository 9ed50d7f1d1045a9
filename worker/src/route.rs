//! Where accepted events go, and what the route said of each before any 202.

pub(crate) mod queue;
mod redis;
pub(crate) mod relay;

use crate::bindings::{Edge, Route};
use crate::payloads::{self, Arriving};
use hexlane_door::{Answer, Enqueue, Enqueued, Unavailable};
use worker::Env;

/// When a sender may come again after an unclear call.
pub(crate) const UNCLEAR: Unavailable = Unavailable::Unclear { retry_after_s: 1 };

/// Stores what is too large for the route, enqueues, and answers.
pub(crate) async fn settle(
    mut enqueue: Enqueue,
    mut arriving: Arriving,
    edge: &Edge,
    env: &Env,
) -> Answer {
    let mut first = arriving.key();
    let key = || first.take().unwrap_or_else(payloads::new_key);
    let large = match enqueue.take_large(edge.envelope_bytes_max, key) {
        Ok(large) => large,
        Err(answer) => {
            arriving.take_back().await;
            return answer;
        }
    };
    // What was stored and is not enqueued goes by the bucket's lifecycle rule: after an
    // unclear enqueue nobody knows whether a pointer to it is under way.
    if large.is_empty() {
        arriving.take_back().await;
    } else if payloads::store(large, arriving, env).await.is_err() {
        return enqueue.settle(Err(UNCLEAR));
    }
    let said = send(&enqueue, edge, env).await;
    enqueue.settle(said.as_deref().map_err(|unavailable| *unavailable))
}

async fn send(enqueue: &Enqueue, edge: &Edge, env: &Env) -> Result<Vec<Enqueued>, Unavailable> {
    match &edge.route {
        Route::Relay(relay) => relay::send(enqueue, relay).await,
        Route::Queue => queue::send(enqueue, env).await,
        Route::Redis(redis) => redis::send(enqueue, redis).await,
    }
}
