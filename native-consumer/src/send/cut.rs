//! A file cut into features, as slices of itself: nothing is written anew.
//!
//! A `FeatureCollection` is cut into what its `features` hold, and what it says of its CRS
//! goes with each. Everything else is a piece of its own, as are the values of a file that
//! holds several, one a line or after record separators (RFC 8142).

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A file, cut.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    /// What precedes `features` in each request: the collection's CRS, as it stands.
    pub(super) header: String,
    /// The pieces, in order.
    pub(super) pieces: Vec<Piece<'a>>,
}

/// A piece of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// As it stands.
    pub(super) raw: &'a str,
    /// Whether it travels in a `FeatureCollection`, or as it stands.
    pub(super) wrapped: bool,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "even_null")]
    crs: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "coordRefSys",
        deserialize_with = "even_null"
    )]
    coord_ref_sys: Option<&'a RawValue>,
}

/// A member that is there, whatever its value: a `null` says that the CRS is unknown, and a
/// member that is not there that it is WGS 84.
fn even_null<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Before each value of an RFC 8142 sequence.
const RECORD_SEPARATOR: char = '\u{1e}';

/// Cuts a file.
///
/// # Errors
/// Where it is not JSON. Nothing of a file with a broken record is sent: what is behind it
/// would get other indices once it is mended.
pub(super) fn cut<'t>(text: &'t str) -> Result<Document<'t>, NotJson> {
    let values = values(text)?;
    if values.is_empty() {
        return Err(NotJson::Empty);
    }
    if let [only] = values.as_slice()
        && let Some(document) = collection(only.get())
    {
        return Ok(document);
    }
    let several = values.len() > 1;
    let piece = |value: &'t RawValue| Piece {
        raw: value.get(),
        wrapped: several && kind(value.get()).is_some_and(|kind| kind == "Feature"),
    };
    Ok(Document {
        header: String::new(),
        pieces: values.into_iter().map(piece).collect(),
    })
}

/// Why a file cannot be cut.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotJson {
    #[error("there is no JSON in it")]
    Empty,
    #[error("line {line}: {error}; nothing was sent, `hexlane check` tells every broken record")]
    Broken {
        /// From 1, in the file.
        line: usize,
        /// Its own line counts from the record.
        error: serde_json::Error,
    },
}

/// The values of a file, one or several.
fn values(text: &str) -> Result<Vec<&RawValue>, NotJson> {
    let (mut values, mut lines_before) = (Vec::new(), 0);
    for record in text.split(RECORD_SEPARATOR) {
        let stream = serde_json::Deserializer::from_str(record).into_iter::<&RawValue>();
        for value in stream {
            values.push(value.map_err(|error| NotJson::Broken {
                line: lines_before + error.line().max(1),
                error,
            })?);
        }
        lines_before += record.matches('\n').count();
    }
    Ok(values)
}

fn kind(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Head<'_>>(raw).ok()?.kind
}

fn member(value: &RawValue) -> Piece<'_> {
    Piece {
        raw: value.get(),
        wrapped: true,
    }
}

/// A collection that cannot be cut, because a member stands twice or has another type, is
/// a piece by itself: the door says what is wrong with it.
fn collection(raw: &str) -> Option<Document<'_>> {
    if kind(raw)? != "FeatureCollection" {
        return None;
    }
    let collection: Collection<'_> = serde_json::from_str(raw).ok()?;
    let mut header = String::new();
    for (name, value) in [
        ("crs", collection.crs),
        ("coordRefSys", collection.coord_ref_sys),
    ] {
        if let Some(value) = value {
            header.extend(["\"", name, "\":", value.get(), ","]);
        }
    }
    let pieces = collection.features.into_iter().map(member).collect();
    Some(Document { header, pieces })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raws(text: &str) -> Vec<(&str, bool)> {
        let document = cut(text).unwrap();
        document
            .pieces
            .iter()
            .map(|piece| (piece.raw, piece.wrapped))
            .collect()
    }

    #[test]
    fn features_keep_their_bytes_and_the_collection_its_crs() {
        let text = r#"{"type":"FeatureCollection","crs":{"a" :1},"features":[ {"x":1.0e0} , {} ]}"#;
        assert_eq!(raws(text), [(r#"{"x":1.0e0}"#, true), ("{}", true)]);
        assert_eq!(cut(text).unwrap().header, r#""crs":{"a" :1},"#);
    }

    #[test]
    fn lines_and_record_separated_sequences_are_cut_into_their_values() {
        let feature = r#"{"type":"Feature"}"#;
        let expected = vec![(feature, true), (r#"{"type":"Point"}"#, false)];
        assert_eq!(
            raws("{\"type\":\"Feature\"}\n{\"type\":\"Point\"}\n"),
            expected
        );
        assert_eq!(
            raws("\u{1e}{\"type\":\"Feature\"}\n\u{1e}{\"type\":\"Point\"}\n"),
            expected
        );
    }

    #[test]
    fn a_collection_with_a_member_twice_goes_as_it_stands() {
        let text = r#"{"type":"FeatureCollection","features":[],"features":[{}]}"#;
        assert_eq!(raws(text), [(text, false)]);
        assert!(cut("{\"type\":").is_err());
    }

    #[test]
    fn a_broken_record_is_told_by_its_line_in_the_file() {
        let told = |text: &str| cut(text).unwrap_err().to_string();
        assert!(told("{}\n{}\n{nope}\n{}\n").starts_with("line 3: "));
        assert!(told("\u{1e}{}\n\u{1e}{}\n\u{1e}{nope}\n").starts_with("line 3: "));
        assert!(told("\u{1e}{}\n\u{1e}{\"type\":").starts_with("line 2: "));
        assert_eq!(told(" \n\u{1e}\n"), "there is no JSON in it");
    }
}
