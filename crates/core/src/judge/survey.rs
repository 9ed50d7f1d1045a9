//! Files under no source: geometry and form alone, of a document or of a sequence.

use super::bench::ends_early;
use crate::code::Code;
use crate::limits::Limits;
use crate::read::{self, Ask, Offsets, Place, Record, Share};
use crate::source::CrsPolicy;
use crate::violation::{Report, Violation};

/// What parts the records of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// One GeoJSON object a line.
    Lines,
    /// One GeoJSON object behind each record separator (RFC 8142).
    Separated,
}

const fn ask(limits: &Limits) -> Ask<'_> {
    Ask {
        limits,
        content_crs: None,
        crs: CrsPolicy::Reject.rule(),
        judge: true,
    }
}

/// Judges the geometry and form of a document under no source: `visit` gets each
/// feature's index and report; what is returned concerns the document as a whole.
pub fn survey(body: &[u8], limits: &Limits, mut visit: impl FnMut(u32, &Report)) -> Report {
    read::read(body, ask(limits), |feature| {
        visit(feature.index, &feature.report);
    })
}

/// The same of a sequence. A record that gives no feature is visited as one, as the door
/// counts it: it has an index, and its report says what is wrong with it.
pub fn survey_records(
    body: &[u8],
    records: Records,
    limits: &Limits,
    visit: impl FnMut(u32, &Report),
) -> Report {
    let kept_max = usize::try_from(limits.violations_max).unwrap_or(usize::MAX);
    let mut course = Course {
        limits,
        share: Share::of(limits),
        next: 0,
        visit,
        whole: Report::new(kept_max),
    };
    let mut number = 0;
    let mut take = |record: Record<'_>| {
        course.take(&record, number);
        number += 1;
    };
    match records {
        Records::Lines => read::lines(body).for_each(&mut take),
        Records::Separated => read::sequence(body).for_each(&mut take),
    }
    if number == 0 {
        let violation = Violation::new(Code::ParseEmpty, "the file holds no record");
        return Report::of(violation.at("", 0));
    }
    course.whole.sort();
    course.whole
}

struct Course<'a, V> {
    limits: &'a Limits,
    share: Share,
    /// The index of the next feature.
    next: u32,
    visit: V,
    /// What concerns records as a whole that gave features all the same.
    whole: Report,
}

impl<V: FnMut(u32, &Report)> Course<'_, V> {
    fn take(&mut self, record: &Record<'_>, number: u32) {
        let place = Place {
            record: Some(number),
            pointer: String::new(),
            offsets: Offsets::From(record.start),
        };
        if !record.separated {
            let message = "this stands before the first record separator";
            let violation = Violation::new(Code::ParseSeparator, message).at("", 0);
            return self.broken(Report::of(violation), &place);
        }
        let first = self.next;
        self.share.first = first;
        let (next, visit) = (&mut self.next, &mut self.visit);
        let report = read::read_part(record.bytes, ask(self.limits), &mut self.share, |feature| {
            let (index, mut report) = (feature.index, feature.report);
            report.put(&place);
            visit(index, &report);
            *next = index.saturating_add(1);
        });
        if report.errors() > 0 && self.next == first {
            return self.broken(ends_early(record.bytes, report), &place);
        }
        let mut report = report;
        report.put(&place);
        self.whole.append(report);
    }

    /// A record that gives no feature.
    fn broken(&mut self, mut report: Report, place: &Place) {
        report.assign(self.next);
        report.put(place);
        (self.visit)(self.next, &report);
        self.next = self.next.saturating_add(1);
    }
}
