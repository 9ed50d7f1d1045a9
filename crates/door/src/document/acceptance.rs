//! The document of a 202: one result a feature, and what was not taken beside it.

use super::{is_zero, to_bytes, totals, views};
use crate::enqueue::Enqueued;
use hexlane_core::Envelope;
use hexlane_core::code::Severity;
use hexlane_core::judge::{Entry, Judged};
use hexlane_core::violation::{Violation, ViolationView};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Acceptance<'a> {
    accepted: usize,
    duplicates: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantined: Option<EventView<'a>>,
    results: Vec<Outcome<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ViolationView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ViolationView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<usize>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    totals: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

#[derive(Serialize)]
struct Outcome<'a> {
    index: usize,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<u32>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    event: Option<EventView<'a>>,
}

#[derive(Serialize)]
struct EventView<'a> {
    event_id: &'a str,
    idempotency_key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cell: Option<String>,
    lane: &'a str,
    shard: u16,
    entity: &'a str,
}

impl<'a> EventView<'a> {
    fn of(envelope: &'a Envelope) -> Self {
        Self {
            event_id: &envelope.event_id,
            idempotency_key: &envelope.key.value,
            cell: envelope.cell.map(|cell| cell.to_string()),
            lane: envelope.lane_key.as_str(),
            shard: envelope.shard.get(),
            entity: &envelope.entity,
        }
    }
}

/// The 202 document. `answers` stands beside the events of the entries, in order;
/// `conflicts` are violations of those that the queue refused.
pub(crate) fn acceptance(
    judged: &Judged,
    answers: &[Enqueued],
    quarantined: Option<&Envelope>,
    conflicts: &[Violation],
) -> Vec<u8> {
    let refused_as = if quarantined.is_some() {
        "quarantined"
    } else {
        "refused"
    };
    let mut answers = answers.iter();
    let entries = judged.entries.iter().enumerate();
    let results: Vec<Outcome<'_>> = entries
        .map(|(index, entry)| outcome(index, entry, &mut answers, refused_as))
        .collect();
    let count = |status: &str| results.iter().filter(|each| each.status == status).count();
    let duplicates = count("duplicate");
    let partial = !judged.is_good();
    let mut errors = views(&judged.report, Severity::Error);
    errors.extend(conflicts.iter().map(Violation::view));
    let refused = results.iter().filter(|each| each.status == "refused");
    to_bytes(&Acceptance {
        accepted: count("accepted") + duplicates,
        duplicates,
        quarantined: quarantined.map(EventView::of),
        errors,
        warnings: views(&judged.report, Severity::Warning),
        refused: refused.map(|each| each.index).collect(),
        totals: if partial {
            totals(&judged.report)
        } else {
            BTreeMap::new()
        },
        left_out: if partial { judged.report.left_out() } else { 0 },
        results,
    })
}

fn outcome<'a>(
    index: usize,
    entry: &'a Entry,
    answers: &mut std::slice::Iter<'_, Enqueued>,
    refused_as: &'static str,
) -> Outcome<'a> {
    let (status, duplicate_of, event) = match entry {
        Entry::Event(envelope) => {
            let status = match answers.next() {
                Some(Enqueued::Duplicate) => "duplicate",
                Some(Enqueued::Conflict) => "refused",
                Some(Enqueued::New) | None => "accepted",
            };
            (status, None, Some(EventView::of(envelope)))
        }
        Entry::DuplicateOf(first) => ("duplicate", Some(*first), None),
        Entry::Refused => (refused_as, None, None),
    };
    Outcome {
        index,
        status,
        duplicate_of,
        event,
    }
}
