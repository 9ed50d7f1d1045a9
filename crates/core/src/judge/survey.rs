//! Files under no source: geometry and form alone, of a document or of a sequence.

use super::bench::ends_early;
use crate::code::Code;
use crate::crs::{self, OtherCrs};
use crate::json::Sieve;
use crate::limits::Limits;
use crate::read::{self, Ask, Edit, Edits, Feature, Offsets, Place, Record, Share};
use crate::repair::{Change, Step};
use crate::violation::{Report, Violation};

/// What parts the records of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// One GeoJSON object a line.
    Lines,
    /// One GeoJSON object behind each record separator (RFC 8142).
    Separated,
}

/// How a file is judged.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What it may cost.
    pub limits: &'a Limits,
    /// The system of its coordinates, by name; none leaves it to the file. Where it is in the
    /// list of systems it is reprojected, to see that everything has a place.
    pub crs: Option<&'a str>,
    /// Repairs that are tried, in order.
    pub repair: &'a [Step],
}

impl<'a> Terms<'a> {
    /// As it stands, under those limits.
    #[must_use]
    pub const fn plain(limits: &'a Limits) -> Self {
        Self {
            limits,
            crs: None,
            repair: &[],
        }
    }

    fn ask(&self) -> Ask<'a> {
        let crs = match self.crs.map(crs::support) {
            None => OtherCrs::Refuse,
            Some(crs::Support::Reprojected) => OtherCrs::Reproject,
            Some(_) => OtherCrs::AsItStands,
        };
        Ask {
            limits: self.limits,
            content_crs: self.crs,
            crs: crs.rule(),
            judge: true,
            repair: self.repair,
            edits: Edits::TOLD,
        }
    }
}

/// A feature of a file as judged.
#[derive(Clone, Copy, Debug)]
pub struct Surveyed<'a> {
    /// From 0, over the whole file.
    pub index: u32,
    /// Its violations: of what was sent, or none that a repair mended.
    pub report: &'a Report,
    /// What repairs changed, in order.
    pub changes: &'a [Change],
    /// The same as changes of the file's text, in the order of the text.
    pub edits: &'a [Edit],
}

/// Judges the geometry and form of a document under no source: `visit` gets each
/// feature; what is returned concerns the document as a whole.
pub fn survey(body: &[u8], terms: &Terms<'_>, mut visit: impl FnMut(&Surveyed<'_>)) -> Report {
    read::read(body, terms.ask(), |feature| {
        hand_over(&feature, 0, &mut visit);
    })
}

fn hand_over(feature: &Feature<'_>, start: usize, visit: &mut impl FnMut(&Surveyed<'_>)) {
    let changes: Vec<Change> = feature.derivation.changes().copied().collect();
    let edits: Vec<Edit> = feature.edits.iter().map(|edit| edit.moved(start)).collect();
    visit(&Surveyed {
        index: feature.index,
        report: &feature.report,
        changes: &changes,
        edits: &edits,
    });
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
        read::read_sieved(
            self.sieve.finish()?,
            Terms::plain(self.limits).ask(),
            |feature| {
                visit(feature.index, &feature.report);
            },
        )
    }
}

/// The same of a sequence. A record that gives no feature is visited as one, as the door
/// counts it: it has an index, and its report says what is wrong with it.
pub fn survey_records(
    body: &[u8],
    records: Records,
    terms: &Terms<'_>,
    visit: impl FnMut(&Surveyed<'_>),
) -> Report {
    let kept_max = usize::try_from(terms.limits.violations_max).unwrap_or(usize::MAX);
    let mut course = Course {
        terms,
        share: Share::of(terms.limits),
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
    terms: &'a Terms<'a>,
    share: Share,
    /// The index of the next feature.
    next: u32,
    visit: V,
    /// What concerns records as a whole that gave features all the same.
    whole: Report,
}

impl<V: FnMut(&Surveyed<'_>)> Course<'_, V> {
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
        let ask = self.terms.ask();
        let report = read::read_part(record.bytes, ask, &mut self.share, |mut feature| {
            feature.report.put(&place);
            hand_over(&feature, record.start, visit);
            *next = feature.index.saturating_add(1);
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
        (self.visit)(&Surveyed {
            index: self.next,
            report: &report,
            changes: &[],
            edits: &[],
        });
        self.next = self.next.saturating_add(1);
    }
}
