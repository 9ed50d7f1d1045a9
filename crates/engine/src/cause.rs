//! What a failure of the sink means for the events of a batch. Matched without wildcards:
//! a new code must be placed here.

use hexlane_backend::{Code, Failure};
use hexlane_delivery::Cause;

/// The cause that a failed apply is.
pub(crate) fn cause_of(failure: &Failure) -> Cause {
    let code = failure.code.as_str().into();
    match failure.code {
        Code::Busy => Cause::Transient { code },
        Code::RowRefused | Code::EnvelopeTooLarge => Cause::PersistRejected,
        Code::Internal => Cause::Unknown { code },
        Code::Unavailable
        | Code::AnswerLost
        | Code::DiskFull
        | Code::Io
        | Code::Stopped
        | Code::InUse => Cause::SinkAway { code },
        Code::ReadOnly
        | Code::Corrupt
        | Code::NotAStore
        | Code::SchemaNewer
        | Code::ShardMapMismatch
        | Code::AuthorityMismatch
        | Code::BatchTooLarge
        | Code::Settings => Cause::SinkMisconfigured { code },
    }
}
