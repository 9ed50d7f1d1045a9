//! Why an attempt did not end in an outcome, and what that means.
//!
//! The class says what kind of failure it is, the scope says what has to wait for it,
//! the destination says where the event goes when it goes. Deterministic causes are
//! attempted once. No free text decides anything: the code is contract.

use crate::retry_after::RetryAfter;
pub use hexlane_core::Destination;
use hexlane_core::{FailureClass, Stage};
use std::borrow::Cow;

/// A stable code, such as `persist.rejected`.
pub type Code = Cow<'static, str>;

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The payload breaks a rule: it gives no effect, or the door refused it and the
    /// source keeps its bad payloads.
    Violation {
        /// The class of the first violation.
        class: FailureClass,
        /// Where it was found.
        stage: Stage,
        /// Its code.
        code: Code,
    },
    /// The bytes are not an envelope that this build reads.
    NotAnEnvelope,
    /// The idempotency key stands under another payload.
    KeyReused,
    /// The sink refuses this very row, found alone.
    PersistRejected,
    /// The process died of it too often.
    CrashLoop,
    /// The queue knows the delivery but has lost its bytes.
    BodyLost,
    /// An offloaded payload does not match its digest.
    BlobCorrupt,
    /// About this event, and may pass: lock timeout, 500, 503.
    Transient {
        /// What was answered.
        code: Code,
    },
    /// The far side asks to wait: 429, or 503 with `Retry-After`.
    Throttled {
        /// What was answered.
        code: Code,
        /// For how long, when it said.
        retry_after: Option<RetryAfter>,
    },
    /// Nobody knows.
    Unknown {
        /// What was seen.
        code: Code,
    },
    /// A reference layer that the event is joined with is not there. It holds up the events
    /// that need it and no other.
    LayerAway {
        /// What was seen.
        code: Code,
    },
    /// Joining this very geometry failed, and nobody knows why.
    JoinFailed {
        /// What was seen.
        code: Code,
    },
    /// The sink does not answer at all, or says it is full.
    SinkAway {
        /// What was seen.
        code: Code,
    },
    /// The sink is set up wrongly: no such table, no right to it.
    SinkMisconfigured {
        /// What was seen.
        code: Code,
    },
    /// This build judges an accepted event otherwise than the door did.
    VerdictSkew,
    /// Another holder has the shard.
    Fenced,
}

/// What has to wait because of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The event, and with it its key.
    Event,
    /// Everything bound for the sink.
    Sink,
    /// The shard.
    Shard,
}

impl Cause {
    /// What has to wait.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Violation { .. }
            | Self::NotAnEnvelope
            | Self::KeyReused
            | Self::PersistRejected
            | Self::CrashLoop
            | Self::BodyLost
            | Self::BlobCorrupt
            | Self::Transient { .. }
            | Self::Throttled { .. }
            | Self::Unknown { .. }
            | Self::LayerAway { .. }
            | Self::JoinFailed { .. } => Scope::Event,
            Self::SinkAway { .. } => Scope::Sink,
            Self::SinkMisconfigured { .. } | Self::VerdictSkew | Self::Fenced => Scope::Shard,
        }
    }

    /// Under which class it is filed.
    #[must_use]
    pub const fn class(&self) -> FailureClass {
        match self {
            Self::Violation { class, .. } => *class,
            Self::NotAnEnvelope | Self::KeyReused => FailureClass::SchemaViolation,
            Self::Transient { .. }
            | Self::Throttled { .. }
            | Self::LayerAway { .. }
            | Self::SinkAway { .. } => FailureClass::Transient,
            Self::PersistRejected
            | Self::CrashLoop
            | Self::BodyLost
            | Self::BlobCorrupt
            | Self::Unknown { .. }
            | Self::JoinFailed { .. }
            | Self::SinkMisconfigured { .. }
            | Self::VerdictSkew
            | Self::Fenced => FailureClass::Unknown,
        }
    }

    /// Where on its way the event stood.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        match self {
            Self::Violation { stage, .. } => *stage,
            Self::KeyReused => Stage::Schema,
            Self::NotAnEnvelope | Self::CrashLoop | Self::BodyLost | Self::BlobCorrupt => {
                Stage::Parse
            }
            Self::VerdictSkew => Stage::TopologyValidation,
            Self::LayerAway { .. } | Self::JoinFailed { .. } => Stage::SpatialJoin,
            Self::PersistRejected
            | Self::Transient { .. }
            | Self::Throttled { .. }
            | Self::Unknown { .. }
            | Self::SinkAway { .. }
            | Self::SinkMisconfigured { .. }
            | Self::Fenced => Stage::Persist,
        }
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Violation { code, .. }
            | Self::Transient { code }
            | Self::Throttled { code, .. }
            | Self::Unknown { code }
            | Self::LayerAway { code }
            | Self::JoinFailed { code }
            | Self::SinkAway { code }
            | Self::SinkMisconfigured { code } => code.clone(),
            Self::NotAnEnvelope => Cow::Borrowed("envelope.unreadable"),
            Self::KeyReused => Cow::Borrowed("idempotency.key_reused"),
            Self::PersistRejected => Cow::Borrowed("persist.rejected"),
            Self::CrashLoop => Cow::Borrowed("crash_loop"),
            Self::BodyLost => Cow::Borrowed("body_lost"),
            Self::BlobCorrupt => Cow::Borrowed("blob_corrupt"),
            Self::VerdictSkew => Cow::Borrowed("verdict.skew"),
            Self::Fenced => Cow::Borrowed("fenced"),
        }
    }

    /// Where the event goes once it is dead.
    #[must_use]
    pub const fn destination(&self) -> Destination {
        if self.is_deterministic() {
            Destination::Poison
        } else {
            Destination::Retry
        }
    }

    /// Whether another attempt of the same event is bound to fail alike.
    #[must_use]
    pub const fn is_deterministic(&self) -> bool {
        match self {
            Self::Violation { .. }
            | Self::NotAnEnvelope
            | Self::KeyReused
            | Self::PersistRejected
            | Self::CrashLoop
            | Self::BodyLost
            | Self::BlobCorrupt => true,
            Self::Transient { .. }
            | Self::Throttled { .. }
            | Self::Unknown { .. }
            | Self::LayerAway { .. }
            | Self::JoinFailed { .. }
            | Self::SinkAway { .. }
            | Self::SinkMisconfigured { .. }
            | Self::VerdictSkew
            | Self::Fenced => false,
        }
    }

    /// Whether it counts against the event's budget of failures.
    #[must_use]
    pub const fn spends_budget(&self) -> bool {
        match self {
            Self::Violation { .. }
            | Self::NotAnEnvelope
            | Self::KeyReused
            | Self::PersistRejected
            | Self::CrashLoop
            | Self::BodyLost
            | Self::BlobCorrupt
            | Self::Transient { .. }
            | Self::Unknown { .. }
            | Self::JoinFailed { .. } => true,
            Self::Throttled { .. }
            | Self::LayerAway { .. }
            | Self::SinkAway { .. }
            | Self::SinkMisconfigured { .. }
            | Self::VerdictSkew
            | Self::Fenced => false,
        }
    }
}
