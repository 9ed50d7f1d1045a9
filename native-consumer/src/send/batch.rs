//! Batches: pieces that travel in one request.

use super::cut::Document;
use hexlane_core::digest::{hex, sha256};
use std::sync::Arc;

/// One request's pieces; owned, since requests outlive the cutting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    header: Arc<str>,
    pieces: Vec<Numbered>,
    wrapped: bool,
}

/// A piece and its place in the file, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) number: usize,
    raw: Arc<str>,
}

/// Packs pieces in order: at most so many, at most so many bytes; a larger one goes alone.
pub(super) fn pack(document: &Document<'_>, features_max: usize, bytes_max: usize) -> Vec<Batch> {
    let header: Arc<str> = document.header.as_str().into();
    let mut batches: Vec<Batch> = Vec::new();
    let mut bytes = 0;
    for (number, piece) in document.pieces.iter().enumerate() {
        let open = batches.last_mut().filter(|batch| {
            let room = batch.pieces.len() < features_max && bytes + piece.raw.len() < bytes_max;
            room && batch.wrapped && piece.wrapped
        });
        let raw = piece.raw.into();
        if let Some(batch) = open {
            bytes += piece.raw.len() + 1;
            batch.pieces.push(Numbered { number, raw });
        } else {
            bytes = WRAPPER_BYTES + header.len() + piece.raw.len();
            let pieces = vec![Numbered { number, raw }];
            batches.push(Batch {
                header: Arc::clone(&header),
                pieces,
                wrapped: piece.wrapped,
            });
        }
    }
    batches
}

const WRAPPER_START: &str = r#"{"type":"FeatureCollection","#;
const WRAPPER_BYTES: usize = WRAPPER_START.len() + r#""features":[]}"#.len();

impl Batch {
    /// How many features.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The features' places in the file.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().map(|piece| piece.number)
    }

    /// The place in the file of the feature at an index of the request.
    pub(super) fn number(&self, index: usize) -> Option<usize> {
        self.pieces.get(index).map(|piece| piece.number)
    }

    /// The request's body.
    pub(super) fn body(&self) -> Vec<u8> {
        let raws: Vec<&str> = self.pieces.iter().map(|piece| &*piece.raw).collect();
        if !self.wrapped {
            return raws.concat().into_bytes();
        }
        let mut body = String::from(WRAPPER_START);
        body.push_str(&self.header);
        body.push_str("\"features\":[");
        body.push_str(&raws.join(","));
        body.push_str("]}");
        body.into_bytes()
    }

    /// What a signed request is called: the same for the same bytes, over every attempt.
    pub(super) fn id(body: &[u8]) -> String {
        format!("send_{}", hex(&sha256(body)[..16]))
    }

    /// The same of some features alone, by index; none when nothing is left.
    pub(super) fn only(&self, wanted: impl Fn(usize) -> bool) -> Option<Self> {
        let pieces = self.pieces.iter().enumerate();
        let pieces: Vec<_> = pieces
            .filter(|(index, _)| wanted(*index))
            .map(|(_, piece)| piece.clone())
            .collect();
        (!pieces.is_empty()).then(|| Self {
            pieces,
            ..self.clone()
        })
    }

    /// Its two halves; none when it is one feature.
    pub(super) fn halves(&self) -> Option<[Self; 2]> {
        if self.pieces.len() < 2 {
            return None;
        }
        let (first, second) = self.pieces.split_at(self.pieces.len() / 2);
        Some([first, second].map(|half| Self {
            pieces: half.to_vec(),
            ..self.clone()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::cut;
    use super::*;

    fn bodies(text: &str, features_max: usize, bytes_max: usize) -> Vec<String> {
        let batches = pack(&cut(text).unwrap(), features_max, bytes_max);
        batches
            .iter()
            .map(|batch| String::from_utf8(batch.body()).unwrap())
            .collect()
    }

    #[test]
    fn batches_hold_to_both_limits_and_keep_the_order() {
        let text =
            r#"{"type":"FeatureCollection","crs":null,"features":[{"n":1},{"n":2},{"n":3}]}"#;
        let wrap = |inner: &str| {
            format!(r#"{{"type":"FeatureCollection","crs":null,"features":[{inner}]}}"#)
        };
        let two = [wrap(r#"{"n":1},{"n":2}"#), wrap(r#"{"n":3}"#)];
        assert_eq!(bodies(text, 2, 1_000), two);
        let fits_two = WRAPPER_BYTES + r#""crs":null,"#.len() + 16;
        assert_eq!(bodies(text, 9, fits_two), two);
        assert_eq!(bodies(text, 9, 1).len(), 3);
    }

    #[test]
    fn a_feature_and_a_geometry_go_as_they_stand() {
        for text in [r#"{"type":"Feature"}"#, r#"{"type":"Point"}"#] {
            assert_eq!(bodies(text, 500, 1_000), [text]);
        }
    }

    #[test]
    fn what_is_left_keeps_its_numbers() {
        let lines = "{\"type\":\"Feature\"}\n".repeat(5);
        let batch = pack(&cut(&lines).unwrap(), 9, 1_000).remove(0);
        let rest = batch.only(|index| index != 1 && index != 3).unwrap();
        assert_eq!(rest.numbers().collect::<Vec<_>>(), [0, 2, 4]);
        let [first, second] = rest.halves().unwrap();
        assert_eq!((first.len(), second.len()), (1, 2));
        assert!(rest.only(|_| false).is_none());
    }
}
