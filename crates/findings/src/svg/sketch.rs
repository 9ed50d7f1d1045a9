//! What a picture needs of a file.

use crate::file::File;
use crate::outline::Outlines;
use hexlane_core::code::Code;
use hexlane_core::violation::Violation;
use std::collections::BTreeSet;

/// A violation that has a place on the map.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(super) at: [f64; 2],
    /// The other end, for an overlap.
    pub(super) end: Option<[f64; 2]>,
    pub(super) code: Code,
    /// What is told of it.
    pub(super) title: String,
}

/// A file as it is drawn.
#[derive(Debug)]
pub(crate) struct Sketch {
    pub(super) name: String,
    pub(super) outlines: Outlines,
    pub(super) marks: Vec<Mark>,
    /// Ends of the offending edges, and their neighbours: never thinned.
    pub(super) kept: BTreeSet<usize>,
    /// Violations without a place.
    pub(super) unplaced: usize,
    unplaced_codes: Vec<Code>,
    features: usize,
    valid: usize,
}

impl Sketch {
    /// That of a judged file.
    pub(crate) fn of(file: File<'_>) -> Self {
        let mut marks = Vec::new();
        let mut unplaced_codes = Vec::new();
        let mut kept = BTreeSet::new();
        for violation in file.survey.violations() {
            if let Some(at) = file.position(violation) {
                marks.push(mark(&file, violation, at));
                keep(violation, file.outlines(), &mut kept);
            } else {
                unplaced_codes.push(violation.code);
            }
        }
        Self {
            name: file.name.to_owned(),
            marks,
            kept,
            unplaced: unplaced_codes.len(),
            unplaced_codes,
            features: file.survey.features.len(),
            valid: file.survey.valid(),
            outlines: file.into_outlines(),
        }
    }

    /// The code of every violation.
    pub(super) fn codes(&self) -> impl Iterator<Item = Code> {
        let marked = self.marks.iter().map(|mark| mark.code);
        marked.chain(self.unplaced_codes.iter().copied())
    }

    /// One line about the file.
    pub(super) fn sum(&self) -> String {
        let (name, all, valid) = (&self.name, self.features, self.valid);
        let noun = if all == 1 { "feature" } else { "features" };
        format!("{name}: {all} {noun}, {valid} valid, {} not", all - valid)
    }
}

fn mark(file: &File<'_>, violation: &Violation, at: [f64; 2]) -> Mark {
    let code = violation.code;
    let place = violation.byte_offset.map(|offset| file.place(offset));
    let place = place.map_or(String::new(), |(line, column)| format!("{line}:{column}: "));
    let end = violation.location_end;
    Mark {
        at,
        end: end.filter(|end| end.iter().all(|number| number.is_finite())),
        code,
        title: format!(
            "{place}{}: {} in {}",
            code.as_str(),
            violation.message,
            violation.pointer
        ),
    }
}

fn keep(violation: &Violation, outlines: &Outlines, kept: &mut BTreeSet<usize>) {
    let other = violation.other.as_ref().map(|other| other.byte_offset);
    for offset in violation.byte_offset.into_iter().chain(other) {
        if let Some((index, row)) = outlines.at(offset) {
            let first = index.saturating_sub(1).max(row.start);
            kept.extend(first..(index + 3).min(row.end));
        }
    }
}
