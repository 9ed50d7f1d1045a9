//! Media types: which the door takes, and how each holds its features.

use crate::head::{Head, trimmed};
use crate::problem::Problem;
use hexlane_core::judge::Format;

/// What a refusal of others lists.
pub(crate) const ACCEPTED: &str = "application/geo+json, application/json, \
     application/geo+json-seq, application/x-ndjson";

const GEO_JSON: &str = "application/geo+json";

/// How a body holds its features, and of which type each is by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Media {
    pub(crate) format: Format,
    /// The media type of one payload.
    pub(crate) payload: &'static str,
}

impl Media {
    /// That of a request's head.
    pub(crate) fn of(head: &Head) -> Result<Self, Problem> {
        let header = head.header("content-type").ok_or(Problem::MediaType)?;
        let mut pieces = header
            .split(';')
            .map(|piece| trimmed(piece).to_ascii_lowercase());
        let name = pieces.next().unwrap_or_default();
        let foreign_charset = pieces.any(|parameter| {
            parameter
                .strip_prefix("charset=")
                .is_some_and(|charset| charset.trim_matches('"') != "utf-8")
        });
        if foreign_charset {
            return Err(Problem::MediaType);
        }
        let (format, payload) = match name.as_str() {
            GEO_JSON | "application/vnd.geo+json" => (Format::Document, GEO_JSON),
            "application/json" => (Format::Document, "application/json"),
            "application/geo+json-seq" | "application/json-seq" => (Format::Sequence, GEO_JSON),
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
                (Format::Lines, GEO_JSON)
            }
            _ => return Err(Problem::MediaType),
        };
        Ok(Self { format, payload })
    }
}
