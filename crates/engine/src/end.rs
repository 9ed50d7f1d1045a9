//! Why the work on a shard ends.

use crate::observer::PauseReason;
use hexlane_backend::Failure;
use hexlane_delivery::Code;

/// Why the work under a lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The engine stops.
    Stopped,
    /// A higher epoch was met. Nothing more may be done under this lease.
    Fenced,
    /// The lease was not renewed in time: as if fenced.
    Lapsed,
    /// A fetch was not answered: what it handed out comes under the next epoch.
    FetchLost(Failure),
    /// An operator is needed.
    Halted {
        /// Why.
        reason: PauseReason,
        /// The stable code.
        code: Code,
    },
}

impl End {
    /// A store did what it never should.
    pub(crate) const fn defect(code: &'static str) -> Self {
        Self::Halted {
            reason: PauseReason::Defect,
            code: Code::Borrowed(code),
        }
    }
}
