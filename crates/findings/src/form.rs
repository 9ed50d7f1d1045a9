//! How a file holds its features: one document, or a sequence of them.

use serde::de::IgnoredAny;
use std::path::Path;

/// RFC 7464 section 2.1.
const SEPARATOR: u8 = 0x1e;
/// Extensions of documents.
const DOCUMENTS: [&str; 2] = ["geojson", "json"];
/// Extensions of sequences; which kind, the first byte tells, as GDAL has it.
const SEQUENCES: [&str; 6] = [
    "geojsonl",
    "geojsons",
    "geojsonseq",
    "ndgeojson",
    "ndjson",
    "jsonl",
];

/// How a file holds its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One GeoJSON object.
    Document,
    /// One GeoJSON object a line.
    Lines,
    /// One GeoJSON object behind each record separator (RFC 8142).
    Separated,
}

impl Form {
    /// The texts in it, each with one GeoJSON object; white space is left around them.
    pub(crate) fn texts(self, body: &[u8]) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Self::Document => Box::new(std::iter::once(body)),
            Self::Lines => Box::new(body.split(|byte| *byte == b'\n')),
            Self::Separated => Box::new(body.split(|byte| *byte == SEPARATOR)),
        }
    }

    /// Told by record separators, by the extension, or by a first line that is a whole JSON
    /// text with another one behind it.
    #[must_use]
    pub fn of(file: &Path, body: &[u8]) -> Self {
        let text = body.trim_ascii_start();
        let extension = extension(file);
        let is_sequence = SEQUENCES.contains(&extension.as_str());
        if text.first() == Some(&SEPARATOR) || is_sequence && text.contains(&SEPARATOR) {
            Self::Separated
        } else if is_sequence || has_lines(text) {
            Self::Lines
        } else {
            Self::Document
        }
    }
}

/// Whether a file of that name is one that a search through folders is for: GeoJSON in one
/// document or in a sequence.
#[must_use]
pub fn is_geojson(file: &Path) -> bool {
    let extension = extension(file);
    DOCUMENTS.contains(&extension.as_str()) || SEQUENCES.contains(&extension.as_str())
}

fn extension(file: &Path) -> String {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

fn has_lines(text: &[u8]) -> bool {
    let mut halves = text.splitn(2, |byte| *byte == b'\n');
    let first = halves.next().unwrap_or_default();
    let rest = halves.next().unwrap_or_default();
    !rest.trim_ascii().is_empty() && serde_json::from_slice::<IgnoredAny>(first).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_by_extension_in_any_case() {
        let names = [
            "a.geojson",
            "a.JSON",
            "a.geojsonl",
            "a.ndjson",
            "a.geojsons",
            ".json.json",
        ];
        assert!(names.iter().all(|name| is_geojson(Path::new(name))));
        let others = ["a.txt", "geojson", ".json", "a.json.gz", "a"];
        assert!(!others.iter().any(|name| is_geojson(Path::new(name))));
    }

    #[test]
    fn a_sequence_is_known_by_its_name_or_by_what_is_in_it() {
        let two = "{\"a\":1}\n{\"a\":2}\n";
        let pretty = "{\n\"a\":1\n}\n";
        let rows = [
            ("a.geojson", pretty, Form::Document),
            ("a.geojson", "{\"a\":1}\n\n", Form::Document),
            ("a.geojson", "{} {}", Form::Document),
            ("a.geojson", "{nope\n{}", Form::Document),
            ("a.geojson", two, Form::Lines),
            ("-", two, Form::Lines),
            ("-", "\u{1e}{}\n", Form::Separated),
            ("a.geojsonl", "{nope\n{}", Form::Lines),
            ("a.NDJSON", "{}", Form::Lines),
            ("a.geojsons", two, Form::Lines),
            ("a.geojsons", "{}\n\u{1e}{}\n", Form::Separated),
            ("a.geojsonl", "", Form::Lines),
        ];
        for (name, text, form) in rows {
            assert_eq!(
                Form::of(Path::new(name), text.as_bytes()),
                form,
                "{name} {text}"
            );
        }
    }
}
