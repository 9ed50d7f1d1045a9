//! A repaired copy of a file: only what a repair changed has other bytes.
//!
//! A feature that cannot be repaired stays as it is, and the copy says why. The copy is judged
//! again from its bytes, and refused where it is not what the repairs promised.

use crate::file::File;
use crate::form::Form;
use crate::printable::printable;
use crate::survey::{State, Survey};
use hexlane_core::code::{Code, Severity};
use hexlane_core::judge::{Edit, Surveyed, Terms};
use hexlane_core::limits::Limits;
use hexlane_core::repair::{Change, Step};
use hexlane_core::violation::Violation;
use serde::Serialize;
use std::io::{self, Write};

/// A repaired copy, and what was done.
#[derive(Debug)]
pub struct Fix {
    bytes: Vec<u8>,
    features: Vec<Fixed>,
    copy: Survey,
}

/// A feature that was repaired, or that was to be.
#[derive(Debug)]
struct Fixed {
    feature: u32,
    changes: Vec<Change>,
    /// Why not everything was done.
    refusals: Vec<Violation>,
}

impl Fix {
    /// Repairs a file that was judged, by those steps in that order; `crs` as for the judgement.
    ///
    /// # Errors
    /// Why there is no copy: the file is not readable, or what came of it is not what the
    /// repairs promised.
    pub fn of(file: &File<'_>, steps: &[Step], crs: Option<&str>) -> Result<Self, String> {
        if file.survey.state() == State::Unreadable {
            return Err("it is no JSON text that can be read".to_owned());
        }
        let limits = Limits::for_files();
        let terms = Terms {
            limits: &limits,
            crs,
            repair: steps,
        };
        let (mut features, mut edits) = (Vec::new(), Vec::new());
        let promised = Survey::under(file.body, file.form, &terms, |each| {
            edits.extend_from_slice(each.edits);
            features.extend(fixed(each));
        });
        let bytes = applied(file.body, &mut edits);
        let copy = again(&bytes, file.form, crs, &promised)?;
        Ok(Self {
            bytes,
            features,
            copy,
        })
    }

    /// The copy.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What there is to say of the copy as a whole.
    #[must_use]
    pub fn state(&self) -> State {
        self.copy.state()
    }

    /// Lines for a person: what was done, by feature, and how the copy stands.
    #[must_use]
    pub fn lines(&self, name: &str, copy: &str) -> Vec<String> {
        let (name, copy) = (printable(name), printable(copy));
        let mut lines = Vec::new();
        for each in &self.features {
            let feature = each.feature;
            for change in &each.changes {
                lines.push(format!("{name}: feature {feature}: {}", sentence(change)));
            }
            for refusal in &each.refusals {
                let (code, message) = (refusal.code.as_str(), printable(&refusal.message));
                lines.push(format!("{name}: feature {feature}: {code}: {message}"));
            }
        }
        let repaired = self.repaired();
        let noun = if repaired == 1 { "feature" } else { "features" };
        lines.push(format!(
            "{name}: {repaired} {noun} repaired in {copy}, {} still not valid",
            self.faulty()
        ));
        lines
    }

    fn repaired(&self) -> usize {
        let changed = self.features.iter().filter(|each| !each.changes.is_empty());
        changed.count()
    }

    fn faulty(&self) -> usize {
        self.copy.features.len() - self.copy.valid()
    }

