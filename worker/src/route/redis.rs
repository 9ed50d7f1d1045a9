//! Route `redis`: Redis Streams over TCP. `hexlane_streams` says what is sent and reads what
//! comes back; here are the sockets.
//!
//! A socket belongs to one request, so there is no pool: a request opens one to each server
//! that it needs, greets, sends all it has for it, reads every reply, and lets it go. Where a
//! cluster's slots are is remembered in the isolate, so that the next request goes there
//! straight.

use super::UNCLEAR;
use crate::bindings::Redis;
use crate::clock;
use futures_util::future::try_join_all;
use hexlane_door::{Enqueue, Enqueued, Unavailable};
use hexlane_streams::publish::KEY_RETENTION_MS_DEFAULT;
use hexlane_streams::{Address, Published, Rounds, Terms, Visit, read_replies};
use js_sys::futures::spawn_local;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use worker::{SecureTransport, Socket};

/// For a request, however many servers and rounds: its sender waits about 30 s.
const TIMEOUT_MS: u32 = 10_000;
/// Replies are a few bytes an envelope. More of them is no server of ours.
const REPLY_BYTES_MAX: usize = 1 << 20;
/// Sockets at once: the runtime has six for a request.
const SOCKETS_MAX: usize = 4;

thread_local! {
    /// Slots that the server of `REDIS_URL` does not have.
    static ELSEWHERE: RefCell<BTreeMap<u16, Address>> = const { RefCell::new(BTreeMap::new()) };
}

pub(super) async fn send(enqueue: &Enqueue, redis: &Redis) -> Result<Vec<Enqueued>, Unavailable> {
    let said = match clock::within(TIMEOUT_MS, publish(enqueue, redis)).await {
        Some(said) => said,
        None => Err(format!("no answer within {TIMEOUT_MS} ms")),
    };
    said.map_err(|reason| {
        worker::console_error!("redis.unconfirmed: {reason}");
        // A server may be gone: the one of the settings knows better.
        ELSEWHERE.with_borrow_mut(BTreeMap::clear);
        UNCLEAR
    })
}

async fn publish(enqueue: &Enqueue, redis: &Redis) -> Result<Vec<Enqueued>, String> {
    let terms = Terms::at(clock::now_us(), KEY_RETENTION_MS_DEFAULT);
    let envelopes = enqueue.envelopes().map(|each| (each, each.encode()));
    let batches = redis.publish.batches(&redis.layout, terms, envelopes);
    let count = batches.iter().map(|batch| batch.positions.len()).sum();
    let home = &redis.server.address;
    let mut rounds = Rounds::new(batches, count, |slot| {
        let elsewhere = ELSEWHERE.with_borrow(|known| known.get(&slot).cloned());
        elsewhere.unwrap_or_else(|| home.clone())
    });
    loop {
        let visits = rounds.visits().map_err(|error| error.to_string())?;
        if visits.is_empty() {
            break;
        }
        for some in visits.chunks(SOCKETS_MAX) {
            let replies = some.iter().map(|visit| exchange(redis, visit));
            let replies = try_join_all(replies).await?;
            for (visit, replies) in some.iter().zip(replies) {
                let moved = rounds.answered(visit, &replies);
                let moved = moved.map_err(|error| format!("{}: {error}", visit.place))?;
                ELSEWHERE.with_borrow_mut(|known| {
                    known.extend(moved.into_iter().map(|moved| (moved.slot, moved.place)));
                });
            }
        }
    }
    let words = rounds.words().ok_or("a call is left open")?;
    Ok(words.into_iter().map(enqueued).collect())
}

const fn enqueued(published: Published) -> Enqueued {
    match published {
        Published::Enqueued => Enqueued::New,
        Published::Duplicate => Enqueued::Duplicate,
        Published::Conflict => Enqueued::Conflict,
    }
}

/// One round trip: greeting and calls out, every reply in. The replies to the calls.
async fn exchange(redis: &Redis, visit: &Visit) -> Result<Vec<hexlane_streams::Reply>, String> {
    let at = |error: String| format!("{}: {error}", visit.place);
    let transport = if redis.server.tls {
        SecureTransport::On
    } else {
        SecureTransport::Off
    };
    let socket = Socket::builder()
        .secure_transport(transport)
        .connect(visit.place.host.clone(), visit.place.port);
    let mut socket = socket.map_err(|error| at(error.to_string()))?;
    let greeting = redis.server.greeting_replies();
    let mut bytes = redis.server.greeting().to_vec();
    bytes.extend_from_slice(&visit.bytes);
    let replies = converse(&mut socket, &bytes, greeting + visit.replies).await;
    spawn_local(async move { drop(socket.close().await) });
    let mut replies = replies.map_err(at)?;
    let calls = replies.split_off(greeting);
    match hexlane_streams::first_refusal(&replies) {
        Some(refusal) => Err(at(refusal.to_string())),
        None => Ok(calls),
    }
}

async fn converse(
    socket: &mut Socket,
    bytes: &[u8],
    replies: usize,
) -> Result<Vec<hexlane_streams::Reply>, String> {
    let sent = socket.write_all(bytes).await;
    sent.map_err(|error| error.to_string())?;
    let mut read = Vec::new();
    loop {
        let complete = read_replies(&read, replies).map_err(|error| error.to_string())?;
        if let Some(complete) = complete {
            return Ok(complete);
        }
        if read.len() > REPLY_BYTES_MAX {
            return Err("too long a reply".to_owned());
        }
        let more = socket.read_buf(&mut read).await;
        if more.map_err(|error| error.to_string())? == 0 {
            return Err("the server closed the connection".to_owned());
        }
    }
}
