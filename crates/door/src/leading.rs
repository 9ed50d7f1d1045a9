//! The one violation that a refusal as a whole is named after. Status, code, type and
//! detail are of this one and never of two.
//!
//! Which: the status is the lowest that any error asks for, 400 before 413 before 422;
//! among the errors of that status, the first in document order. A report keeps only so
//! many, and where it kept none of that status, the totals name its code and no place.

use hexlane_core::code::{Code, Severity};
use hexlane_core::violation::{Report, Violation};

/// The violation that names a refusal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leading<'a> {
    /// Its code.
    pub(crate) code: Code,
    /// Itself, when the report kept it.
    pub(crate) violation: Option<&'a Violation>,
}

impl<'a> Leading<'a> {
    /// Of a report; none when it holds no error.
    pub(crate) fn of(report: &'a Report) -> Option<Self> {
        let counted = report.totals().iter().map(|(code, _)| code);
        let counted = counted
            .filter(|code| is_error(*code))
            .min_by_key(|code| status(*code))?;
        let leads = |code: Code| is_error(code) && status(code) == status(counted);
        let kept = report.violations().iter().find(|each| leads(each.code));
        Some(Self {
            code: kept.map_or(counted, |violation| violation.code),
            violation: kept,
        })
    }

    /// The status it asks for.
    pub(crate) const fn status(self) -> u16 {
        status(self.code)
    }

    /// One line: where it stands and what it is.
    pub(crate) fn sentence(self) -> String {
        match self.violation {
            None => format!("among those left out: {}", self.code.hint()),
            Some(violation) if violation.pointer.is_empty() => {
                ["the document: ", &violation.message].concat()
            }
            Some(violation) => [&violation.pointer, ": ", &violation.message].concat(),
        }
    }
}

fn is_error(code: Code) -> bool {
    code.severity() == Severity::Error
}

/// 400 when it is not JSON or not UTF-8, 413 when it is too much, else 422.
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "every code that is not listed is 422"
)]
const fn status(code: Code) -> u16 {
    match code {
        Code::ParseEmpty
        | Code::ParseUtf8
        | Code::ParseBom
        | Code::ParseSyntax
        | Code::ParseTrailingBytes
        | Code::ParseLoneSurrogate
        | Code::ParseTruncated
        | Code::ParseSeparator => 400,
        Code::LimitBytes
        | Code::LimitDepth
        | Code::LimitFeatures
        | Code::LimitVertices
        | Code::LimitEnvelope
        | Code::GeometryTooComplex => 413,
        _ => 422,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kept_max: usize, codes: &[Code]) -> Report {
        let mut report = Report::new(kept_max);
        for (place, code) in codes.iter().enumerate() {
            let violation = Violation::new(*code, code.as_str());
            report.push(violation.at(format!("/{place}"), place));
        }
        report
    }

    #[test]
    fn the_first_in_document_order_leads_among_those_of_the_lowest_status() {
        let found = [
            Code::CrsAxisSwapped,
            Code::Collapsed,
            Code::GeometryTooComplex,
            Code::LimitVertices,
            Code::SelfIntersection,
        ];
        let report = report(9, &found);
        let leading = Leading::of(&report).unwrap();
        assert_eq!(
            (leading.status(), leading.code),
            (413, Code::GeometryTooComplex)
        );
        assert_eq!(leading.sentence(), "/2: geometry.too_complex");
    }

    #[test]
    fn a_leading_error_that_was_not_kept_is_named_without_a_place() {
        let report = report(1, &[Code::Collapsed, Code::GeometryTooComplex]);
        let leading = Leading::of(&report).unwrap();
        assert_eq!(
            (leading.status(), leading.code, leading.violation),
            (413, Code::GeometryTooComplex, None)
        );
        assert_eq!(
            leading.sentence(),
            "among those left out: simplify the geometry"
        );
    }

    #[test]
    fn warnings_lead_nothing() {
        assert!(Leading::of(&report(9, &[Code::CrsAxisSwapped])).is_none());
    }
}
