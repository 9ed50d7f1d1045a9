//! Fetching. How far the present epoch has read is kept here and goes with every call, so
//! that a call whose answer was lost can be repeated: the script hands out what lies behind.

use super::{Store, admitted};
use crate::failure::malformed;
use crate::foreign::{self, Field};
use crate::retry_text;
use hexlane_backend::{
    Body, Credit, Delivery, Epoch, Failure, Lease, Position, Receipt, RetryState, StoreError,
};
use hexlane_core::lane::Shard;
use hexlane_streams::names::{GROUP, consumer};
use hexlane_streams::{Call, entry};
use redis::{Value, from_redis_value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Mutex;

/// Before every entry.
const START: &str = "0-0";

/// How far each shard was read.
pub(super) struct Hands {
    shards: HashMap<Shard, Mutex<Hand>>,
    groups_recreated: AtomicU64,
}

/// How far an epoch has read.
struct Hand {
    epoch: Epoch,
    cursor: String,
    /// Everything that an earlier holder may have had was handed out.
    pending_loaded: bool,
    /// The group was there under this epoch.
    grouped: bool,
}

impl Hand {
    fn begin(epoch: Epoch) -> Self {
        Self {
            epoch,
            cursor: START.to_owned(),
            pending_loaded: false,
            grouped: false,
        }
    }
}

impl Hands {
    pub(super) fn of(shards: &[Shard]) -> Self {
        let begin = |shard: &Shard| (*shard, Mutex::new(Hand::begin(Epoch::new(0))));
        Self {
            shards: shards.iter().map(begin).collect(),
            groups_recreated: AtomicU64::new(0),
        }
    }

    pub(super) fn groups_recreated(&self) -> u64 {
        self.groups_recreated.load(Ordering::Relaxed)
    }
}

struct Page {
    cursor: String,
    made_group: bool,
    deliveries: Vec<Delivery>,
}

impl Store {
    pub(super) async fn hand_out(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        let Some(hand) = self.hands.shards.get(&lease.shard) else {
            return Ok(Vec::new());
        };
        // Held over the call: two fetches of one shard would hand out the same.
        let mut hand = hand.lock().await;
        if hand.epoch < lease.epoch {
            *hand = Hand::begin(lease.epoch);
        }
        let word = match position {
            _ if hand.epoch > lease.epoch => "none",
            Position::Pending if hand.pending_loaded => "none",
            Position::New if !hand.pending_loaded => "none",
            Position::Pending => "pending",
            Position::New => "new",
        };
        let call = self.fetch_call(lease, word, &hand.cursor, credit);
        let answer = self.connection.call(&call).await;
        let answer = answer.map_err(|trouble| trouble.failure())?;
        let page = self.read(lease, admitted(answer, lease)?)?;
        let asked = word != "none" && credit.events_max > 0;
        if asked {
            self.note(&mut hand, position, &page);
        }
        Ok(page.deliveries)
    }

    fn fetch_call(&self, lease: &Lease, position: &str, cursor: &str, credit: Credit) -> Call {
        let keys = self.settings.layout.keys(lease.shard);
        let names = [&keys.stream, &keys.own, &keys.retry];
        self.scripts
            .fetch
            .call(names.map(String::as_str))
            .with(GROUP)
            .with(consumer(lease.shard))
            .with(lease.epoch.to_string())
            .with(position)
            .with(cursor)
            .with(credit.events_max.to_string())
            .with(credit.bytes_max.to_string())
    }

    fn note(&self, hand: &mut Hand, position: Position, page: &Page) {
        if page.made_group && hand.grouped {
            self.hands.groups_recreated.fetch_add(1, Ordering::Relaxed);
        }
        hand.grouped = true;
        hand.cursor.clone_from(&page.cursor);
        if position == Position::Pending && page.deliveries.is_empty() {
            hand.pending_loaded = true;
        }
    }
}

impl Store {
    fn read(&self, lease: &Lease, parts: Vec<Value>) -> Result<Page, Failure> {
        let mut parts = parts.into_iter();
        let (_, cursor, made, entries) = (parts.next(), parts.next(), parts.next(), parts.next());
        match (cursor, made, entries) {
            (Some(cursor), Some(made), Some(Value::Array(entries))) => {
                let deliveries = entries.into_iter().map(|each| self.delivery(lease, each));
                Ok(Page {
                    cursor: text(cursor)?,
                    made_group: made == Value::Int(1),
                    deliveries: deliveries.collect::<Result<_, _>>()?,
                })
            }
            (cursor, made, entries) => Err(malformed(&format!("{cursor:?} {made:?} {entries:?}"))),
        }
    }

    fn delivery(&self, lease: &Lease, value: Value) -> Result<Delivery, Failure> {
        let Value::Array(parts) = value else {
            return Err(malformed(&format!("{value:?}")));
        };
        let [id, fields, retry] =
            <[Value; 3]>::try_from(parts).map_err(|parts| malformed(&format!("{parts:?}")))?;
        let id = text(id)?;
        let retry = if let Value::BulkString(text) = retry {
            retry_text::of_text(&text)
        } else {
            RetryState::default()
        };
        let (body, size_bytes) = self.body(lease, &id, fields)?;
        Ok(Delivery::new(Receipt::new(id), body, retry, size_bytes))
    }

    /// The body, and what it costs of a credit: the script counts the same.
    fn body(&self, lease: &Lease, id: &str, fields: Value) -> Result<(Body, usize), Failure> {
        if !matches!(fields, Value::Array(_)) {
            return Ok((Body::Lost, 0));
        }
        let words: Vec<Vec<u8>> =
            from_redis_value(fields).map_err(|error| malformed(&error.to_string()))?;
        let mut words = words.into_iter();
        let mut fields: Vec<Field> = Vec::new();
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            fields.push((name, value));
        }
        let layout = &self.settings.layout;
        if let Some(foreign) = &self.settings.unsharded
            && lease.shard == layout.unsharded()
        {
            let size_bytes = fields.iter().map(|(_, value)| value.len()).sum();
            let body = foreign::body(id, &fields, foreign, layout.shard_map());
            return Ok((body, size_bytes));
        }
        let own = |(name, _): &Field| name == entry::ENVELOPE.as_bytes();
        let envelope = fields.into_iter().find(own);
        let bytes = envelope.map_or_else(Vec::new, |(_, bytes)| bytes);
        let size_bytes = bytes.len();
        Ok((Body::decode(bytes), size_bytes))
    }
}

fn text(value: Value) -> Result<String, Failure> {
    from_redis_value(value).map_err(|error| malformed(&error.to_string()))
}
