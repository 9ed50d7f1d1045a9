//! Whether the queue takes events, as intake and relay meet it. The log is told when that
//! changes, not at each request that is turned away: those come by the thousand.

use hexlane_backend::{Code, Failure, FailureKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the queue said last. One for all routes.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<Option<Refusing>>);

#[derive(Debug, Default)]
struct Refusing {
    /// Told already; one that fails now so, now so is told each once.
    codes: Vec<Code>,
    requests: u64,
}

impl Refusals {
    /// The queue did not take the events of a request.
    pub(super) fn refused(&self, failure: &Failure) {
        if !is_of_the_queue(failure.code) {
            tracing::error!(code = failure.code.as_str(), %failure, "a request was not taken");
            return;
        }
        let is_news = self.note(failure.code);
        let code = failure.code.as_str();
        match (is_news, needs_operator(failure.kind)) {
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
    fn note(&self, code: Code) -> bool {
        let mut state = self.lock();
        let refusing = state.get_or_insert_default();
        refusing.requests = refusing.requests.saturating_add(1);
        let is_news = !refusing.codes.contains(&code);
        if is_news {
            refusing.codes.push(code);
        }
        is_news
    }

    /// The queue took events.
    pub(super) fn took(&self) {
        let refusing = self.lock().take();
        if let Some(Refusing { requests, .. }) = refusing {
            tracing::info!(refused_requests = requests, "the queue takes events again");
        }
    }

    /// A panic elsewhere cannot leave it half changed: each change is one assignment.
    fn lock(&self) -> MutexGuard<'_, Option<Refusing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether no repeat mends it; else the sender comes again, and that is all.
const fn needs_operator(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Again | FailureKind::Later => false,
        FailureKind::Never => true,
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
    fn a_queue_failure_that_a_repeat_mends_is_no_matter_for_an_operator() {
        let codes = [Code::Busy, Code::DiskFull, Code::AnswerLost, Code::Corrupt];
        let asked = codes.map(|code| needs_operator(code.kind()));
        assert_eq!(asked, [false, false, false, true]);
    }

    #[test]
    fn requests_are_counted_until_the_queue_takes_one_again() {
        let refusals = Refusals::default();
        let refuse = |code| refusals.refused(&Failure::new(Part::Queue, code));
        let requests = || refusals.lock().as_ref().map(|refusing| refusing.requests);
        refuse(Code::Unavailable);
        refuse(Code::EnvelopeTooLarge);
        assert_eq!(requests(), Some(1));
        assert!(!refusals.note(Code::Unavailable));
        assert!(refusals.note(Code::DiskFull));
        assert!(!refusals.note(Code::Unavailable));
        assert_eq!(requests(), Some(4));
        refusals.took();
        assert_eq!(requests(), None);
        assert!(refusals.note(Code::Unavailable));
    }
}
