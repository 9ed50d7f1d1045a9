//! The CRS in force at a level of the document: header, document, feature, geometry.

use super::known::{Known, Name};
use super::{Ask, OtherCrs};
use crate::code::Code;
use crate::crs::{self, Declared};
use crate::pointer;
use crate::violation::{Report, Violation};

/// The nearest declaration so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) declared: Option<Declared>,
    from_header: bool,
    policy: OtherCrs,
}

impl Level {
    pub(super) fn of_header(ask: &Ask<'_>, report: &mut Report) -> Self {
        let policy = ask.crs;
        let Some(text) = ask.content_crs else {
            return Self {
                policy,
                ..Self::default()
            };
        };
        let declared = crs::parse_name(text);
        if let Some(violation) = fault(&declared, policy) {
            report.push(violation);
        }
        Self {
            declared: Some(declared),
            from_header: true,
            policy,
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
                if contradicts {
                    let message = format!(
                        "declared as `{}` here and as `{}` by Content-Crs",
                        declared.text(),
                        self.declared.as_ref().map_or("", Declared::text),
                    );
                    report.push(Violation::new(Code::CrsConflict, message).at(at, by.start));
                } else if let Some(violation) = fault(&declared, self.policy) {
                    report.push(violation.at(at, by.start));
                }
                Self {
                    declared: Some(declared),
                    from_header: self.from_header,
                    policy: self.policy,
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

    /// The EPSG code from which coordinates are to be reprojected.
    pub(super) fn to_reproject(&self) -> Option<u32> {
        match &self.declared {
            Some(Declared::Known(crs, _)) if self.policy == OtherCrs::Reproject => {
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
/// `reproject` and the system is in its list.
fn fault(declared: &Declared, policy: OtherCrs) -> Option<Violation> {
    match declared {
        Declared::Known(crs, _) if crs.is_crs84() => None,
        Declared::Known(..) if policy == OtherCrs::AsItStands => None,
        #[cfg(feature = "reproject")]
        Declared::Known(crs, text) if policy == OtherCrs::Reproject => {
            super::reproject::fault(*crs, text)
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
