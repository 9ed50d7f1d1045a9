//! An answer, before any HTTP library has seen it.

use crate::prefer::Preferences;
use hexlane_core::violation::Totals;
use std::borrow::Cow;

/// Status, headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// The document.
    pub body: Vec<u8>,
    /// How many violations of each code it tells of.
    pub totals: Totals,
}

impl Answer {
    /// A JSON answer.
    #[must_use]
    pub fn json(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        let headers = vec![
            ("content-type", Cow::Borrowed(content_type)),
            ("cache-control", Cow::Borrowed("no-store")),
        ];
        Self {
            status,
            headers,
            body,
            totals: Totals::default(),
        }
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same, telling of these violations.
    pub(crate) fn told(mut self, totals: &Totals) -> Self {
        self.totals.clone_from(totals);
        self
    }

    /// The same, saying which of the sender's preferences were honoured.
    pub(crate) fn preferring(self, preferences: &Preferences) -> Self {
        match preferences.applied() {
            Some(applied) => self.with("preference-applied", applied),
            None => self,
        }
    }

    /// A header by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| &**value)
    }
}
