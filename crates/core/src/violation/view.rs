//! A violation as it is told: the members of `errors[]` in a problem document and of
//! `violations[]` in the output of `hexlane check`.

use super::{Counterpart, Violation};
use serde::Serialize;

/// The serialized form of a violation. Members that do not apply are left out.
#[derive(Serialize)]
pub struct ViolationView<'a> {
    code: &'static str,
    stage: &'static str,
    class: &'static str,
    severity: &'static str,
    clause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature: Option<u32>,
    pointer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location_end: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ring: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertex: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<CounterpartView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsg: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    message: &'a str,
    hint: &'static str,
}

#[derive(Serialize)]
struct CounterpartView<'a> {
    pointer: &'a str,
    byte_offset: u64,
    part: u32,
    ring: u32,
    vertex: u32,
}

impl Violation {
    /// The form in which it is told.
    #[must_use]
    pub fn view(&self) -> ViolationView<'_> {
        ViolationView {
            code: self.code.as_str(),
            stage: self.code.stage().as_str(),
            class: self.code.class().as_str(),
            severity: self.code.severity().as_str(),
            clause: self.code.clause(),
            record: self.record,
            feature: self.feature,
            pointer: &self.pointer,
            byte_offset: self.byte_offset,
            location: self.location,
            location_end: self.location_end,
            part: self.place.map(|place| place.part),
            ring: self.place.map(|place| place.ring),
            vertex: self.place.map(|place| place.vertex),
            other: self.other.as_ref().map(Counterpart::view),
            epsg: self.epsg,
            reason: self.reason(),
            message: &self.message,
            hint: self.code.hint(),
        }
    }
}

impl Counterpart {
    fn view(&self) -> CounterpartView<'_> {
        CounterpartView {
            pointer: &self.pointer,
            byte_offset: self.byte_offset,
            part: self.place.part,
            ring: self.place.ring,
            vertex: self.place.vertex,
        }
    }
}
