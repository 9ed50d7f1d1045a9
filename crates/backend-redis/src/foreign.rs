//! Entries of other producers: `h3_cell`, `device_id`, `geometry`, `observed_at` and whatever
//! else, as text. Each becomes a GeoJSON feature, judged as one that came through a door,
//! under the settings of a source. The cell is computed, not believed: it stays a property.
//!
//! The same entry gives the same envelope each time it is read: the feature's members stand
//! in the entry's order, and the time of acceptance is the entry's id.

use crate::settings::Foreign;
use hexlane_backend::Body;
use hexlane_core::envelope::EnvelopeError;
use hexlane_core::judge::{Entry, Format, Judged, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_streams::entry::{GEOMETRY, OBSERVED_AT};
use serde::de::IgnoredAny;

/// Name and value.
pub(crate) type Field = (Vec<u8>, Vec<u8>);

/// What the entry is: an event, or bytes for poison.
pub(crate) fn body(id: &str, fields: &[Field], foreign: &Foreign, shard_map: ShardMap) -> Body {
    let feature = match feature(fields) {
        Ok(feature) => feature,
        Err(reason) => return unreadable(raw(fields), reason),
    };
    let request = Request {
        format: Format::Document,
        event: None,
        source: &foreign.source,
        body: feature.as_bytes(),
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: accepted_at_us(id),
    };
    let judged = judge(&request, &foreign.limits, shard_map);
    let reason = reason(&judged);
    match judged.entries.into_iter().next() {
        Some(Entry::Event(envelope)) if reason.is_none() => Body::Event(envelope),
        Some(Entry::Event(_) | Entry::DuplicateOf(_) | Entry::Refused) | None => {
            let told = reason.unwrap_or_else(|| "no event in it".to_owned());
            unreadable(feature.into_bytes(), told)
        }
    }
}

fn unreadable(bytes: Vec<u8>, reason: String) -> Body {
    Body::Unreadable {
        bytes,
        reason: EnvelopeError::Encoding(reason),
    }
}

/// The first error, and how many there are; none when it is good.
fn reason(judged: &Judged) -> Option<String> {
    let errors = judged.report.errors();
    let first = judged.report.first_error();
    (errors > 0).then(|| {
        let told = first.map_or_else(String::new, |first| {
            format!(
                "{} at `{}`: {}",
                first.code.as_str(),
                first.pointer,
                first.message
            )
        });
        format!("entry of another producer, {errors} errors; {told}")
    })
}

/// The id's milliseconds: when the server took it.
fn accepted_at_us(id: &str) -> i64 {
    let ms = id.split('-').next().and_then(|ms| ms.parse::<i64>().ok());
    ms.unwrap_or(0).saturating_mul(1_000)
}

/// The feature that an entry tells.
fn feature(fields: &[Field]) -> Result<String, String> {
    let mut geometry = None;
    let mut properties = Vec::new();
    for (name, value) in fields {
        let (name, value) = (text(name)?, text(value)?);
        if name == GEOMETRY && geometry.is_none() {
            serde_json::from_str::<IgnoredAny>(value)
                .map_err(|error| format!("`{GEOMETRY}` is not JSON: {error}"))?;
            geometry = Some(value);
        } else {
            properties.push(format!("{}:{}", quoted(name)?, property(name, value)?));
        }
    }
    let geometry = geometry.ok_or_else(|| format!("no field `{GEOMETRY}`"))?;
    let properties = properties.join(",");
    Ok(format!(
        "{{\"type\":\"Feature\",\"geometry\":{geometry},\"properties\":{{{properties}}}}}"
    ))
}

/// Times may be numbers; everything else is text, as Redis has it.
fn property(name: &str, value: &str) -> Result<String, String> {
    let number = name == OBSERVED_AT && serde_json::from_str::<serde_json::Number>(value).is_ok();
    if number {
        return Ok(value.to_owned());
    }
    quoted(value)
}

fn quoted(text: &str) -> Result<String, String> {
    serde_json::to_string(text).map_err(|error| error.to_string())
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("a field is not UTF-8: {error}"))
}

/// An entry that makes no feature, for poison: each field in a line, as it was.
fn raw(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in fields {
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(b"=");
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(b"\n");
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_core::limits::Limits;
    use hexlane_core::source::{AuthSettings, SourceSettings};

    fn foreign() -> Foreign {
        let settings = SourceSettings::new(AuthSettings::None);
        Foreign {
            source: settings.resolve("legacy", |_| None).unwrap(),
            limits: Limits::default(),
        }
    }

    fn read(fields: &[(&str, &str)]) -> Body {
        let fields = fields.iter().map(|(name, value)| {
            let (name, value) = (name.as_bytes().to_vec(), value.as_bytes().to_vec());
            (name, value)
        });
        let fields: Vec<Field> = fields.collect();
        body("1700000000123-4", &fields, &foreign(), ShardMap::default())
    }

    fn told(body: Body) -> String {
        match body {
            Body::Unreadable { reason, .. } => reason.to_string(),
            other @ (Body::Event(_) | Body::Lost) => format!("{other:?}"),
        }
    }

    const POINT: (&str, &str) = ("geometry", r#"{"type":"Point","coordinates":[8.54,47.37]}"#);

    #[test]
    fn an_entry_becomes_an_event_of_its_source() {
        let fields = [
            ("h3_cell", "861f8d7f7ffffff"),
            ("device_id", "van \"1\""),
            POINT,
            ("observed_at", "2023-11-14T22:13:20Z"),
        ];
        let Body::Event(event) = read(&fields) else {
            panic!("{}", told(read(&fields)))
        };
        assert_eq!(
            (event.source.as_str(), event.entity.as_str()),
            ("legacy", "van \"1\"")
        );
        assert_eq!(event.accepted_at_us, 1_700_000_000_123_000);
        assert!(event.cell.is_some());
        assert_eq!(
            read(&fields),
            Body::Event(event),
            "read again it is the same"
        );
    }

    #[test]
    fn a_faulty_entry_is_bytes_for_poison_with_the_reason() {
        let bow = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;
        let faulty = [("device_id", "x"), ("geometry", bow)];
        assert!(told(read(&faulty)).contains("geometry.self_intersection"));
        let open = [("geometry", r#"null},"id":"x","x":{"#)];
        assert!(told(read(&open)).contains("not JSON"));
        assert!(told(read(&[("device_id", "x")])).contains("no field `geometry`"));
        let twice = [POINT, ("a", "1"), ("a", "2")];
        assert!(
            told(read(&twice)).contains("parse.duplicate_member"),
            "{}",
            told(read(&twice))
        );
        let bytes = (b"geometry".to_vec(), b"\xff".to_vec());
        let body = body("1-1", &[bytes], &foreign(), ShardMap::default());
        let Body::Unreadable { bytes, .. } = body else {
            panic!()
        };
        assert_eq!(bytes, b"geometry=\xff\n");
    }

    #[test]
    fn a_time_may_be_a_number() {
        let fields = [(b"observed_at".to_vec(), b"1700000000".to_vec()), {
            let (name, value) = POINT;
            (name.as_bytes().to_vec(), value.as_bytes().to_vec())
        }];
        let feature = feature(&fields).unwrap();
        assert!(feature.contains("\"observed_at\":1700000000"), "{feature}");
    }
}
