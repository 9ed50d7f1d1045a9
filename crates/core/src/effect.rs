//! What an accepted event asks of the map: the event, its geometry in binary and its
//! properties as text. The consumer reads it from the envelope; under the same contract
//! it judges nothing again.

use crate::crs::{CrsRule, OtherCrs};
use crate::envelope::{CONTRACT, Envelope};
use crate::geometry::Geometry;
use crate::limits::Limits;
use crate::read::{self, Ask, Edits};
use crate::repair;
use crate::violation::{Report, Violation};

/// The door had its limits; what is told here is the first error.
const LIMITS: Limits = Limits {
    violations_max: 1,
    ..Limits::for_files()
};

/// One change of map state.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The event.
    pub envelope: Envelope,
    /// ISO well-known binary in the canonical CRS; none for a delete or null geometry.
    pub wkb: Option<Vec<u8>>,
    /// The feature's `properties` as received: JSON object text, or `null`.
    pub properties: String,
    /// What reference layers say of its place, JSON object text by layer; none when it was
    /// not joined. Reading an envelope gives none: the consumer adds it.
    pub joined: Option<String>,
}

/// Why an envelope gives no effect.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Undecodable {
    /// The payload is elsewhere: resolve the pointer first.
    #[error("the payload is behind a pointer")]
    Elsewhere,
    /// Nothing is left of the payload: no event has an empty one.
    #[error("nothing is left of the payload")]
    Lost,
    /// The payload is not what the digest was made of.
    #[error("the payload does not have the digest of its envelope")]
    Digest,
    /// The payload does not read, though the door read it.
    #[error("the payload does not read: {}", .0.first_error().map_or("", |violation| violation.message.as_str()))]
    Unreadable(Box<Report>),
}

impl Effect {
    /// Reads an envelope. Geometry comes from `derived` where the door made one.
    ///
    /// # Errors
    /// When the payload is elsewhere, lost, damaged, or does not read.
    pub fn decode(envelope: Envelope) -> Result<Self, Undecodable> {
        let payload = verified_payload(&envelope)?;
        let limits = LIMITS;
        let ask = Ask {
            limits: &limits,
            content_crs: envelope.declared_crs.as_deref(),
            crs: rule_of(&envelope),
            judge: false,
            repair: &[],
            edits: Edits::NOT_TOLD,
        };
        let mut found = None;
        let report = read::read(payload, ask, |feature| {
            let properties = if feature.whole {
                feature
                    .value
                    .member("properties")
                    .map_or("null", |value| value.raw())
            } else {
                "{}"
            };
            let wkb = feature.geometry.as_ref().map(Geometry::to_wkb);
            found = Some((wkb, properties.to_owned(), feature.report));
        });
        match found {
            Some((wkb, properties, own)) if report.errors() == 0 && own.errors() == 0 => {
                let wkb = envelope
                    .derived
                    .as_ref()
                    .map(|derived| derived.wkb.clone())
                    .or(wkb);
                Ok(Self {
                    envelope,
                    wkb,
                    properties,
                    joined: None,
                })
            }
            Some((_, _, own)) if own.errors() > 0 => Err(Undecodable::Unreadable(Box::new(own))),
            Some(_) | None => Err(Undecodable::Unreadable(Box::new(report))),
        }
    }
}

/// The rule under which the door took it.
fn rule_of(envelope: &Envelope) -> CrsRule {
    let steps = envelope.derived.iter().flat_map(|derived| &derived.steps);
    let reprojected = steps.into_iter().any(|step| repair::is_reprojection(step));
    CrsRule::of_envelope(if reprojected {
        OtherCrs::Reproject
    } else {
        OtherCrs::Refuse
    })
}

/// The derived geometry, where the payload's own is not the one to judge: it was repaired, and
/// only what came of it must stand.
fn repaired(envelope: &Envelope) -> Option<&[u8]> {
    let derived = envelope.derived.as_ref()?;
    let mut steps = derived.steps.iter();
    let only_reprojected = steps.all(|step| repair::is_reprojection(step));
    (!only_reprojected).then_some(&*derived.wkb)
}

/// The payload, once it is known to be the one that the door judged. Asked before
/// anything is judged again: a damaged payload is no disagreement between two contracts.
///
/// # Errors
/// When the payload is elsewhere, lost or damaged.
pub fn verified_payload(envelope: &Envelope) -> Result<&[u8], Undecodable> {
    let payload = envelope.inline_payload().ok_or(Undecodable::Elsewhere)?;
    if crate::digest::sha256(payload) == envelope.payload_sha256 {
        Ok(payload)
    } else if payload.is_empty() {
        Err(Undecodable::Lost)
    } else {
        Err(Undecodable::Digest)
    }
}

/// Whether an envelope was judged under another contract than this build's.
#[must_use]
pub const fn judged_elsewhere(envelope: &Envelope) -> bool {
    envelope.verdict.contract != CONTRACT
}

/// Judges an envelope's payload again, or the geometry that was repaired from it; the first
/// error, or none when it is good.
#[must_use]
pub fn judge_again(envelope: &Envelope) -> Option<Violation> {
    let payload = envelope.inline_payload()?;
    let repaired = repaired(envelope);
    let limits = LIMITS;
    let ask = Ask {
        limits: &limits,
        content_crs: envelope.declared_crs.as_deref(),
        crs: rule_of(envelope),
        judge: repaired.is_none(),
        repair: &[],
        edits: Edits::NOT_TOLD,
    };
    let mut first = None;
    let report = read::read(payload, ask, |feature| {
        first = feature.report.first_error().cloned();
    });
    let first = report.first_error().cloned().or(first);
    first.or_else(|| read::judge_derived(repaired?, &limits))
}
