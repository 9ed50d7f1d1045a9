//! The document of a 202: one result a feature, and what was not taken beside it.

use super::{DOCUMENT_BYTES_USUAL, totals, violations_of};
use crate::enqueue::Enqueued;
use hexlane_core::Envelope;
use hexlane_core::code::Severity;
use hexlane_core::json_text::JsonText;
use hexlane_core::judge::{Entry, Judged};
use hexlane_core::violation::Violation;

/// What became of one feature.
struct Outcome<'a> {
    index: usize,
    status: &'static str,
    duplicate_of: Option<u32>,
    event: Option<&'a Envelope>,
}

impl Outcome<'_> {
    fn tell(&self, json: &mut JsonText) {
        json.plain("{\"index\":");
        json.whole(self.index as u64);
        json.plain(",\"status\":");
        json.name(self.status);
        if let Some(first) = self.duplicate_of {
            json.plain(",\"duplicate_of\":");
            json.whole(u64::from(first));
        }
        if let Some(envelope) = self.event {
            json.plain(",");
            tell_event(envelope, json);
        }
        json.plain("}");
    }
}

/// The members that name an event.
fn tell_event(envelope: &Envelope, json: &mut JsonText) {
    json.plain("\"event_id\":");
    json.string(&envelope.event_id);
    json.plain(",\"idempotency_key\":");
    json.string(&envelope.key.value);
    if let Some(cell) = envelope.cell {
        json.plain(",\"cell\":");
        json.string(&cell.to_string());
    }
    json.plain(",\"lane\":");
    json.string(envelope.lane_key.as_str());
    json.plain(",\"shard\":");
    json.whole(u64::from(envelope.shard.get()));
    json.plain(",\"entity\":");
    json.string(&envelope.entity);
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
    let mut json = JsonText::with_capacity(DOCUMENT_BYTES_USUAL);
    json.plain("{\"accepted\":");
    json.whole((count("accepted") + duplicates) as u64);
    json.plain(",\"duplicates\":");
    json.whole(duplicates as u64);
    if let Some(envelope) = quarantined {
        json.plain(",\"quarantined\":{");
        tell_event(envelope, &mut json);
        json.plain("}");
    }
    json.plain(",\"results\":");
    json.array(&results, |json, outcome| outcome.tell(json));
    let report = &judged.report;
    violations_of(
        &mut json,
        ",\"errors\":",
        report,
        Severity::Error,
        conflicts,
    );
    violations_of(&mut json, ",\"warnings\":", report, Severity::Warning, &[]);
    if count("refused") > 0 {
        let refused = results.iter().filter(|each| each.status == "refused");
        json.plain(",\"refused\":");
        json.array(refused, |json, each| json.whole(each.index as u64));
    }
    if !judged.is_good() {
        totals(&mut json, report);
    }
    json.plain("}");
    json.into_bytes()
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
            (status, None, Some(&**envelope))
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
