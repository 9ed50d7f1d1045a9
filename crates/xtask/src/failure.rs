//! Why a command stopped, in words that say what to do next.
//!
//! Every failure ends the command: nothing here is retried, and none carries a
//! secret. Details a person needs (the command line, the path, the last lines
//! of a child) are in the text itself, because it is printed and nothing else.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

/// The reason a command of xtask stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program could not be started at all.
    #[error("cannot start `{line}`: {source}")]
    Start { line: String, source: io::Error },
    /// A program ran and said no.
    #[error("`{line}` ended with {status}")]
    Ended { line: String, status: ExitStatus },
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A tool is absent and xtask may not or cannot install it.
    #[error("{tool} is missing.\n  {remedy}")]
    Missing { tool: &'static str, remedy: String },
    /// wasm-bindgen in `Cargo.lock` and the one linked here differ, or refused.
    #[error("wasm-bindgen: {0}")]
    Bindgen(String),
    /// A port that must be free is taken.
    #[error("{0}")]
    PortInUse(String),
    /// A program that should keep running stopped; its last lines follow.
    #[error("{name} stopped by itself ({status}). Its last lines:\n{tail}")]
    ChildDied {
        name: &'static str,
        status: ExitStatus,
        tail: String,
    },
    /// Something did not happen within its limit.
    #[error("{what} did not happen within {limit_s} s{detail}")]
    TooSlow {
        what: String,
        limit_s: u64,
        detail: String,
    },
    /// A person or the system asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A check of ours said no.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    /// An operation on `path` that failed, for `map_err`.
    pub(crate) fn file<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::File {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
