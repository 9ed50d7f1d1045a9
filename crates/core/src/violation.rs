//! One reason for refusal, with its place, and the bounded report of them all.

mod told;
mod totals;

pub use totals::Totals;

use crate::code::{Code, Severity};
use crate::decimal::push_number;

pub use ogc_validity::Place;

/// The second edge or ring that takes part in a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterpart {
    /// RFC 6901 pointer to its position.
    pub pointer: String,
    /// Where that position starts, in bytes.
    pub byte_offset: u64,
    /// Its place in the geometry.
    pub place: Place,
}

/// One reason for refusal, or one warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// What is wrong.
    pub code: Code,
    /// Which record of a sequence, from 0; none in a body of one document.
    pub record: Option<u32>,
    /// Which feature, from 0; none for the document.
    pub feature: Option<u32>,
    /// RFC 6901 pointer into the document as received; in a sequence, into the record.
    pub pointer: String,
    /// Offset in bytes of the body, after its Content-Encoding is undone; none outside it.
    pub byte_offset: Option<u64>,
    /// Where in the geometry: x, y as declared.
    pub location: Option<[f64; 2]>,
    /// The other end, for an overlap.
    pub location_end: Option<[f64; 2]>,
    /// Vertex or edge.
    pub place: Option<Place>,
    /// The other edge or ring.
    pub other: Option<Counterpart>,
    /// EPSG code, where a CRS was named by one.
    pub epsg: Option<u32>,
    /// One sentence for a person.
    pub message: String,
}

impl Violation {
    /// A violation of the whole document.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            record: None,
            feature: None,
            pointer: String::new(),
            byte_offset: None,
            location: None,
            location_end: None,
            place: None,
            other: None,
            epsg: None,
            message: message.into(),
        }
    }

    /// The same, at a place in the document.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>, byte_offset: usize) -> Self {
        self.pointer = pointer.into();
        self.byte_offset = Some(byte_offset as u64);
        self
    }

    /// The same, at a place in the geometry.
    #[must_use]
    pub fn located(mut self, location: [f64; 2], place: Place) -> Self {
        self.location = Some(location);
        self.place = Some(place);
        self
    }

    /// The reason in PostGIS's form, such as `Self-intersection[0.5 0.5]`.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let [x, y] = self.location?;
        let code = self.code.as_str();
        let name = code.strip_prefix("geometry.").unwrap_or(code);
        let mut reason = String::with_capacity(REASON_BYTES_USUAL);
        for letter in name.chars() {
            reason.push(match letter {
                '_' => '-',
                _ if reason.is_empty() => letter.to_ascii_uppercase(),
                _ => letter,
            });
        }
        reason.push('[');
        push_number(&mut reason, x);
        reason.push(' ');
        push_number(&mut reason, y);
        reason.push(']');
        Some(reason)
    }
}

/// The longest name of a code and two numbers.
const REASON_BYTES_USUAL: usize = 64;

/// The violations found: the first so many, errors before warnings, and totals of them
/// all.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    kept: Vec<Violation>,
    kept_max: usize,
    warnings_kept: usize,
    totals: Totals,
}

impl Report {
    /// An empty report that keeps at most so many.
    #[must_use]
    pub const fn new(kept_max: usize) -> Self {
        Self {
            kept: Vec::new(),
            kept_max,
            warnings_kept: 0,
            totals: Totals::new(),
        }
    }

    /// A report of one violation.
    #[must_use]
    pub fn of(violation: Violation) -> Self {
        let mut report = Self::new(1);
        report.push(violation);
        report
    }

    /// Counts a violation, and keeps it while there is room.
    pub fn push(&mut self, violation: Violation) {
        self.push_with(violation.code, || violation);
    }

    /// The same for a violation of that code that is made only when it is kept: a body of
    /// millions of faults would spend its time on their words.
    pub(crate) fn push_with(&mut self, code: Code, make: impl FnOnce() -> Violation) {
        self.count(code, 1);
        if self.makes_room(code) {
            self.kept.push(make());
        }
    }

