//! A violation as it is told: the members of `errors[]` in a problem document and of the
//! report that a dead letter carries.

use super::{Counterpart, Place, Violation};
use crate::json_text::JsonText;

impl Violation {
    /// Writes it as a JSON object. Members that do not apply are left out.
    pub fn tell(&self, json: &mut JsonText) {
        let code = self.code;
        json.plain("{\"code\":");
        json.name(code.as_str());
        json.plain(",\"stage\":");
        json.name(code.stage().as_str());
        json.plain(",\"class\":");
        json.name(code.class().as_str());
        json.plain(",\"severity\":");
        json.name(code.severity().as_str());
        json.plain(",\"clause\":");
        json.string(code.clause());
        self.tell_place(json);
        json.plain(",\"message\":");
        json.string(&self.message);
        json.plain(",\"hint\":");
        json.string(code.hint());
        json.plain("}");
    }

    fn tell_place(&self, json: &mut JsonText) {
        whole(json, ",\"record\":", self.record.map(u64::from));
        whole(json, ",\"feature\":", self.feature.map(u64::from));
        json.plain(",\"pointer\":");
        json.string(&self.pointer);
        whole(json, ",\"byte_offset\":", self.byte_offset);
        position(json, ",\"location\":", self.location);
        position(json, ",\"location_end\":", self.location_end);
        if let Some(at) = self.place {
            place(json, at);
        }
        if let Some(other) = &self.other {
            other.tell(json);
        }
        whole(json, ",\"epsg\":", self.epsg.map(u64::from));
        if let Some(reason) = self.reason() {
            json.plain(",\"reason\":");
            json.string(&reason);
        }
    }
}

impl Counterpart {
    fn tell(&self, json: &mut JsonText) {
        json.plain(",\"other\":{\"pointer\":");
        json.string(&self.pointer);
        whole(json, ",\"byte_offset\":", Some(self.byte_offset));
        place(json, self.place);
        json.plain("}");
    }
}

fn whole(json: &mut JsonText, member: &str, number: Option<u64>) {
    if let Some(number) = number {
        json.plain(member);
        json.whole(number);
    }
}

fn position(json: &mut JsonText, member: &str, position: Option<[f64; 2]>) {
    if let Some([x, y]) = position {
        json.plain(member);
        json.plain("[");
        json.number(x);
        json.plain(",");
        json.number(y);
        json.plain("]");
    }
}

fn place(json: &mut JsonText, place: Place) {
    whole(json, ",\"part\":", Some(u64::from(place.part)));
    whole(json, ",\"ring\":", Some(u64::from(place.ring)));
    whole(json, ",\"vertex\":", Some(u64::from(place.vertex)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    #[test]
    fn every_member_stands_where_it_applies_and_all_is_json() {
        let at = Place {
            part: 1,
            ring: 2,
            vertex: 3,
        };
        for code in Code::ALL {
            let mut violation = Violation::new(*code, "a \"word\"")
                .at("/a\\b", 7)
                .located([1.0, -0.5], at);
            violation.record = Some(4);
            violation.feature = Some(5);
            violation.location_end = Some([1e300, 2.5]);
            violation.epsg = Some(3857);
            violation.other = Some(Counterpart {
                pointer: "/c".to_owned(),
                byte_offset: 8,
                place: at,
            });
            let mut json = JsonText::default();
            violation.tell(&mut json);
            let told: serde_json::Value = serde_json::from_slice(&json.into_bytes()).unwrap();
            let expected = serde_json::json!({
                "code": code.as_str(), "stage": code.stage().as_str(),
                "class": code.class().as_str(), "severity": code.severity().as_str(),
                "clause": code.clause(), "record": 4, "feature": 5, "pointer": "/a\\b",
                "byte_offset": 7, "location": [1.0, -0.5], "location_end": [1e300, 2.5],
                "part": 1, "ring": 2, "vertex": 3,
                "other": {"pointer": "/c", "byte_offset": 8, "part": 1, "ring": 2, "vertex": 3},
                "epsg": 3857, "reason": violation.reason(), "message": "a \"word\"",
                "hint": code.hint(),
            });
            assert_eq!(told, expected);
        }
    }

    #[test]
    fn what_does_not_apply_is_left_out() {
        let mut json = JsonText::default();
        Violation::new(Code::ParseEmpty, "empty").tell(&mut json);
        let told: serde_json::Value = serde_json::from_slice(&json.into_bytes()).unwrap();
        let members: Vec<_> = told.as_object().unwrap().keys().collect();
        let expected = [
            "class", "clause", "code", "hint", "message", "pointer", "severity", "stage",
        ];
        assert_eq!(members, expected);
    }
}
