//! A layer in memory: boxes first, then the parts whose boxes meet.

use crate::part::{IndexedPart, Part};
use crate::rules::{LayerRules, Predicate};
use crate::subject::{Bounds, Subject};
use geo::{Contains, Geometry};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{Envelope, RTree};
use std::fmt;

/// The box of a part, with the numbers of its feature and of itself.
pub(crate) type PartBox = GeomWithData<Rectangle<[f64; 2]>, (usize, usize)>;

/// A feature as it is asked.
pub(crate) struct LayerFeature {
    /// The whole of it; only where something else than a point may have to be contained.
    pub(crate) geometry: Option<Geometry<f64>>,
    /// Whether it is made of polygons alone.
    pub(crate) is_area: bool,
    pub(crate) bounds: Bounds,
    /// The chosen properties: JSON object text.
    pub(crate) properties: Box<str>,
}

/// A reference layer. Made by [`crate::LayerBuilder`], never changed.
pub struct Layer {
    pub(crate) name: String,
    pub(crate) rules: LayerRules,
    pub(crate) features: Vec<LayerFeature>,
    pub(crate) parts: Vec<IndexedPart>,
    pub(crate) boxes: RTree<PartBox>,
}

impl fmt::Debug for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (features, parts) = (self.features.len(), self.parts.len());
        formatter
            .debug_struct("Layer")
            .field("name", &self.name)
            .field("features", &features)
            .field("parts", &parts)
            .finish_non_exhaustive()
    }
}

/// The features that match, in the order of the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches<'a> {
    /// The chosen properties of those kept: JSON object texts.
    pub kept: Vec<&'a str>,
    /// How many match in all.
    pub total: usize,
}

impl Layer {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Features that can match.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// Which features match.
    #[must_use]
    pub fn matches(&self, subject: &Subject) -> Matches<'_> {
        let (mut kept, mut total) = (Vec::new(), 0);
        let Some(bounds) = &subject.bounds else {
            return Matches { kept, total };
        };
        let near = self.boxes.locate_in_envelope_intersecting(bounds);
        let mut near: Vec<(usize, usize)> = near.map(|part| part.data).collect();
        near.sort_unstable();
        for parts in near.chunk_by(|one, next| one.0 == next.0) {
            let Some(feature) = parts.first().and_then(|part| self.features.get(part.0)) else {
                continue;
            };
            if self.holds(feature, parts, subject, bounds) {
                total += 1;
                if kept.len() < self.rules.matches_max {
                    kept.push(&*feature.properties);
                }
            }
        }
        Matches { kept, total }
    }

    fn holds(
        &self,
        feature: &LayerFeature,
        near: &[(usize, usize)],
        subject: &Subject,
        bounds: &Bounds,
    ) -> bool {
        let mut near = near.iter().filter_map(|(_, part)| self.parts.get(*part));
        match self.rules.predicate {
            Predicate::Intersects => near.any(|part| intersects(part, subject)),
            Predicate::Contains if !feature.bounds.contains_envelope(bounds) => false,
            Predicate::Contains => match (&subject.geometry, &feature.geometry) {
                // A point is inside of a valid feature when it is inside of one of its parts.
                (Geometry::Point(point), _) if feature.is_area => {
                    near.any(|part| part.holds_point(point.0))
                }
                (geometry, Some(whole)) => whole.contains(geometry),
                (_, None) => false,
            },
        }
    }
}

fn intersects(part: &IndexedPart, subject: &Subject) -> bool {
    subject
        .parts
        .iter()
        .any(|other: &Part| part.intersects(other))
}
