//! Making a layer: each feature read, judged, its properties chosen; then the index.

use crate::fault::{Fault, LayerError};
use crate::judge::first_fault;
use crate::layer::{Layer, LayerFeature, PartBox};
use crate::mend::mended;
use crate::part::{IndexedPart, parts_of};
use crate::rules::{Faulty, LayerRules, Predicate};
use crate::subject::{bounds_of, normalise, read_wkb};
use crate::{FAULTS_MAX, FEATURES_MAX, MATCHES_MAX, PROPERTIES_BYTES_MAX};
use geo::Geometry;
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};
use serde_json::{Map, Value};

/// A layer under construction.
pub struct LayerBuilder {
    name: String,
    rules: LayerRules,
    features: Vec<LayerFeature>,
    parts: Vec<IndexedPart>,
    boxes: Vec<PartBox>,
    taken: usize,
    faults: Vec<Fault>,
    faults_total: usize,
}

/// A layer, and what was wrong with its features.
#[derive(Debug)]
pub struct Made {
    /// The layer.
    pub layer: Layer,
    /// The first faults, in the order of the layer; at most [`FAULTS_MAX`].
    pub faults: Vec<Fault>,
    /// How many there are.
    pub faults_total: usize,
}

impl LayerBuilder {
    /// An empty layer of that name. More matches than [`MATCHES_MAX`] are not kept.
    #[must_use]
    pub fn new(name: &str, rules: LayerRules) -> Self {
        let matches_max = rules.matches_max.min(MATCHES_MAX);
        Self {
            name: name.to_owned(),
            rules: LayerRules {
                matches_max,
                ..rules
            },
            features: Vec::new(),
            parts: Vec::new(),
            boxes: Vec::new(),
            taken: 0,
            faults: Vec::new(),
            faults_total: 0,
        }
    }

    /// Takes a feature whose geometry is well-known binary, in degrees, longitude first.
    ///
    /// # Errors
    /// When the layer cannot be made with it.
    pub fn add_wkb(
        &mut self,
        place: &str,
        wkb: Option<&[u8]>,
        properties: &str,
    ) -> Result<(), LayerError> {
        let Ok(Value::Object(properties)) = serde_json::from_str(properties) else {
            let place = place.to_owned();
            return Err(LayerError::Properties { place });
        };
        let geometry = match wkb.map(read_wkb) {
            None => Err("it has no geometry".to_owned()),
            Some(read) => read.map_err(|error| error.to_string()),
        };
        self.add(place, geometry, &properties)
    }

    /// Takes every feature of a GeoJSON file.
    ///
    /// # Errors
    /// When it is no feature collection, not in degrees, or the layer cannot be made with it.
    pub fn add_geojson(&mut self, text: &[u8]) -> Result<(), LayerError> {
        for (place, feature) in crate::geojson_file::features(text)? {
            let geometry = feature.geometry.and_then(|mut geometry| {
                normalise(&mut geometry).map_err(|error| error.to_string())?;
                Ok(geometry)
            });
            self.add(&place, geometry, &feature.properties)?;
        }
        Ok(())
    }

    /// The layer.
    #[must_use]
    pub fn build(self) -> Made {
        Made {
            layer: Layer {
                name: self.name,
                rules: self.rules,
                features: self.features,
                parts: self.parts,
                boxes: RTree::bulk_load(self.boxes),
            },
            faults: self.faults,
            faults_total: self.faults_total,
        }
    }

    fn add(
        &mut self,
        place: &str,
        geometry: Result<Geometry<f64>, String>,
        properties: &Map<String, Value>,
    ) -> Result<(), LayerError> {
        self.taken += 1;
        if self.taken > FEATURES_MAX {
            return Err(LayerError::TooManyFeatures);
        }
        let Some(geometry) = self.judged(place, geometry)? else {
            return Ok(());
        };
        let properties = self.chosen(place, properties)?;
        if let Some(bounds) = bounds_of(&geometry) {
            self.index(geometry, bounds, properties);
        }
        Ok(())
    }

    /// A geometry that can be asked; none when the feature is left out.
    fn judged(
        &mut self,
        place: &str,
        geometry: Result<Geometry<f64>, String>,
    ) -> Result<Option<Geometry<f64>>, LayerError> {
        let (geometry, reason) = match geometry {
            Ok(geometry) => {
                let empty = bounds_of(&geometry).is_none();
                let empty = empty.then(|| "its geometry is empty".to_owned());
                let Some(reason) = empty.or_else(|| first_fault(&geometry)) else {
                    return Ok(Some(geometry));
                };
                (Some(geometry), reason)
            }
            Err(reason) => (None, reason),
        };
        let mended = match self.rules.faulty {
            Faulty::Refuse => {
                let place = place.to_owned();
                return Err(LayerError::Faulty { place, reason });
            }
            Faulty::LeaveOut => None,
            Faulty::Mend => geometry.as_ref().and_then(mended),
        };
        self.note(place, reason, mended.is_some());
        Ok(mended)
    }

    fn note(&mut self, place: &str, reason: String, mended: bool) {
        self.faults_total += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault {
                place: place.to_owned(),
                reason,
                mended,
            });
        }
    }

    fn chosen(&self, place: &str, all: &Map<String, Value>) -> Result<Box<str>, LayerError> {
        let text = match &self.rules.properties {
            None => serde_json::to_string(all),
            Some(names) => {
                let chosen = names.iter().filter_map(|name| all.get_key_value(name));
                serde_json::to_string(&chosen.collect::<std::collections::BTreeMap<_, _>>())
            }
        };
        let text = text.unwrap_or_else(|_| "{}".to_owned());
        if text.len() <= PROPERTIES_BYTES_MAX {
            return Ok(text.into());
        }
        Err(LayerError::PropertiesTooLarge {
            place: place.to_owned(),
            bytes: text.len(),
        })
    }

    fn index(
        &mut self,
        geometry: Geometry<f64>,
        bounds: crate::subject::Bounds,
        properties: Box<str>,
    ) {
        let number = self.features.len();
        for part in parts_of(&geometry) {
            if let Some(bounds) = part.bounds() {
                let corners = Rectangle::from_aabb(bounds);
                let numbers = (number, self.parts.len());
                self.boxes.push(GeomWithData::new(corners, numbers));
                self.parts.push(IndexedPart::new(&part));
            }
        }
        let is_area = matches!(geometry, Geometry::Polygon(_) | Geometry::MultiPolygon(_));
        self.features.push(LayerFeature {
            geometry: (self.rules.predicate == Predicate::Contains).then_some(geometry),
            is_area,
            bounds,
            properties,
        });
    }
}
