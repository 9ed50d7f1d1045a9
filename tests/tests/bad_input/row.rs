//! One row of the table: a request and its documented answer.

use hexlane_tests::http::{Request, Response};
use serde_json::Value;

/// Where a good request goes unless the row says otherwise.
pub(crate) const EVENTS: &str = "/v1/events/demo";

/// A request and what must come back.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) request: Request,
    pub(crate) status: u16,
    /// The problem's code; none for an acceptance.
    pub(crate) code: Option<&'static str>,
    /// Pointer and byte offset of an error with that code.
    pub(crate) place: Option<(&'static str, u64)>,
    /// The code of another error that must be told as well.
    pub(crate) among: Option<&'static str>,
    /// Results of an acceptance by their status.
    pub(crate) results: &'static [&'static str],
}

impl Row {
    /// A body for the source `demo` that is refused.
    pub(crate) fn refused(
        name: &'static str,
        status: u16,
        code: &'static str,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        Self::refused_request(name, status, code, Request::post(EVENTS, body))
    }

    /// A request that is refused.
    pub(crate) fn refused_request(
        name: &'static str,
        status: u16,
        code: &'static str,
        request: Request,
    ) -> Self {
        Self {
            name,
            request,
            status,
            code: Some(code),
            place: None,
            among: None,
            results: &[],
        }
    }

    /// A body for the source `demo` that is accepted as one new event.
    pub(crate) fn accepted(name: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::accepted_request(name, Request::post(EVENTS, body))
    }

    /// A request that is accepted as one new event.
    pub(crate) fn accepted_request(name: &'static str, request: Request) -> Self {
        Self {
            name,
            request,
            status: 202,
            code: None,
            place: None,
            among: None,
            results: &["accepted"],
        }
    }

    /// The same, with an error at that place.
    pub(crate) fn at(mut self, pointer: &'static str, byte: u64) -> Self {
        self.place = Some((pointer, byte));
        self
    }

    /// The same, with another error of that code.
    pub(crate) fn among(mut self, code: &'static str) -> Self {
        self.among = Some(code);
        self
    }

    /// The same, with those results.
    pub(crate) fn results(mut self, results: &'static [&'static str]) -> Self {
        self.results = results;
        self
    }

    /// Whether the answer is the documented one; else what is wrong with it.
    pub(crate) fn judge(&self, answer: &Response) -> Result<(), String> {
        let told = || format!("{} {}", answer.status, answer.text());
        if answer.status != self.status {
            return Err(format!("{} and not {}", told(), self.status));
        }
        let Ok(document) = serde_json::from_slice::<Value>(&answer.body) else {
            return Err(format!("no JSON: {}", told()));
        };
        match self.code {
            Some(code) => self.judge_problem(code, answer, &document).ok_or_else(told),
            None => self.judge_acceptance(&document).ok_or_else(told),
        }
    }

    fn judge_problem(&self, code: &str, answer: &Response, document: &Value) -> Option<()> {
        let stamped = document["code"] == code && document["status"] == self.status;
        let typed = document["type"] == format!("urn:hexlane:problem:{code}");
        let media = answer.header("content-type") == Some("application/problem+json");
        let errors = || document["errors"].as_array().into_iter().flatten();
        let complete = self
            .among
            .is_none_or(|among| errors().any(|error| error["code"] == among));
        let placed = self.place.is_none_or(|(pointer, byte)| {
            let mut same = errors().filter(|error| error["code"] == code);
            same.any(|error| error["pointer"] == pointer && error["byte_offset"] == byte)
        });
        let detail = document["detail"].as_str().unwrap_or_default();
        let names = |error: &Value| {
            let message = error["message"].as_str().unwrap_or_default();
            error["code"] == code && detail.contains(&format!(": {message}"))
        };
        let named = detail.is_empty() || errors().next().is_none() || errors().any(names);
        (stamped && typed && media && placed && complete && named).then_some(())
    }

    fn judge_acceptance(&self, document: &Value) -> Option<()> {
        let results = document["results"].as_array()?;
        let statuses: Vec<&str> = results
            .iter()
            .filter_map(|result| result["status"].as_str())
            .collect();
        let taken = statuses
            .iter()
            .filter(|status| **status != "refused")
            .count();
        (statuses == self.results && document["accepted"] == taken).then_some(())
    }
}

/// A feature with that id and geometry.
pub(crate) fn feature(id: &str, geometry: &str) -> String {
    format!(r#"{{"type":"Feature","id":"{id}","geometry":{geometry},"properties":{{}}}}"#)
}

/// A feature at a point, given as JSON numbers.
pub(crate) fn point(id: &str, coordinates: &str) -> String {
    feature(
        id,
        &format!(r#"{{"type":"Point","coordinates":{coordinates}}}"#),
    )
}

/// A feature with a polygon, given as JSON rings.
pub(crate) fn polygon(id: &str, rings: &str) -> String {
    feature(
        id,
        &format!(r#"{{"type":"Polygon","coordinates":{rings}}}"#),
    )
}

/// The byte at which `needle` first stands.
pub(crate) fn offset(text: &str, needle: &str) -> u64 {
    text.find(needle)
        .unwrap_or_else(|| panic!("{needle} is not in {text}")) as u64
}
