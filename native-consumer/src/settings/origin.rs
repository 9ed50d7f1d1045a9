//! Where a value came from, and what is wrong with it there.

use std::fmt;

/// The layer and place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// A place in a settings file, line and column from 1.
    File {
        /// As it was named.
        file: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag of the command line.
    Flag(String),
}

impl Origin {
    /// Its line in the file; mistakes elsewhere come after those of the file.
    pub(super) const fn line(&self) -> (usize, usize) {
        match self {
            Self::File { line, column, .. } => (*line, *column),
            Self::Default | Self::Environment(_) | Self::Flag(_) => (usize::MAX, 0),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { file, line, column } => write!(formatter, "{file}:{line}:{column}"),
            Self::Environment(name) => write!(formatter, "environment {name}"),
            Self::Flag(name) => write!(formatter, "flag {name}"),
        }
    }
}

/// What is wrong with a setting, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {message}")]
pub struct Mistake {
    /// Where.
    pub origin: Origin,
    /// What; never the value of a secret.
    pub message: String,
}

impl Mistake {
    /// A mistake there.
    #[must_use]
    pub fn new(origin: Origin, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { origin, message }
    }
}
