//! Media types: which the door takes, and how each holds its features.

use crate::head::{EVENT_MARK, Head, trimmed};
use crate::problem::Problem;
use hexlane_core::cloud_event::EventHeaders;
use hexlane_core::judge::Format;

/// What a refusal of others lists.
pub(crate) const ACCEPTED: &str = "application/geo+json, application/json, \
     application/geo+json-seq, application/x-ndjson, \
     application/cloudevents+json, application/cloudevents-batch+json";

const GEO_JSON: &str = "application/geo+json";
const EVENT: &str = "application/cloudevents+json";
const BATCH: &str = "application/cloudevents-batch+json";

/// How a body holds its features, and of which type each is by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Media {
    pub(crate) format: Format,
    /// The media type of the body.
    pub(crate) body: &'static str,
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
        let (format, body) = match name.as_str() {
            GEO_JSON | "application/vnd.geo+json" => (Format::Document, GEO_JSON),
            "application/json" => (Format::Document, "application/json"),
            "application/geo+json-seq" | "application/json-seq" => {
                (Format::Sequence, "application/geo+json-seq")
            }
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
                (Format::Lines, "application/x-ndjson")
            }
            EVENT => (Format::CloudEvent, EVENT),
            BATCH => (Format::CloudEventBatch, BATCH),
            _ => return Err(Problem::MediaType),
        };
        let payload = match format {
            Format::Document => body,
            Format::Lines | Format::Sequence | Format::CloudEvent | Format::CloudEventBatch => {
                GEO_JSON
            }
        };
        Ok(Self {
            format,
            body,
            payload,
        })
    }

    /// The event whose data the body is: binary mode, which `ce-specversion` shows.
    pub(crate) fn event<'a>(&self, head: &'a Head) -> Option<EventHeaders<'a>> {
        let specversion = head.header(EVENT_MARK);
        let data = match self.format {
            Format::Document | Format::Lines | Format::Sequence => specversion.is_some(),
            Format::CloudEvent | Format::CloudEventBatch => false,
        };
        data.then(|| EventHeaders {
            specversion,
            id: head.header("ce-id"),
            source: head.header("ce-source"),
            kind: head.header("ce-type"),
            time: head.header("ce-time"),
        })
    }
}
