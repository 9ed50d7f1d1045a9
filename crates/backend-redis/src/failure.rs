//! From what Redis and its client say to failures: again, later or never.

use hexlane_backend::{Code, Failure, Part};
use hexlane_streams::Refusal;
use redis::{ErrorKind, RedisError};

/// Why a command gave no answer.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// The server refused; nothing happened.
    Refused(Refusal),
    /// No connection: nothing was sent.
    Unreachable(String),
    /// Sent, and no answer came.
    AnswerLost(String),
    /// The address, the certificates or the like make no sense.
    Settings(String),
    /// An answer of another form.
    Malformed(String),
}

impl Trouble {
    /// What an error means once a command was sent.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the client's list of kinds is open"
    )]
    pub(crate) fn of_command(error: &RedisError) -> Self {
        if let Some(refusal) = refusal(error) {
            return Self::Refused(refusal);
        }
        match error.kind() {
            ErrorKind::ClusterConnectionNotFound => Self::Unreachable(error.to_string()),
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => {
                Self::Malformed(error.to_string())
            }
            _ if error.is_connection_refusal() => Self::Unreachable(error.to_string()),
            _ => Self::AnswerLost(error.to_string()),
        }
    }

    /// What an error means while connecting.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the client's list of kinds is open"
    )]
    pub(crate) fn of_connect(error: &RedisError) -> Self {
        if let Some(refusal) = refusal(error) {
            return Self::Refused(refusal);
        }
        match error.kind() {
            ErrorKind::AuthenticationFailed => {
                Self::Refused(Refusal::Unauthorized(error.to_string()))
            }
            ErrorKind::InvalidClientConfig | ErrorKind::EmptySentinelList => {
                Self::Settings(error.to_string())
            }
            _ => Self::Unreachable(error.to_string()),
        }
    }

    /// Whether the connection may not be used after that. A server that only reads was the
    /// master before a failover.
    pub(crate) const fn ends_connection(&self) -> bool {
        match self {
            Self::AnswerLost(_) | Self::Unreachable(_) | Self::Malformed(_) => true,
            Self::Refused(refusal) => matches!(
                refusal,
                Refusal::ReadOnly(_) | Refusal::Unauthorized(_) | Refusal::NotReady(_)
            ),
            Self::Settings(_) => false,
        }
    }

    /// As the caller gets it.
    pub(crate) fn failure(&self) -> Failure {
        let (code, detail) = match self {
            Self::Refused(refusal) => (code_of(refusal), refusal.to_string()),
            Self::Unreachable(text) => (Code::Unavailable, text.clone()),
            Self::AnswerLost(text) => (Code::AnswerLost, text.clone()),
            Self::Settings(text) => (Code::Settings, text.clone()),
            Self::Malformed(text) => (Code::Internal, text.clone()),
        };
        Failure::new(Part::Queue, code).with_detail(detail)
    }
}

/// What the server said, when it was the server.
fn refusal(error: &RedisError) -> Option<Refusal> {
    let code = error.code()?;
    Some(Refusal::of_words(code, error.detail().unwrap_or_default()))
}

const fn code_of(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::NotReady(_)
        | Refusal::Moved { .. }
        | Refusal::Ask { .. }
        | Refusal::TooFewReplicas
        | Refusal::ScriptMissing
        | Refusal::NoGroup => Code::Unavailable,
        Refusal::ReadOnly(_) => Code::ReadOnly,
        Refusal::DiskTrouble(_) | Refusal::OutOfMemory => Code::DiskFull,
        Refusal::Unauthorized(_) | Refusal::NotPermitted(_) => Code::Settings,
        Refusal::WrongType => Code::NotAStore,
        Refusal::ShardMap { .. } => Code::ShardMapMismatch,
        Refusal::Other(_) => Code::Internal,
    }
}

/// A failure for an answer that has not the form it should have.
pub(crate) fn malformed(what: &str) -> Failure {
    Failure::new(Part::Queue, Code::Internal).with_detail(format!("unexpected answer: {what}"))
}
