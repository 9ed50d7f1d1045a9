//! `POST /v1/relay`: envelopes that a Worker judged, put on the queue.
//!
//! What a sender was promised is never refused for what it is: a reused key and bytes that
//! are no envelope are appended as they are, and the engine ends them in poison.

use super::answer::{head, response};
use super::app::{App, relay_pieces};
use super::body;
use super::intake::{enqueued, unavailable};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, Response};
use hexlane_backend::{Code, Failure, Published, Queue, RawEntry};
use hexlane_core::Envelope;
use hexlane_core::digest::{hex, sha256};
use hexlane_core::lane::{LaneKey, Shard, ShardMap};
use hexlane_door::relay::Piece;
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
    let pieces = relay::unpack(
        head,
        arriving.finish()?,
        &app.relay_secrets,
        app.clock.now_us(),
    )?;
    Ok(put(app, Batch::of(pieces)).await)
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
        let mut arriving = Self {
            room,
            held: take_room(room, relay_pieces(wanted))?,
            declared,
            bytes: Vec::new(),
        };
        // A length that is known is not reached by doubling: half of that would stay unused.
        let wanted = usize::try_from(wanted).map_err(|_| Problem::Busy.answer())?;
        let reserved = arriving.bytes.try_reserve_exact(wanted);
        reserved.map_err(|_| Problem::Busy.answer())?;
        Ok(arriving)
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

/// The pieces of a batch, told apart. `places` says of each where its answer stands.
#[derive(Default)]
struct Batch<'a> {
    envelopes: Vec<Envelope>,
    /// Of those that were promised what is needed once the queue has them, beside `envelopes`.
    promised: Vec<Option<Promised<'a>>>,
    /// What is no envelope, in order.
    unreadable: Vec<&'a [u8]>,
    /// For each piece, its place among the envelopes; none when it is none.
    places: Vec<Option<usize>>,
}

/// A promised event: its bytes, and its name in the log.
struct Promised<'a> {
    bytes: &'a [u8],
    shard: Shard,
    source: String,
    key: String,
}

impl<'a> Batch<'a> {
    fn of(pieces: Vec<Piece<'a>>) -> Self {
        let mut batch = Self::default();
        for piece in pieces {
            match piece {
                Piece::Asked(envelope) => batch.push(*envelope, None),
                Piece::Promised(bytes) => match Envelope::decode(bytes) {
                    Ok(envelope) => batch.push(envelope, Some(bytes)),
                    Err(reason) => {
                        tracing::error!(
                            code = "envelope.unreadable", bytes = bytes.len(), %reason,
                            "the door's queue held bytes that are no envelope"
                        );
                        batch.unreadable.push(bytes);
                        batch.places.push(None);
                    }
                },
            }
        }
        batch
    }

    fn push(&mut self, envelope: Envelope, promised: Option<&'a [u8]>) {
        self.places.push(Some(self.envelopes.len()));
        self.promised.push(promised.map(|bytes| Promised {
            bytes,
            shard: envelope.shard,
            source: envelope.source.clone(),
            key: envelope.key.value.clone(),
        }));
        self.envelopes.push(envelope);
    }

    /// What the queue refused or cannot read, and must take all the same.
    fn rest(&self, published: &[Published], shard_map: ShardMap) -> Vec<RawEntry> {
        let unreadable = self.unreadable.iter().map(|bytes| RawEntry {
            shard: shard_map.shard(&LaneKey::new(format!("sha256:{}", hex(&sha256(bytes))))),
            bytes: bytes.to_vec(),
        });
        let conflicts = self.promised.iter().zip(published);
        let conflicts = conflicts.filter(|(_, said)| **said == Published::Conflict);
        let conflicts = conflicts.filter_map(|(promised, _)| {
            let promised = promised.as_ref()?;
            tracing::warn!(
                code = "idempotency.key_reused",
                source = promised.source,
                key = promised.key,
                "a promised event reuses a key; poison will tell"
            );
            Some(RawEntry {
                shard: promised.shard,
                bytes: promised.bytes.to_vec(),
            })
        });
        unreadable.chain(conflicts).collect()
    }

    fn answers(&self, published: &[Published]) -> Vec<Enqueued> {
        let of = |place: &Option<usize>| {
            let said = place.and_then(|at| published.get(at)).copied();
            said.map_or(Enqueued::New, enqueued)
        };
        self.places.iter().map(of).collect()
    }
}

async fn put<B: Backends>(app: &App<B>, mut batch: Batch<'_>) -> Answer {
    let ours = app.door.shard_map();
    let foreign = |envelope: &&Envelope| envelope.shard_map != ours;
    if let Some(foreign) = batch.envelopes.iter().find(foreign) {
        let (theirs, ours) = (foreign.shard_map.shards(), ours.shards());
        tracing::error!(
            theirs,
            ours,
            "the relay's shard map is another one; set the same `shards`"
        );
        return Problem::RelayMalformed("the envelopes are of another shard map").answer();
    }
    match enqueue(app, &mut batch).await {
        Ok(published) => {
            app.refusals.took(app.clock.monotonic());
            let said = batch.answers(&published);
            app.metrics.enqueued(&said);
            relay::answer(Ok(&said))
        }
        Err(failure) if failure.code == Code::EnvelopeTooLarge => {
            tracing::error!(%failure, "the door's `limits.envelope_bytes_max` is larger than ours");
            let bytes_max = app.door.limits().envelope_bytes_max;
            Problem::TooLarge { bytes_max }.answer()
        }
        Err(failure) => relay::answer(Err(unavailable(app, &failure))),
    }
}

/// Puts the envelopes on the queue, and out of the batch: they may be large.
async fn enqueue<B: Backends>(
    app: &App<B>,
    batch: &mut Batch<'_>,
) -> Result<Vec<Published>, Failure> {
    let queue = app.stores.queue();
    let published = queue.publish(std::mem::take(&mut batch.envelopes)).await?;
    let rest = batch.rest(&published, app.door.shard_map());
    if !rest.is_empty() {
        queue.append(rest).await?;
    }
    Ok(published)
}
