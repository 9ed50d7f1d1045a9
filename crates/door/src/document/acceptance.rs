//! The document of a 202: one result a feature, and what was not taken beside it.

use super::{DOCUMENT_BYTES_USUAL, totals, violations_of};
use crate::enqueue::Enqueued;
use hexlane_core::Envelope;
use hexlane_core::code::Severity;
use hexlane_core::json_text::JsonText;
use hexlane_core::judge::{Entry, Judged, Repaired};
use hexlane_core::repair::Change;
use hexlane_core::violation::Violation;

/// What became of one feature.
struct Outcome<'a> {
    index: usize,
    status: &'static str,
    duplicate_of: Option<u32>,
    event: Option<&'a Envelope>,
    /// What repairs changed of it.
    repaired: &'a [Change],
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
            if let Some(derived) = &envelope.derived {
                json.plain(",\"derived\":");
                json.array(&derived.steps, |json, step| json.string(step));
            }
        }
        if !self.repaired.is_empty() {
            json.plain(",\"repaired\":");
            json.array(self.repaired, |json, change| tell_change(change, json));
        }
        json.plain("}");
    }
}

/// What one step changed.
fn tell_change(change: &Change, json: &mut JsonText) {
    let pair = |json: &mut JsonText, member: &str, [before, after]: [usize; 2]| {
        json.plain(member);
        json.array([before, after], |json, count| json.whole(count as u64));
    };
    json.plain("{\"step\":");
    json.name(change.step.name());
    pair(json, ",\"parts\":", change.parts);
    pair(json, ",\"rings\":", change.rings);
    json.plain(",\"area\":");
    json.array(change.area, JsonText::number);
    for (member, count) in [
        (",\"vertices_added\":", change.vertices_added),
        (",\"vertices_dropped\":", change.vertices_dropped),
        (",\"vertices_moved\":", change.vertices_moved),
        (",\"collapsed\":", change.collapsed),
    ] {
        json.plain(member);
        json.whole(count as u64);
    }
    json.plain("}");
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
        .map(|(index, entry)| {
            let mut outcome = outcome(index, entry, &mut answers, refused_as);
            if outcome.event.is_some() && outcome.status != "refused" {
                outcome.repaired = repaired(judged, index);
            }
            outcome
        })
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
        repaired: &[],
    }
}

fn repaired(judged: &Judged, index: usize) -> &[Change] {
    let feature = |each: &Repaired| each.feature as usize;
    let found = judged.repaired.binary_search_by_key(&index, feature);
    let found = found.ok().and_then(|at| judged.repaired.get(at));
    found.map_or(&[], |each| &each.changes)
}
