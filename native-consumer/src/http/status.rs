//! `/v1/status`: what became of events, as one document. For loopback alone: it tells more
//! than a stranger should know.

use super::answer::{json, response};
use super::app::App;
use super::server::Peer;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use hexlane_backend::{DeadCount, DeadLetters, Failure, OutcomeCounts, Queue, ShardBacklog, Tally};
use hexlane_core::Outcome;
use hexlane_door::Problem;
use hexlane_engine::Backends;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of events.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StatusDocument {
    /// Deliveries by outcome, since the data folder was made.
    pub(crate) settled: BTreeMap<String, u64>,
    /// Events on the queue.
    pub(crate) waiting: u64,
    /// Of those, not handed out.
    pub(crate) ready: u64,
    /// Of those, handed out and not acked.
    pub(crate) in_flight: u64,
    /// Age of the oldest that waits.
    pub(crate) oldest_age_ms: Option<u64>,
    /// Open dead letters.
    pub(crate) dead_letters: Vec<DeadView>,
    /// The shards in which something waits.
    pub(crate) shards: Vec<ShardView>,
}

/// Open dead letters of one kind.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeadView {
    pub(crate) destination: String,
    pub(crate) class: String,
    pub(crate) open: u64,
}

/// What waits in a shard.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ShardView {
    pub(crate) shard: u16,
    pub(crate) ready: u64,
    pub(crate) in_flight: u64,
    pub(crate) oldest_age_ms: Option<u64>,
    pub(crate) bytes: u64,
}

impl StatusDocument {
    /// What the stores of a process say. The queue first: an event that ends meanwhile is
    /// told twice rather than not at all.
    async fn of_stores<B: Backends>(stores: &B) -> Result<Self, Failure>
    where
        B::Sink: Tally,
    {
        let backlog = stores.queue().backlog().await?;
        let dead = stores.dead_letters().count().await?;
        let tally = stores.sink().tally().await?;
        Ok(Self::of(&backlog, &dead, tally))
    }

    /// The document of what waits, what is dead, and how deliveries ended.
    pub(crate) fn of(backlog: &[ShardBacklog], dead: &[DeadCount], tally: OutcomeCounts) -> Self {
        Self {
            settled: settled(tally),
            waiting: backlog
                .iter()
                .map(|shard| shard.ready + shard.in_flight)
                .sum(),
            ready: backlog.iter().map(|shard| shard.ready).sum(),
            in_flight: backlog.iter().map(|shard| shard.in_flight).sum(),
            oldest_age_ms: backlog.iter().filter_map(|shard| shard.oldest_age_ms).max(),
            dead_letters: dead.iter().map(dead_view).collect(),
            shards: backlog
                .iter()
                .filter(|shard| holds_any(shard))
                .map(shard_view)
                .collect(),
        }
    }
}

fn settled(tally: OutcomeCounts) -> BTreeMap<String, u64> {
    let count = |outcome: Outcome| (outcome.as_str().to_owned(), tally.of(outcome));
    Outcome::ALL.map(count).into_iter().collect()
}

const fn holds_any(shard: &ShardBacklog) -> bool {
    shard.ready + shard.in_flight > 0
}

fn dead_view(count: &DeadCount) -> DeadView {
    DeadView {
        destination: count.destination.as_str().to_owned(),
        class: count.class.as_str().to_owned(),
        open: count.open,
    }
}

const fn shard_view(shard: &ShardBacklog) -> ShardView {
    ShardView {
        shard: shard.shard.get(),
        ready: shard.ready,
        in_flight: shard.in_flight,
        oldest_age_ms: shard.oldest_age_ms,
        bytes: shard.bytes,
    }
}

/// Answers with the document.
pub(super) async fn status<B: Backends>(
    State(app): State<Arc<App<B>>>,
    peer: Option<Extension<Peer>>,
) -> Response<Body>
where
    B::Sink: Tally,
{
    if !peer.is_some_and(|Extension(Peer(address))| address.ip().is_loopback()) {
        return response(Problem::RouteUnknown.answer());
    }
    match StatusDocument::of_stores(&app.stores).await {
        Ok(document) => json(200, &document),
        Err(failure) => {
            let (part, reason) = (failure.part.to_string(), failure.code.as_str());
            json(503, &serde_json::json!({ "part": part, "reason": reason }))
        }
    }
}
