//! Exit codes of every command; scripts decide by them, so they are an enum.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: all good; `run` stopped with nothing in hand.
    Good,
    /// 1: it did its work and found faults: invalid features, refused events, mistakes in
    /// settings.
    Faults,
    /// 2: it could not do its work: a file that cannot be read, a server that cannot be
    /// reached, a store that cannot be opened; also a wrong command line, and a `run` of
    /// which a part ended by itself.
    Unable,
    /// 3: `run` was stopped and the drain limit passed first; what was in hand comes again.
    DrainCut,
    /// 130: a second signal; nothing was waited for.
    Interrupted,
}

impl Exit {
    /// The number a shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Faults => 1,
            Self::Unable => 2,
            Self::DrainCut => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
