//! What a store answers when it could not: again, later or never; which part; a stable
//! code. The detail is for the log and decides nothing.

use crate::lease::Epoch;
use hexlane_core::lane::Shard;
use std::fmt;
use std::time::Duration;

/// A store could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {code} ({kind}){}", DetailSuffix(.detail))]
pub struct Failure {
    /// Whether asking again can help.
    pub kind: FailureKind,
    /// Which part failed.
    pub part: Part,
    /// Stable; what programs decide by.
    pub code: Code,
    /// The store's own wish, when it has one.
    pub retry_after: Option<Duration>,
    /// For the log only.
    pub detail: Option<String>,
}

struct DetailSuffix<'a>(&'a Option<String>);

impl fmt::Display for DetailSuffix<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .as_ref()
            .map_or(Ok(()), |detail| write!(formatter, ": {detail}"))
    }
}

impl Failure {
    /// A failure with the kind that its code has.
    #[must_use]
    pub const fn new(part: Part, code: Code) -> Self {
        Self {
            kind: code.kind(),
            part,
            code,
            retry_after: None,
            detail: None,
        }
    }

    /// The same, with a sentence for the log.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Whether the effect may have happened all the same: look it up before acting.
    #[must_use]
    pub const fn may_have_happened(&self) -> bool {
        self.code.may_have_happened()
    }
}

/// What asking again can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// At once, as it is.
    Again,
    /// After a pause: the store is away or full.
    Later,
    /// Never as it is: an operator or a change of the request is needed.
    Never,
}

impl FailureKind {
    /// Whether no waiting mends it.
    #[must_use]
    pub const fn needs_operator(self) -> bool {
        match self {
            Self::Again | Self::Later => false,
            Self::Never => true,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Again => "again",
            Self::Later => "later",
            Self::Never => "never",
        })
    }
}

/// The part that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The queue.
    Queue,
    /// The lease authority.
    Leases,
    /// The map state.
    Sink,
    /// The dead letters.
    DeadLetters,
    /// The reference layers.
    Layers,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Queue => "queue",
            Self::Leases => "leases",
            Self::Sink => "sink",
            Self::DeadLetters => "dead_letters",
            Self::Layers => "layers",
        })
    }
}

/// Stable codes of store failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Another transaction was in the way.
    Busy,
    /// The store cannot be reached, or was lost and is being opened again.
    Unavailable,
    /// The request left and no answer came: it may have happened.
    AnswerLost,
    /// No room left where the store lives.
    DiskFull,
    /// Reading or writing the medium failed.
    Io,
    /// The store may not be written.
    ReadOnly,
    /// The store's own checks fail.
    Corrupt,
    /// What is there is not such a store.
    NotAStore,
    /// Written by a newer build.
    SchemaNewer,
    /// Another process has the store.
    InUse,
    /// The store was stopped.
    Stopped,
    /// The stored shard map is another one.
    ShardMapMismatch,
    /// The queue is bound to another map.
    AuthorityMismatch,
    /// An encoded envelope is over the limit.
    EnvelopeTooLarge,
    /// More items in one call than the limit.
    BatchTooLarge,
    /// The store refused a value of this row, whatever the attempt.
    RowRefused,
    /// A stored or given setting makes no sense here.
    Settings,
    /// The store did what it never should; a defect.
    Internal,
}

impl Code {
    /// The fixed name in logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "store.busy",
            Self::Unavailable => "store.unavailable",
            Self::AnswerLost => "store.answer_lost",
            Self::DiskFull => "store.disk_full",
            Self::Io => "store.io",
            Self::ReadOnly => "store.read_only",
            Self::Corrupt => "store.corrupt",
            Self::NotAStore => "store.not_a_store",
            Self::SchemaNewer => "store.schema_newer",
            Self::InUse => "store.in_use",
            Self::Stopped => "store.stopped",
            Self::ShardMapMismatch => "store.shard_map_mismatch",
            Self::AuthorityMismatch => "store.authority_mismatch",
            Self::EnvelopeTooLarge => "store.envelope_too_large",
            Self::BatchTooLarge => "store.batch_too_large",
            Self::RowRefused => "persist.rejected",
            Self::Settings => "store.settings",
            Self::Internal => "store.internal",
        }
    }

    /// What asking again can do.
    #[must_use]
    pub const fn kind(self) -> FailureKind {
        match self {
            Self::Busy => FailureKind::Again,
            Self::Unavailable
            | Self::AnswerLost
            | Self::DiskFull
            | Self::Io
            | Self::Stopped
            | Self::InUse => FailureKind::Later,
            Self::ReadOnly
            | Self::Corrupt
            | Self::NotAStore
            | Self::SchemaNewer
            | Self::ShardMapMismatch
            | Self::AuthorityMismatch
            | Self::EnvelopeTooLarge
            | Self::BatchTooLarge
            | Self::RowRefused
            | Self::Settings
            | Self::Internal => FailureKind::Never,
        }
    }

    const fn may_have_happened(self) -> bool {
        matches!(self, Self::AnswerLost | Self::Io)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a call under a lease did nothing, or is not known to have done anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A holder with a higher epoch was here. Nothing was done; drop the lease.
    #[error("fenced: shard {shard} is at epoch {current}, the call came with {epoch}")]
    Fenced {
        /// The shard.
        shard: Shard,
        /// The epoch of the call.
        epoch: Epoch,
        /// The epoch that stands in the store.
        current: Epoch,
    },
    /// The store could not.
    #[error(transparent)]
    Failed(#[from] Failure),
}
