//! Where features become events: one entry each, in order, over all documents of a request.

use super::{Entry, Judged, Repaired, Request};
use crate::cloud_event::CloudEvent;
use crate::code::Code;
use crate::contract;
use crate::digest::Sha256Digest;
use crate::envelope::Envelope;
use crate::lane::ShardMap;
use crate::limits::Limits;
use crate::read::{self, Ask, Edits, Feature, Place, Share};
use crate::violation::{Report, Violation};
use std::collections::BTreeMap;

/// The features of one request under judgement.
pub(super) struct Bench<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) limits: &'a Limits,
    shard_map: ShardMap,
    entries: Vec<Entry>,
    whole: bool,
    repaired: Vec<Repaired>,
    report: Report,
    share: Share,
    payloads: BTreeMap<Sha256Digest, u32>,
    keys: BTreeMap<String, u32>,
    /// The event whose data is read.
    event: Option<CloudEvent>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(request: &'a Request<'a>, limits: &'a Limits, shard_map: ShardMap) -> Self {
        Self {
            request,
            limits,
            shard_map,
            entries: Vec::new(),
            whole: false,
            repaired: Vec::new(),
            report: Report::new(usize::try_from(limits.violations_max).unwrap_or(usize::MAX)),
            share: Share::of(limits),
            payloads: BTreeMap::new(),
            keys: BTreeMap::new(),
            event: None,
        }
    }

    pub(super) fn ask(&self) -> Ask<'a> {
        Ask {
            limits: self.limits,
            content_crs: self.request.content_crs,
            crs: self.request.source.crs,
            judge: true,
            repair: self.request.repair,
            edits: Edits::NOT_TOLD,
        }
    }

    /// The verdict on a body of one document.
    pub(super) fn document(mut self) -> Judged {
        let (body, ask) = (self.request.body, self.ask());
        let mut report = read::read(body, ask, |feature| self.take(feature, None));
        self.whole = report.errors() > 0;
        report.append(self.report);
        Judged {
            entries: self.entries,
            whole: self.whole,
            repaired: self.repaired,
            report,
        }
    }

    /// Whether there may be one more feature; false is told where it would stand.
    pub(super) fn has_room(&mut self, place: &Place) -> bool {
        let most = self.limits.features_max;
        if self.next() < most {
            return true;
        }
        let message = format!("more than {most} features in one request");
        let mut violation = Violation::new(Code::LimitFeatures, message).at("", 0);
        place.apply(&mut violation);
        self.refuse_whole(violation);
        false
    }

    /// What follows is the data of that event.
    pub(super) fn carry(&mut self, event: CloudEvent) {
        let first = self.next();
        self.event = Some(CloudEvent { first, ..event });
    }

    /// How many violations a report keeps.
    pub(super) fn kept_max(&self) -> usize {
        usize::try_from(self.limits.violations_max).unwrap_or(usize::MAX)
    }

    /// Reads one of several documents, and puts what is found where it stands. False when
    /// the request ends there: it holds too much.
    pub(super) fn part(&mut self, bytes: &[u8], place: &Place) -> bool {
        if !self.has_room(place) {
            return false;
        }
        let first = self.next();
        let ask = self.ask();
        let mut share = std::mem::replace(&mut self.share, Share::of(self.limits));
        share.first = first;
        let mut report = read::read_part(bytes, ask, &mut share, |feature| {
            self.take(feature, Some(place));
        });
        self.share = share;
        let too_many = report.totals().of(Code::LimitFeatures) > 0;
        if report.errors() > 0 {
            report = ends_early(bytes, report);
            self.withdraw(first, &mut report);
        }
        report.put(place);
        self.report.append(report);
        self.whole |= too_many;
        !too_many
    }

    /// The error of a body over the cap.
    pub(super) fn oversized(&self) -> Option<Violation> {
        let most = self.limits.body_bytes_max;
        let message = format!("the body is larger than {most} bytes");
        let oversized = self.request.body.len() as u64 > most;
        oversized.then(|| Violation::new(Code::LimitBytes, message).at("", 0))
    }

    /// A record that gives no feature: it has an index all the same, so that those behind
    /// it keep theirs once it is mended.
    pub(super) fn broken(&mut self, mut report: Report) {
        report.assign(self.next());
        self.report.append(report);
        self.entries.push(Entry::Refused);
    }

    /// An error of the request as a whole.
    pub(super) fn refuse_whole(&mut self, violation: Violation) {
        self.refuse_all(Report::of(violation));
    }

    /// Errors of the request as a whole.
    pub(super) fn refuse_all(&mut self, report: Report) {
        self.report.append(report);
        self.whole = true;
    }

    /// The verdict on a body of several documents.
    pub(super) fn close(mut self) -> Judged {
        self.report.sort();
        Judged {
            entries: self.entries,
            whole: self.whole,
            repaired: self.repaired,
            report: self.report,
        }
    }

    /// How many features there are so far, which is the index of the next.
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Takes back what a document gave that is at fault as a whole.
    fn withdraw(&mut self, first: u32, report: &mut Report) {
        if self.next() == first {
            report.assign(first);
            return self.entries.push(Entry::Refused);
        }
        let first_entry = usize::try_from(first).unwrap_or(usize::MAX);
        for entry in self.entries.iter_mut().skip(first_entry) {
            *entry = Entry::Refused;
        }
        self.payloads.retain(|_, index| *index < first);
        self.keys.retain(|_, index| *index < first);
        self.repaired.retain(|each| each.feature < first);
    }

    fn take(&mut self, mut feature: Feature<'_>, place: Option<&Place>) {
        let drawn = contract::draw(&feature, self.request, self.event.as_ref(), self.shard_map);
        for violation in drawn.violations {
            feature.report.push(violation);
        }
        let entry = drawn.envelope.map_or(Entry::Refused, |envelope| {
            self.enter(&mut feature, envelope)
        });
        feature.report.sort();
        if let Some(place) = place {
            feature.report.put(place);
        }
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
        let changes: Vec<_> = feature.derivation.changes().copied().collect();
        if !changes.is_empty() {
            self.repaired.push(Repaired {
                feature: feature.index,
                changes,
            });
        }
        self.payloads.insert(envelope.payload_sha256, feature.index);
        self.keys.insert(envelope.key.value.clone(), feature.index);
        Entry::Event(Box::new(envelope))
    }
}

/// Says that a record was cut, where the only fault of its bytes is that they end.
pub(super) fn ends_early(bytes: &[u8], report: Report) -> Report {
    let [only] = report.violations() else {
        return report;
    };
    let at_end = only.byte_offset == Some(bytes.len() as u64);
    let in_a_character = || {
        let error = std::str::from_utf8(bytes).err();
        error.is_some_and(|error| error.error_len().is_none())
    };
    let cut = only.code == Code::ParseSyntax && at_end
        || only.code == Code::ParseUtf8 && in_a_character();
    if !cut {
        return report;
    }
    let message = "the record ends before its JSON text does";
    Report::of(Violation::new(Code::ParseTruncated, message).at("", bytes.len()))
}
