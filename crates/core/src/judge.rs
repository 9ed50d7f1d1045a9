//! The whole judgement: the bytes of one request, under one source, to its verdict.

use crate::contract;
use crate::digest::Sha256Digest;
use crate::envelope::Envelope;
use crate::lane::ShardMap;
use crate::limits::Limits;
use crate::read::{self, Ask, Feature};
use crate::source::Source;
use crate::violation::Report;
use std::collections::BTreeMap;

/// One request as the judgement sees it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Whose request it is.
    pub source: &'a Source,
    /// The body, as received.
    pub body: &'a [u8],
    /// Media type of the payloads, without parameters.
    pub content_type: &'a str,
    /// Header `Content-Crs`.
    pub content_crs: Option<&'a str>,
    /// A key that covers the request.
    pub key: Option<RequestKey<'a>>,
    /// Header `traceparent`.
    pub traceparent: Option<&'a str>,
    /// The door's clock, µs since 1970.
    pub accepted_at_us: i64,
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

/// The verdict on one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// One entry a feature, in document order.
    pub entries: Vec<Entry>,
    /// Every violation, bounded, with totals.
    pub report: Report,
}

impl Judged {
    /// Whether nothing is wrong with any of it.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.report.errors() == 0
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
    let ask = Ask {
        limits,
        content_crs: request.content_crs,
        judge: true,
    };
    let mut bench = Bench {
        request,
        limits,
        shard_map,
        entries: Vec::new(),
        report: Report::new(usize::try_from(limits.violations_max).unwrap_or(usize::MAX)),
        payloads: BTreeMap::new(),
        keys: BTreeMap::new(),
    };
    let mut report = read::read(request.body, ask, |feature| bench.take(feature));
    report.append(bench.report);
    Judged {
        entries: bench.entries,
        report,
    }
}

struct Bench<'a> {
    request: &'a Request<'a>,
    limits: &'a Limits,
    shard_map: ShardMap,
    entries: Vec<Entry>,
    report: Report,
    payloads: BTreeMap<Sha256Digest, u32>,
    keys: BTreeMap<String, u32>,
}

impl Bench<'_> {
    fn take(&mut self, mut feature: Feature<'_>) {
        let drawn = contract::draw(&feature, self.request, self.shard_map);
        for violation in drawn.violations {
            feature.report.push(violation);
        }
        let entry = drawn.envelope.map_or(Entry::Refused, |envelope| {
            self.enter(&mut feature, envelope)
        });
        feature.report.sort();
        self.report.append(feature.report);
        self.entries.push(entry);
    }

    fn enter(&mut self, feature: &mut Feature<'_>, envelope: Envelope) -> Entry {
        if let Some(first) = self.payloads.get(&envelope.payload_sha256) {
            return Entry::DuplicateOf(*first);
        }
        if let Some(first) = self.keys.get(&envelope.key.value) {
            feature.report.push(contract::key_reused(feature, *first));
            return Entry::Refused;
        }
        let bytes = envelope.encoded_len();
        if bytes as u64 > self.limits.envelope_bytes_max {
            feature.report.push(contract::too_large(
                feature,
                bytes,
                self.limits.envelope_bytes_max,
            ));
            return Entry::Refused;
        }
        self.payloads.insert(envelope.payload_sha256, feature.index);
        self.keys.insert(envelope.key.value.clone(), feature.index);
        Entry::Event(Box::new(envelope))
    }
}

/// Judges the geometry and form of a document under no source: `visit` gets each
/// feature's index and report; what is returned concerns the document as a whole.
pub fn survey(body: &[u8], limits: &Limits, mut visit: impl FnMut(u32, &Report)) -> Report {
    let ask = Ask {
        limits,
        content_crs: None,
        judge: true,
    };
    read::read(body, ask, |feature| visit(feature.index, &feature.report))
}
