//! The head of a request, however the front end came by it.

/// The headers that every door reads. The schemes of its sources may read more:
/// [`Door::headers`](crate::Door::headers). A front end need not copy others.
pub const HEADERS: [&str; 8] = [
    "content-crs",
    "content-encoding",
    "content-length",
    "content-type",
    "idempotency-key",
    "prefer",
    "traceparent",
    "webhook-id",
];

/// The header that shows a `CloudEvent` in binary mode.
pub const EVENT_MARK: &str = "ce-specversion";

/// The headers that are read where [`EVENT_MARK`] is there.
pub const EVENT_HEADERS: [&str; 5] = [EVENT_MARK, "ce-id", "ce-source", "ce-time", "ce-type"];

/// Method, path and headers.
#[derive(Clone, Debug, Default)]
pub struct Head {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    /// A head without headers. The method is taken as it stands: its case counts (RFC 9110
    /// section 9.1). The path is without query.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
        }
    }

    /// The same with one more header. A name that comes again is joined by `, `, as the
    /// Fetch standard does.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match self.headers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => {
                known.push_str(", ");
                known.push_str(value);
            }
            None => self.headers.push((name, value.to_owned())),
        }
        self
    }

    /// The method, as received.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A header by its lower-case name, without the white space around it.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| trimmed(value))
    }
}

/// Without the optional white space of RFC 9110 section 5.6.3: spaces and tabs and nothing
/// else. What else Unicode calls white space arrives otherwise at each front end.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}
