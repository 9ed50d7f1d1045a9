//! From PostgreSQL's answers to failures: again, later or never. Its own list of codes:
//! <https://www.postgresql.org/docs/15/errcodes-appendix.html>.

use deadpool_postgres::{HookError, PoolError};
use hexlane_backend::{Code, Failure, Part};
use std::error::Error as _;
use tokio_postgres::Error;
use tokio_postgres::error::DbError;

/// How far a call had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing was sent that changes anything.
    Harmless,
    /// A change was sent: without an answer it may have happened.
    Sent,
}

/// Our own: raised by a function that finds its session not durable.
const NOT_DURABLE: &str = "HX001";

/// The failure of a call.
pub(crate) fn failure(part: Part, error: &Error, progress: Progress) -> Failure {
    match error.as_db_error() {
        Some(told) => {
            Failure::new(part, code_of(told.code().code(), progress)).with_detail(sentence(told))
        }
        None => Failure::new(part, unanswered(error, progress)).with_detail(story(error)),
    }
}

/// The failure of getting a connection.
pub(crate) fn pool_failure(part: Part, error: &PoolError) -> Failure {
    match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            failure(part, error, Progress::Harmless)
        }
        PoolError::Closed => Failure::new(part, Code::Stopped),
        PoolError::Timeout(_) => {
            Failure::new(part, Code::Unavailable).with_detail("no connection in time")
        }
        PoolError::PostCreateHook(HookError::Message(_)) | PoolError::NoRuntimeSpecified => {
            Failure::new(part, Code::Internal).with_detail(error.to_string())
        }
    }
}

/// No answer of the server's: the way to it is at fault, or what was said on it.
fn unanswered(error: &Error, progress: Progress) -> Code {
    // The library tells its kinds by their texts alone.
    match (error.to_string().as_str(), progress) {
        (
            "error performing TLS handshake"
            | "authentication error"
            | "invalid configuration"
            | "invalid connection string",
            _,
        ) => Code::Settings,
        (text, _) if text.starts_with("error serializing") => Code::Internal,
        (_, Progress::Sent) => Code::AnswerLost,
        (_, Progress::Harmless) => Code::Unavailable,
    }
}

fn code_of(state: &str, progress: Progress) -> Code {
    match state {
        // The second: a pooler between that shares sessions.
        NOT_DURABLE | "26000" => Code::Settings,
        // Shut down, or fallen, with the call in hand: its commit may have been written.
        "57P01" | "57P02" | "40003" | "08007" => match progress {
            Progress::Sent => Code::AnswerLost,
            Progress::Harmless => Code::Unavailable,
        },
        "57P04" | "3D000" | "3F000" | "42P01" | "42703" | "42883" | "42704" => Code::NotAStore,
        "57014" | "55P03" | "55006" | "0A000" => Code::Busy,
        "53100" => Code::DiskFull,
        "25006" | "42501" => Code::ReadOnly,
        "XX001" | "XX002" => Code::Corrupt,
        _ => code_of_class(state),
    }
}

fn code_of_class(state: &str) -> Code {
    match state.get(..2) {
        Some("22" | "23" | "54") => Code::RowRefused,
        Some("40") => Code::Busy,
        Some("08" | "53" | "57") => Code::Unavailable,
        Some("58") => Code::Io,
        Some("28") => Code::Settings,
        Some(_) | None => Code::Internal,
    }
}

/// Message and state; the detail stays out, because it quotes the row.
fn sentence(told: &DbError) -> String {
    let place = told.constraint().or(told.table());
    let place = place.map_or_else(String::new, |name| format!(" ({name})"));
    format!(
        "{}{place} (SQLSTATE {})",
        told.message(),
        told.code().code()
    )
}

/// An error down to its first cause.
fn story(error: &Error) -> String {
    let mut story = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        story.push_str(": ");
        story.push_str(&inner.to_string());
        cause = inner.source();
    }
    story
}

/// Whether the connection may not be used after that: it is dead, or leads to a server
/// that another one has replaced, or holds what is not known.
pub(crate) const fn ends_connection(code: Code) -> bool {
    match code {
        Code::Unavailable
        | Code::AnswerLost
        | Code::DiskFull
        | Code::Io
        | Code::ReadOnly
        | Code::Corrupt
        | Code::NotAStore
        | Code::Settings
        | Code::Internal => true,
        Code::Busy
        | Code::SchemaNewer
        | Code::InUse
        | Code::Stopped
        | Code::ShardMapMismatch
        | Code::AuthorityMismatch
        | Code::EnvelopeTooLarge
        | Code::BatchTooLarge
        | Code::RowRefused => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_backend::FailureKind;

    #[test]
    fn every_state_of_the_fault_table_says_again_later_or_never() {
        let table = [
            ("40P01", Code::Busy),
            ("40001", Code::Busy),
            ("55P03", Code::Busy),
            ("57014", Code::Busy),
            ("08006", Code::Unavailable),
            ("53300", Code::Unavailable),
            ("57P03", Code::Unavailable),
            ("53100", Code::DiskFull),
            ("25006", Code::ReadOnly),
            ("42P01", Code::NotAStore),
            ("28P01", Code::Settings),
            ("22P02", Code::RowRefused),
            ("23514", Code::RowRefused),
            ("54000", Code::RowRefused),
            ("XX001", Code::Corrupt),
            ("XX000", Code::Internal),
            ("21000", Code::Internal),
        ];
        for (state, code) in table {
            assert_eq!(code_of(state, Progress::Sent), code, "{state}");
        }
        assert_eq!(code_of("40P01", Progress::Sent).kind(), FailureKind::Again);
    }

    #[test]
    fn a_server_that_goes_down_with_a_change_in_hand_may_have_made_it() {
        for state in ["57P01", "57P02"] {
            assert_eq!(code_of(state, Progress::Sent), Code::AnswerLost);
            assert_eq!(code_of(state, Progress::Harmless), Code::Unavailable);
        }
    }
}
