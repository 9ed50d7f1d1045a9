//! Requests and responses as values.

use serde_json::Value;

/// How a body says where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length`.
    Length,
    /// `Transfer-Encoding: chunked`, in chunks of at most so many bytes.
    Chunked(usize),
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Method.
    pub method: String,
    /// Path.
    pub path: String,
    /// Headers, names in lower case; those of the framing are added when it is sent.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// How the body is framed.
    pub framing: Framing,
}

impl Request {
    /// A POST of `GeoJSON`.
    #[must_use]
    pub fn post(path: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: vec![("content-type".to_owned(), "application/geo+json".to_owned())],
            body: body.into(),
            framing: Framing::Length,
        }
    }

    /// A GET.
    #[must_use]
    pub fn get(path: &str) -> Self {
        let mut request = Self::post(path, Vec::new()).without("content-type");
        "GET".clone_into(&mut request.method);
        request
    }

    /// The same with that header and no other of its name.
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<String>) -> Self {
        let mut request = self.without(name);
        request.headers.push((name.to_owned(), value.into()));
        request
    }

    /// The same without that header.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// The same by another method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// The same without a declared length.
    #[must_use]
    pub const fn chunked(mut self, bytes: usize) -> Self {
        self.framing = Framing::Chunked(bytes);
        self
    }

    /// A header by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A header by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{} {}: {error}", self.status, self.text()))
    }
}