    /// The same in JSON: one line a feature, then one of the copy.
    pub(crate) fn write_json(
        &self,
        name: &str,
        copy: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for each in &self.features {
            let line = FeatureLine {
                file: name,
                feature: each.feature,
                repaired: each.changes.iter().map(ChangeLine::of).collect(),
                not_repaired: each.refusals.iter().map(RefusalLine::of).collect(),
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        let line = CopyLine {
            file: name,
            copy,
            features_repaired: self.repaired(),
            features_not_valid: self.faulty(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }
}

fn fixed(each: &Surveyed<'_>) -> Option<Fixed> {
    let refused = each.report.violations().iter();
    let refused = refused.filter(|violation| violation.code.as_str().starts_with("repair."));
    let fixed = Fixed {
        feature: each.index,
        changes: each.changes.to_vec(),
        refusals: refused.cloned().collect(),
    };
    (!fixed.changes.is_empty() || !fixed.refusals.is_empty()).then_some(fixed)
}

/// The text with its edits; they do not overlap.
fn applied(body: &[u8], edits: &mut [Edit]) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.range.start);
    let mut bytes = Vec::with_capacity(body.len());
    let mut at = 0;
    for edit in edits {
        bytes.extend_from_slice(body.get(at..edit.range.start).unwrap_or_default());
        bytes.extend_from_slice(edit.text.as_bytes());
        at = edit.range.end;
    }
    bytes.extend_from_slice(body.get(at..).unwrap_or_default());
    bytes
}

/// Judges the copy from its bytes.
fn again(bytes: &[u8], form: Form, crs: Option<&str>, promised: &Survey) -> Result<Survey, String> {
    let copy = Survey::of(bytes, form, crs);
    if copy.features.len() != promised.features.len() {
        return Err("the copy has another number of features".to_owned());
    }
    for (has, should) in copy.features.iter().zip(&promised.features) {
        if errors(&has.violations) != errors(&should.violations) {
            let feature = has.feature.unwrap_or_default();
            let found = errors(&has.violations).first().copied();
            let found = found.map_or("nothing", Code::as_str);
            return Err(format!(
                "the copy does not read as it was written: feature {feature}, {found}"
            ));
        }
    }
    Ok(copy)
}

fn errors(violations: &[Violation]) -> Vec<Code> {
    let codes = violations.iter().map(|violation| violation.code);
    codes
        .filter(|code| code.severity() == Severity::Error)
        .collect()
}

/// What one step changed, in words.
fn sentence(change: &Change) -> String {
    let mut said = format!("repaired by {}", change.step.name());
    let mut add = |text: String| {
        said.push_str(", ");
        said.push_str(&text);
    };
    let counts = [("parts", change.parts), ("rings", change.rings)];
    for (noun, [before, after]) in counts {
        if before != after {
            add(format!("{noun} {before} to {after}"));
        }
    }
    for (count, done) in [
        (change.vertices_added, "new"),
        (change.vertices_dropped, "gone"),
        (change.vertices_moved, "moved"),
    ] {
        if count > 0 {
            let noun = if count == 1 { "vertex" } else { "vertices" };
            add(format!("{count} {noun} {done}"));
        }
    }
    if change.collapsed > 0 {
        add(format!("{} collapsed", change.collapsed));
    }
    let [before, after] = change.area;
    if before.to_bits() != after.to_bits() {
        add(format!("area {before} to {after}"));
    }
    said
}

#[derive(Serialize)]
struct FeatureLine<'a> {
    file: &'a str,
    feature: u32,
    repaired: Vec<ChangeLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_repaired: Vec<RefusalLine<'a>>,
}

#[derive(Serialize)]
struct ChangeLine {
    step: &'static str,
    parts: [usize; 2],
    rings: [usize; 2],
    area: [f64; 2],
    vertices_added: usize,
    vertices_dropped: usize,
    vertices_moved: usize,
    collapsed: usize,
}

impl ChangeLine {
    fn of(change: &Change) -> Self {
        Self {
            step: change.step.name(),
            parts: change.parts,
            rings: change.rings,
            area: change.area,
            vertices_added: change.vertices_added,
            vertices_dropped: change.vertices_dropped,
            vertices_moved: change.vertices_moved,
            collapsed: change.collapsed,
        }
    }
}

#[derive(Serialize)]
struct RefusalLine<'a> {
    code: &'static str,
    message: &'a str,
}

impl<'a> RefusalLine<'a> {
    fn of(violation: &'a Violation) -> Self {
        Self {
            code: violation.code.as_str(),
            message: &violation.message,
        }
    }
}

#[derive(Serialize)]
struct CopyLine<'a> {
    file: &'a str,
    copy: &'a str,
    features_repaired: usize,
    features_not_valid: usize,
}
