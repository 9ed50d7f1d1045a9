//! What is away, over all shards of an engine: an outage that each of 64 shards meets is
//! told once when it begins and once when it is over.

use crate::observer::PauseReason;
use hexlane_backend::Code;
use hexlane_core::lane::Shard;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is away, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Outages(Mutex<BTreeMap<PauseReason, Outage>>);

#[derive(Debug, Default)]
struct Outage {
    /// Told already; one that fails now so, now so is told each once.
    codes: Vec<Code>,
    shards: BTreeSet<Shard>,
}

/// A shard met an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    /// The shard did not wait for it before.
    pub(crate) is_first_of_shard: bool,
    /// No shard met it with that code before.
    pub(crate) is_news: bool,
}

/// A shard waits no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// Nobody waits any more.
    pub(crate) is_last: bool,
}

impl Outages {
    /// That shard waits for that.
    pub(crate) fn meet(&self, shard: Shard, reason: PauseReason, code: Code) -> Met {
        let mut outages = self.lock();
        let outage = outages.entry(reason).or_default();
        let is_news = !outage.codes.contains(&code);
        if is_news {
            outage.codes.push(code);
        }
        Met {
            is_first_of_shard: outage.shards.insert(shard),
            is_news,
        }
    }

    /// That shard waits for that no more; none when it did not.
    pub(crate) fn leave(&self, shard: Shard, reason: PauseReason) -> Option<Left> {
        let mut outages = self.lock();
        let outage = outages.get_mut(&reason)?;
        if !outage.shards.remove(&shard) {
            return None;
        }
        let is_last = outage.shards.is_empty();
        if is_last {
            outages.remove(&reason);
        }
        Some(Left { is_last })
    }

    /// A panic elsewhere cannot leave it half changed: each change is one call.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<PauseReason, Outage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_news_once_and_again_with_another_code() {
        let outages = Outages::default();
        let meet = |shard, code| outages.meet(Shard::new(shard), PauseReason::Sink, code);
        let met = |is_first_of_shard, is_news| Met {
            is_first_of_shard,
            is_news,
        };
        assert_eq!(meet(1, Code::Unavailable), met(true, true));
        assert_eq!(meet(2, Code::Unavailable), met(true, false));
        assert_eq!(meet(1, Code::Unavailable), met(false, false));
        assert_eq!(meet(1, Code::ReadOnly), met(false, true));
        assert_eq!(meet(2, Code::ReadOnly), met(false, false));
        assert_eq!(meet(2, Code::Unavailable), met(false, false));
    }

    #[test]
    fn it_is_over_with_the_last_shard() {
        let outages = Outages::default();
        let leave = |shard| outages.leave(Shard::new(shard), PauseReason::Queue);
        assert_eq!(leave(1), None);
        for shard in [1, 2] {
            outages.meet(Shard::new(shard), PauseReason::Queue, Code::DiskFull);
        }
        assert_eq!(leave(1), Some(Left { is_last: false }));
        assert_eq!(leave(1), None);
        assert_eq!(leave(2), Some(Left { is_last: true }));
        assert_eq!(leave(2), None);
        let met = outages.meet(Shard::new(1), PauseReason::Queue, Code::DiskFull);
        assert!(met.is_news && met.is_first_of_shard);
    }
}
