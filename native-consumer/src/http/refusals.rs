//! Whether the queue takes events, as intake and relay meet it. The log is told when that
//! changes, not at each request that is turned away: those come by the thousand.

use hexlane_backend::{Code, Failure};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Without a refusal for so long, the queue is told to take events again: of a cluster one
/// node may refuse while others take.
const CALM: Duration = Duration::from_secs(10);

/// What the queue said last. One for all routes.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Option<Refusing>>);

#[derive(Debug, Default)]
struct Refusing {
    /// Told already; one that fails now so, now so is told each once.
    codes: Vec<Code>,
    requests: u64,
    /// When the last one was turned away.
    last: Duration,
}

impl Refusals {
    /// The queue did not take the events of a request.
    pub(super) fn refused(&self, failure: &Failure, now: Duration) {
        if !is_of_the_queue(failure.code) {
            tracing::error!(code = failure.code.as_str(), %failure, "a request was not taken");
            return;
        }
        let is_news = self.note(failure.code, now);
        let code = failure.code.as_str();
        match (is_news, failure.kind.needs_operator()) {
            (true, true) => tracing::error!(
                code, %failure,
                "the queue takes no events and needs an operator; senders are told to come again"
            ),
            (true, false) => tracing::warn!(
                code, %failure,
                "the queue takes no events; senders are told to come again"
            ),
            (false, _) => tracing::debug!(code, %failure, "not taken"),
        }
    }

    /// Whether it has not been told of that code since the queue took events.
    fn note(&self, code: Code, now: Duration) -> bool {
        let mut state = self.lock();
        let refusing = state.get_or_insert_default();
        refusing.requests = refusing.requests.saturating_add(1);
        refusing.last = now;
        let is_news = !refusing.codes.contains(&code);
        if is_news {
            refusing.codes.push(code);
        }
        is_news
    }

    /// The queue took events.
    pub(super) fn took(&self, now: Duration) {
        let is_calm = |refusing: &mut Refusing| now.saturating_sub(refusing.last) >= CALM;
        let refusing = self.lock().take_if(is_calm);
        if let Some(Refusing { requests, .. }) = refusing {
            tracing::info!(refused_requests = requests, "the queue takes events again");
        }
    }

    /// A panic elsewhere cannot leave it half changed: each change is one assignment.
    fn lock(&self) -> MutexGuard<'_, Option<Refusing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the next request is bound to meet it too.
const fn is_of_the_queue(code: Code) -> bool {
    match code {
        Code::EnvelopeTooLarge | Code::BatchTooLarge | Code::RowRefused => false,
        Code::Busy
        | Code::Unavailable
        | Code::AnswerLost
        | Code::DiskFull
        | Code::Io
        | Code::ReadOnly
        | Code::Corrupt
        | Code::NotAStore
        | Code::SchemaNewer
        | Code::InUse
        | Code::Stopped
        | Code::ShardMapMismatch
        | Code::AuthorityMismatch
        | Code::Settings
        | Code::Internal => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_backend::Part;

    #[test]
    fn requests_are_counted_until_the_queue_has_taken_all_for_a_while() {
        let refusals = Refusals::default();
        let at = Duration::from_secs;
        let refuse = |code| refusals.refused(&Failure::new(Part::Queue, code), at(1));
        let requests = || refusals.lock().as_ref().map(|refusing| refusing.requests);
        refuse(Code::Unavailable);
        refuse(Code::EnvelopeTooLarge);
        assert_eq!(requests(), Some(1));
        assert!(!refusals.note(Code::Unavailable, at(2)));
        assert!(refusals.note(Code::DiskFull, at(3)));
        refusals.took(at(4));
        assert!(!refusals.note(Code::Unavailable, at(5)));
        assert_eq!(requests(), Some(4));
        refusals.took(at(14));
        assert_eq!(requests(), Some(4), "another node may have taken that");
        refusals.took(at(15));
        assert_eq!(requests(), None);
        assert!(refusals.note(Code::Unavailable, at(16)));
    }
}
