//! Files under no source: geometry and form alone, of a document or of a sequence.

use super::bench::ends_early;
use crate::code::Code;
use crate::json::Sieve;
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
        crs: CrsPolicy::Reject,
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

/// A document that comes in chunks, under no source. Memory holds its coordinates, a byte for
/// each position, and its text without arrays of positions; never the whole body.
#[derive(Debug)]
pub struct Chunks<'a> {
    limits: &'a Limits,
    sieve: Sieve,
    bytes: u64,
}

impl<'a> Chunks<'a> {
    /// Takes in a body; its length, where it was declared, saves memory.
    #[must_use]
    pub fn new(limits: &'a Limits, declared: Option<u64>) -> Self {
        Self {
            limits,
            sieve: Sieve::new(declared.filter(|bytes| *bytes <= limits.body_bytes_max)),
            bytes: 0,
        }
    }

    /// The next bytes. Those beyond the cap are counted and not kept.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes = self.bytes.saturating_add(chunk.len() as u64);
        if self.bytes <= self.limits.body_bytes_max {
            self.sieve.push(chunk);
        }
    }

    /// What [`survey`] gives of the whole. None when something in it must be seen as it was
    /// sent, and no longer can: then the body is to be read whole, and what was visited does
    /// not count. That is so for coordinates that start like positions and go on as something
    /// else, and for positions with a height among others without.
    pub fn survey(self, mut visit: impl FnMut(u32, &Report)) -> Option<Report> {
        if self.bytes > self.limits.body_bytes_max {
            return Some(Report::of(read::oversized(self.limits.body_bytes_max)));
        }
        read::read_sieved(self.sieve.finish()?, ask(self.limits), |feature| {
            visit(feature.index, &feature.report);
        })
    }
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
    course.whole.sort_by_place();
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
