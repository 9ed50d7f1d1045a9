//! From SQLite's result codes to failures: again, later or never. SQLite's own list:
//! <https://www.sqlite.org/rescode.html>.

use hexlane_backend::{Code, Failure, Part, StoreError};
use rusqlite::ErrorCode;

/// Why a piece of work on a connection stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// Fenced, or a failure that is told already.
    #[error(transparent)]
    Told(#[from] StoreError),
    /// SQLite said so.
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Told(failure.into())
    }
}

impl Stop {
    /// As the caller gets it.
    pub(crate) fn told(self, part: Part) -> StoreError {
        match self {
            Self::Told(error) => error,
            Self::Sql(error) => failure(part, &error).into(),
        }
    }
}

/// The failure of a call that takes no lease: being fenced would be a defect.
pub(crate) fn unfenced(part: Part) -> impl FnOnce(StoreError) -> Failure {
    move |error| match error {
        StoreError::Failed(failure) => failure,
        StoreError::Fenced { .. } => Failure::new(part, Code::Internal),
    }
}

/// A failure of that part.
pub(crate) fn failure(part: Part, error: &rusqlite::Error) -> Failure {
    Failure::new(part, code(error)).with_detail(error.to_string())
}

fn code(error: &rusqlite::Error) -> Code {
    error.sqlite_error_code().map_or(Code::Internal, code_of)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "rusqlite's list of codes is open"
)]
const fn code_of(code: ErrorCode) -> Code {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Code::Busy,
        ErrorCode::DiskFull => Code::DiskFull,
        ErrorCode::SystemIoFailure => Code::Io,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Code::ReadOnly,
        ErrorCode::DatabaseCorrupt => Code::Corrupt,
        ErrorCode::NotADatabase => Code::NotAStore,
        ErrorCode::CannotOpen | ErrorCode::OutOfMemory => Code::Unavailable,
        ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch => {
            Code::RowRefused
        }
        _ => Code::Internal,
    }
}

/// Whether the connection may not be used after that: what it holds in memory and what is
/// on disk need not agree any more.
pub(crate) const fn ends_connection(code: Code) -> bool {
    match code {
        Code::DiskFull
        | Code::Io
        | Code::ReadOnly
        | Code::Corrupt
        | Code::NotAStore
        | Code::Unavailable
        | Code::Internal => true,
        Code::Busy
        | Code::AnswerLost
        | Code::SchemaNewer
        | Code::InUse
        | Code::Stopped
        | Code::ShardMapMismatch
        | Code::AuthorityMismatch
        | Code::EnvelopeTooLarge
        | Code::BatchTooLarge
        | Code::RowRefused
        | Code::Settings => false,
    }
}
