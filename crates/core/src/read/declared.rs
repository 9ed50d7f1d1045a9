//! The CRS in force at a level of the document: header, document, feature, geometry.
//!
//! The nearest declaration counts. What is wrong with another one is told only where it is
//! in force: of a collection in metres whose every feature says that it is in degrees, nothing
//! is wrong.

use super::known::{Known, Name};
use super::{Ask, Course};
use crate::code::Code;
use crate::crs::{self, CrsRule, Declared, OtherCrs};
use crate::pointer;
use crate::violation::{Report, Violation};
use std::rc::Rc;

/// The nearest declaration so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) declared: Option<Declared>,
    from_header: bool,
    /// It stands outside of every feature.
    outside: bool,
    /// What is wrong with it, or should be known of it.
    finding: Option<Rc<Violation>>,
    rule: CrsRule,
}

impl Level {
    pub(super) fn of_header(ask: &Ask<'_>) -> Self {
        let rule = ask.crs;
        let mut level = Self {
            outside: true,
            rule,
            ..Self::default()
        };
        if let Some(text) = ask.content_crs {
            let declared = crs::parse_name(text);
            level.finding = finding(&declared, rule).map(Rc::new);
            level.declared = Some(declared);
            level.from_header = !rule.from_envelope;
        }
        level
    }

    /// The level of a collection around the features.
    pub(super) fn around(&self, known: &Known<'_>, report: &mut Report) -> Self {
        Self {
            outside: true,
            ..self.nearer(known, "", report)
        }
    }

    /// The level of an object inside this one.
    pub(super) fn nearer(&self, known: &Known<'_>, pointer: &str, report: &mut Report) -> Self {
        if !known.has_any(&[Name::Crs, Name::CoordRefSys]) {
            return self.clone();
        }
        match crs::of_object(known.object) {
            Ok(None) => self.clone(),
            Ok(Some((declared, by))) => {
                let at = pointer::child(pointer, by.member);
                let contradicts = self.from_header
                    && self
                        .declared
                        .as_ref()
                        .is_some_and(|header| !crs::agree(header, &declared));
                let mut finding = finding(&declared, self.rule);
                if contradicts {
                    let message = format!(
                        "declared as `{}` here and as `{}` by Content-Crs",
                        declared.text(),
                        self.declared.as_ref().map_or("", Declared::text),
                    );
                    report
                        .push(Violation::new(Code::CrsConflict, message).at(at.as_str(), by.start));
                    finding = None;
                }
                Self {
                    declared: Some(declared),
                    from_header: self.from_header,
                    outside: false,
                    finding: finding.map(|finding| Rc::new(finding.at(at, by.start))),
                    rule: self.rule,
                }
            }
            Err(by) => {
                let message = "`crs` and `coordRefSys` name different systems";
                let at = pointer::child(pointer, by.member);
                report.push(Violation::new(Code::CrsConflict, message).at(at, by.start));
                self.clone()
            }
        }
    }

    /// Tells what is found of the declaration, which is in force in a feature: in the feature's
    /// report where it stands in it, else once for all in the document's.
    pub(super) fn tell(&self, course: &mut Course<'_>, report: &mut Report) {
        course.outside_in_force |= self.outside;
        if !self.outside {
            tell(self.finding.as_deref(), report);
        }
    }

    /// Tells what is found of the declaration of a collection's member, if it has one of its own.
    pub(super) fn tell_member(&self, collection: &Self, report: &mut Report) {
        let same = |one: &Rc<Violation>, other: &Rc<Violation>| Rc::ptr_eq(one, other);
        let inherited = self.finding.as_ref().zip(collection.finding.as_ref());
        if !inherited.is_some_and(|(own, outer)| same(own, outer)) {
            tell(self.finding.as_deref(), report);
        }
    }

    /// What is found of the declaration outside of every feature, where it is in force in one of
    /// them. With no feature it is in force nowhere, and told all the same.
    pub(super) fn tell_outside(&self, course: &Course<'_>, report: &mut Report) {
        if course.outside_in_force || course.features.is_empty() {
            tell(self.finding.as_deref(), report);
        }
    }

    /// The EPSG code from which coordinates are to be reprojected.
    pub(super) fn to_reproject(&self) -> Option<u32> {
        match &self.declared {
            Some(Declared::Known(crs, _)) if self.rule.other == OtherCrs::Reproject => {
                (!crs.is_crs84()).then(|| crs.epsg())
            }
            Some(Declared::Known(..) | Declared::Null | Declared::Unsupported(_)) | None => None,
        }
    }

    /// Whether the coordinates are longitude and latitude as they stand.
    pub(super) fn is_crs84(&self) -> bool {
        match &self.declared {
            None => true,
            Some(Declared::Known(crs, _)) => crs.is_crs84(),
            Some(Declared::Null | Declared::Unsupported(_)) => false,
        }
    }
}

/// Anything but longitude and latitude on WGS 84 is refused, unless the policy is
/// `reproject` and the system is in its list and exact enough.
fn finding(declared: &Declared, rule: CrsRule) -> Option<Violation> {
    match declared {
        Declared::Known(crs, _) if crs.is_crs84() => None,
        Declared::Known(..) if rule.other == OtherCrs::AsItStands => None,
        #[cfg(feature = "reproject")]
        Declared::Known(crs, text) if rule.other == OtherCrs::Reproject => {
            super::reproject::finding(*crs, text, rule)
        }
        Declared::Known(crs, text) => {
            let message = format!(
                "declared as `{text}` (EPSG:{}), not as OGC:CRS84",
                crs.epsg()
            );
            let mut violation = Violation::new(Code::CrsMismatch, message);
            violation.epsg = Some(crs.epsg());
            Some(violation)
        }
        Declared::Null => {
            let message = "`crs` is null, which says that the system is unknown";
            Some(Violation::new(Code::CrsUnknown, message))
        }
        Declared::Unsupported(text) => {
            let message = format!("the declaration `{text}` {}", crs::refusal(text));
            Some(Violation::new(Code::CrsUnsupported, message))
        }
    }
}

fn tell(finding: Option<&Violation>, report: &mut Report) {
    if let Some(finding) = finding {
        report.push(finding.clone());
    }
}