    /// Whether one more of that code is kept: an error takes the place of a warning.
    fn makes_room(&mut self, code: Code) -> bool {
        let warning = code.severity() == Severity::Warning;
        if self.kept.len() < self.kept_max {
            self.warnings_kept += usize::from(warning);
            return true;
        }
        if warning || self.warnings_kept == 0 {
            return false;
        }
        let is_warning = |each: &Violation| each.code.severity() == Severity::Warning;
        if let Some(last) = self.kept.iter().rposition(is_warning) {
            self.kept.remove(last);
        }
        self.warnings_kept -= 1;
        self.kept.len() < self.kept_max
    }

    /// An empty report that keeps as many.
    pub(crate) const fn alike(&self) -> Self {
        Self::new(self.kept_max)
    }

    /// Says of everything kept that it stands there: its own place is of a geometry that was
    /// never sent.
    pub(crate) fn gather(&mut self, pointer: &str, byte_offset: usize) {
        for violation in &mut self.kept {
            pointer.clone_into(&mut violation.pointer);
            violation.byte_offset = Some(byte_offset as u64);
            violation.place = None;
            violation.other = None;
        }
    }

    /// Counts violations that are not kept.
    pub fn count(&mut self, code: Code, more: u64) {
        if more > 0 {
            self.totals.add(code, more);
        }
    }

    /// How many more errors it would keep.
    #[must_use]
    pub fn room(&self) -> usize {
        let errors_kept = self.kept.len().saturating_sub(self.warnings_kept);
        self.kept_max.saturating_sub(errors_kept)
    }

    /// Takes over what another one holds, in document order at the end.
    pub fn append(&mut self, other: Self) {
        for (code, total) in other.totals.iter() {
            self.count(code, total);
        }
        for violation in other.kept {
            if self.makes_room(violation.code) {
                self.kept.push(violation);
            }
        }
    }

    /// Puts what is kept into document order. Over several documents, what concerns one as a
    /// whole stands with it.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|violation| {
            let in_document = violation.feature.is_some();
            (violation.record, in_document, violation.byte_offset)
        });
    }

    /// Those kept, in document order.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.kept
    }

    /// How many there are of each code, kept or not.
    #[must_use]
    pub const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// How many there are that are not kept.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.totals
            .iter()
            .map(|(_, total)| total)
            .sum::<u64>()
            .saturating_sub(self.kept.len() as u64)
    }

    /// How many errors there are.
    #[must_use]
    pub fn errors(&self) -> u64 {
        let errors = self
            .totals
            .iter()
            .filter(|(code, _)| code.severity() == Severity::Error);
        errors.map(|(_, total)| total).sum()
    }

    /// The first error kept; when errors exist but none is kept, none.
    #[must_use]
    pub fn first_error(&self) -> Option<&Violation> {
        self.kept
            .iter()
            .find(|violation| violation.code.severity() == Severity::Error)
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }
}

impl Report {
    /// Says of everything kept which feature it concerns.
    pub(crate) fn assign(&mut self, feature: u32) {
        for violation in &mut self.kept {
            violation.feature = Some(feature);
        }
    }

    /// Says of everything kept which record it concerns.
    pub(crate) fn record(&mut self, record: Option<u32>) {
        for violation in &mut self.kept {
            violation.record = record;
        }
    }

    /// Counts the bytes up to everything kept in another way.
    pub(crate) fn shift(&mut self, offset: impl Fn(u64) -> u64) {
        for violation in &mut self.kept {
            violation.byte_offset = violation.byte_offset.map(&offset);
            if let Some(other) = &mut violation.other {
                other.byte_offset = offset(other.byte_offset);
            }
        }
    }

    /// Says of everything kept where it stands in the body that the document is a part of.
    pub(crate) fn put(&mut self, place: &crate::read::Place) {
        for violation in &mut self.kept {
            place.apply(violation);
        }
    }
}
