//! A delivery in the engine's hands.

use crate::reader::Refusal;
use hexlane_backend::Delivery;
use hexlane_core::effect::Effect;
use hexlane_core::lane::LaneKey;
use hexlane_delivery::lanes::Entry;
use std::time::Duration;

/// A delivery, its key, and its effect once it is read.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) delivery: Delivery,
    pub(crate) key: LaneKey,
    /// By the monotonic clock.
    pub(crate) fetched_at: Duration,
    /// Taken by the first apply; later ones read again, which is rare.
    /// Boxed: rows change hands many times.
    pub(crate) effect: Option<Box<Effect>>,
    /// What reference layers say of it, for every apply of this attempt; none when it needs
    /// no join.
    pub(crate) joined: Option<Joined>,
}

/// What joining gave: JSON object text, or why there is none.
pub(crate) type Joined = Result<String, Box<Refusal>>;

impl Row {
    /// What is no event has a lane of its own: it has no order to keep.
    pub(crate) fn new(delivery: Delivery, fetched_at: Duration) -> Self {
        let key = delivery.envelope().map_or_else(
            || LaneKey::new(format!("(unreadable) {}", delivery.receipt().as_str())),
            |envelope| envelope.lane_key.clone(),
        );
        Self {
            delivery,
            key,
            fetched_at,
            effect: None,
            joined: None,
        }
    }

    /// As it stands in a lane, due at `latest_due_us` at the latest.
    pub(crate) fn into_entry(self, latest_due_us: i64) -> Entry<Self> {
        let due_at_us = self.delivery.retry().due_at_us.min(latest_due_us);
        Entry {
            bytes: self.delivery.size_bytes(),
            due_at_us: (due_at_us > 0).then_some(due_at_us),
            item: self,
        }
    }
}
