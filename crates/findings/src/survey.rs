//! A whole file judged: a finding for each feature, and one for the document when there is
//! something to say of it.

use crate::finding::Finding;
use crate::form::Form;
use hexlane_core::code::Code;
use hexlane_core::judge::{self, Records, Surveyed, Terms};
use hexlane_core::limits::Limits;
use hexlane_core::violation::{Report, Violation};
use std::collections::BTreeSet;

/// What there is to say of a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Every feature is valid, and so is the document.
    Valid,
    /// There is an error in a feature or in the document.
    Faulty,
    /// It is no JSON text that can be read.
    Unreadable,
}

/// What was found in a file.
#[derive(Debug)]
pub struct Survey {
    /// Of the document as a whole; may be empty.
    pub(crate) document: Finding,
    /// Of each feature, in document order.
    pub(crate) features: Vec<Finding>,
}

impl Survey {
    /// Judges the bytes of a file in that form, its coordinates of that system where one is said.
    #[must_use]
    pub fn of(body: &[u8], form: Form, crs: Option<&str>) -> Self {
        let limits = Limits::for_files();
        let terms = Terms {
            crs,
            ..Terms::plain(&limits)
        };
        Self::under(body, form, &terms, |_| {})
    }

    /// Judges under those terms; `visit` sees each feature.
    pub(crate) fn under(
        body: &[u8],
        form: Form,
        terms: &Terms<'_>,
        mut visit: impl FnMut(&Surveyed<'_>),
    ) -> Self {
        let mut features = Vec::new();
        let visit = |each: &Surveyed<'_>| {
            features.push(Finding {
                feature: Some(each.index),
                violations: each.report.violations().to_vec(),
            });
            visit(each);
        };
        let report = match form {
            Form::Document => judge::survey(body, terms, visit),
            Form::Lines => judge::survey_records(body, Records::Lines, terms, visit),
            Form::Separated => judge::survey_records(body, Records::Separated, terms, visit),
        };
        let mut survey = Self {
            document: Finding::default(),
            features,
        };
        survey.file(&report);
        survey
    }

    /// A violation found on the level of the document may still concern one feature, as a
    /// member that stands twice in it does.
    fn file(&mut self, report: &Report) {
        let mut touched = BTreeSet::new();
        for violation in report.violations() {
            let named = violation
                .feature
                .and_then(|feature| usize::try_from(feature).ok())
                .filter(|feature| *feature < self.features.len());
            self.finding(named).violations.push(violation.clone());
            touched.insert(named);
        }
        for named in touched {
            let violations = &mut self.finding(named).violations;
            violations.sort_by_key(|violation| violation.byte_offset);
        }
    }

    fn finding(&mut self, feature: Option<usize>) -> &mut Finding {
        let named = feature.and_then(|feature| self.features.get_mut(feature));
        named.unwrap_or(&mut self.document)
    }

    /// How many features are valid.
    #[must_use]
    pub fn valid(&self) -> usize {
        self.features
            .iter()
            .filter(|feature| feature.is_valid())
            .count()
    }

    /// Everything there is to tell, the document first.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        let document = Some(&self.document).filter(|document| !document.violations.is_empty());
        document.into_iter().chain(&self.features)
    }

    /// Every violation, the document's first.
    pub(crate) fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.findings().flat_map(|finding| &finding.violations)
    }

    /// What there is to say of the file as a whole.
    #[must_use]
    pub fn state(&self) -> State {
        if self
            .document
            .violations
            .iter()
            .any(|each| no_json(each.code))
        {
            State::Unreadable
        } else if self.findings().all(Finding::is_valid) {
            State::Valid
        } else {
            State::Faulty
        }
    }
}

/// Whether the code says that the file is no JSON text that can be read.
fn no_json(code: Code) -> bool {
    matches!(
        code,
        Code::ParseEmpty
            | Code::ParseUtf8
            | Code::ParseBom
            | Code::ParseSyntax
            | Code::ParseTrailingBytes
            | Code::ParseLoneSurrogate
            | Code::LimitDepth
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOWTIE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;

    #[test]
    fn a_bowtie_is_one_feature_with_a_located_fault() {
        let survey = Survey::of(BOWTIE.as_bytes(), Form::Document, None);
        assert_eq!(survey.state(), State::Faulty);
        assert_eq!((survey.features.len(), survey.valid()), (1, 0));
        let fault = &survey.features[0].violations[0];
        assert_eq!(fault.location, Some([0.5, 0.5]));
    }

    #[test]
    fn a_member_that_stands_twice_is_a_fault_of_its_feature() {
        let body = r#"{"type":"FeatureCollection","features":[
            {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}},
            {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":1,"a":2}}]}"#;
        let survey = Survey::of(body.as_bytes(), Form::Document, None);
        assert!(survey.document.violations.is_empty());
        assert!(survey.features[0].is_valid() && !survey.features[1].is_valid());
        assert_eq!(survey.state(), State::Faulty);
    }

    #[test]
    fn what_is_no_json_is_not_readable() {
        for body in ["", "{", "nonsense", "{} {}", "\u{feff}{}"] {
            let survey = Survey::of(body.as_bytes(), Form::Document, None);
            assert_eq!(survey.state(), State::Unreadable, "{body}");
        }
        assert_eq!(
            Survey::of(b"\xff", Form::Document, None).state(),
            State::Unreadable
        );
        assert_eq!(
            Survey::of(b"[]", Form::Document, None).state(),
            State::Faulty
        );
        assert_eq!(
            Survey::of(b"\n\n", Form::Lines, None).state(),
            State::Unreadable
        );
    }

    #[test]
    fn a_broken_record_is_a_finding_of_its_own_and_hides_none() {
        let point = r#"{"type":"Point","coordinates":[1,2]}"#;
        let told = |body: String, form| {
            let survey = Survey::of(body.as_bytes(), form, None);
            assert!(survey.document.violations.is_empty(), "{survey:?}");
            assert_eq!(survey.state(), State::Faulty);
            let of = |finding: &Finding| {
                let first = finding.violations.first();
                let code = first.map(|violation| (violation.code.as_str(), violation.byte_offset));
                (finding.feature, code)
            };
            survey.features.iter().map(of).collect::<Vec<_>>()
        };
        let lines = told(
            format!("{point}\n{{nope\n{point}\n{{\"type\":"),
            Form::Lines,
        );
        let (good, after) = (point.len() as u64, 2 * point.len() as u64);
        let expected = [
            (Some(0), None),
            (Some(1), Some(("parse.syntax", Some(good + 2)))),
            (Some(2), None),
            (Some(3), Some(("parse.truncated", Some(after + 16)))),
        ];
        assert_eq!(lines, expected);
        let separated = told(format!("{point}\n\u{1e}{point}\n"), Form::Separated);
        let expected = [
            (Some(0), Some(("parse.separator", Some(0)))),
            (Some(1), None),
        ];
        assert_eq!(separated, expected);
    }
}
