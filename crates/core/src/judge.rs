//! The whole judgement: the bytes of one request, under one source, to its verdict.

mod bench;
mod events;
mod quarantine;
mod records;
mod survey;

pub use crate::read::Edit;
pub use quarantine::quarantine;
pub use survey::{Chunks, Records, Surveyed, Terms, survey, survey_records};

use crate::cloud_event::EventHeaders;
use crate::envelope::Envelope;
use crate::lane::ShardMap;
use crate::limits::Limits;
use crate::read;
use crate::repair::{Change, Step};
use crate::source::Source;
use crate::violation::Report;
use bench::Bench;

/// One request as the judgement sees it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Whose request it is.
    pub source: &'a Source,
    /// The body, its Content-Encoding undone.
    pub body: &'a [u8],
    /// How the body holds its features.
    pub format: Format,
    /// The event that the whole body is the data of, by the headers of binary mode.
    pub event: Option<EventHeaders<'a>>,
    /// Media type of the payloads, without parameters.
    pub content_type: &'a str,
    /// Header `Content-Crs`.
    pub content_crs: Option<&'a str>,
    /// A key that covers the request.
    pub key: Option<RequestKey<'a>>,
    /// The repairs that the sender asks for and may, in order.
    pub repair: &'a [Step],
    /// Header `traceparent`.
    pub traceparent: Option<&'a str>,
    /// The door's clock, µs since 1970.
    pub accepted_at_us: i64,
}

/// How a body holds its features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One GeoJSON object.
    #[default]
    Document,
    /// One GeoJSON object a line.
    Lines,
    /// One GeoJSON object behind each record separator (RFC 8142).
    Sequence,
    /// One `CloudEvents` object around its GeoJSON.
    CloudEvent,
    /// An array of them.
    CloudEventBatch,
}

/// A key that covers a whole request; the event's key is it, `#`, and the feature index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKey<'a> {
    /// Header `Idempotency-Key`.
    Idempotency(&'a str),
    /// Header `webhook-id`.
    WebhookId(&'a str),
}

/// What became of one feature.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// An event.
    Event(Box<Envelope>),
    /// Byte-equal to an earlier feature of the request.
    DuplicateOf(u32),
    /// It has errors; they are in the report.
    Refused,
}

/// What repairs changed in one feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// Its index.
    pub feature: u32,
    /// A change for each step that changed something; sums over the members of a collection.
    pub changes: Vec<Change>,
}

/// The verdict on one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// One entry a feature, in document order; a record that gives none has one as well.
    pub entries: Vec<Entry>,
    /// Whether an error concerns the request as a whole, so that no feature of it stands
    /// for itself.
    pub whole: bool,
    /// What was repaired of the events, by feature.
    pub repaired: Vec<Repaired>,
    /// Every violation, bounded, with totals.
    pub report: Report,
}

impl Judged {
    /// Whether nothing is wrong with any of it.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.report.errors() == 0
    }

    /// The same with every feature refused.
    #[must_use]
    pub fn without_events(mut self) -> Self {
        self.entries.fill(Entry::Refused);
        self
    }

    /// Whether some of it could be accepted without the rest.
    #[must_use]
    pub fn has_good(&self) -> bool {
        let good = |entry: &Entry| match entry {
            Entry::Event(_) | Entry::DuplicateOf(_) => true,
            Entry::Refused => false,
        };
        !self.whole && self.entries.iter().any(good)
    }

    /// The features that have errors, by index; all of them, whatever the report keeps.
    #[must_use]
    pub fn refused(&self) -> Vec<u32> {
        let refused = (0..).zip(&self.entries).filter(|(_, entry)| match entry {
            Entry::Refused => true,
            Entry::Event(_) | Entry::DuplicateOf(_) => false,
        });
        refused.map(|(index, _)| index).collect()
    }
}

/// Judges a request.
#[must_use]
pub fn judge(request: &Request<'_>, limits: &Limits, shard_map: ShardMap) -> Judged {
    let mut bench = Bench::new(request, limits, shard_map);
    if let Some(headers) = &request.event {
        match headers.read(request) {
            Ok(event) => bench.carry(event),
            Err(violations) => {
                for violation in violations {
                    bench.refuse_whole(violation);
                }
                return bench.close();
            }
        }
    }
    match request.format {
        Format::Document => bench.document(),
        Format::Lines => records::judge(bench, read::lines(request.body)),
        Format::Sequence => records::judge(bench, read::sequence(request.body)),
        Format::CloudEvent => events::one(bench),
        Format::CloudEventBatch => events::batch(bench),
    }
}
