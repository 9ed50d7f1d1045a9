//! Where a layer is kept: what state it is in, and all of it.

use crate::settings::LayerPlace;
use hexlane_backend::layer::LAYER_BYTES_MAX;
use hexlane_backend::{Code, Failure, LayerFeature, LayerRead, LayerSource, LayerStamp, Part};
use hexlane_backend_postgis::{PostgisLayer, PostgisLayers};
use hexlane_backend_sqlite::SqliteLayer;
use hexlane_join::{LayerBuilder, LayerError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A place that layers come from.
#[derive(Debug)]
pub(super) enum Origin {
    GeoJson(PathBuf),
    GeoPackage(SqliteLayer),
    Table(PostgisLayer),
}

/// A layer as it was read, not judged yet.
#[derive(Debug)]
pub(super) enum Content {
    GeoJson(Vec<u8>),
    Features(Vec<LayerFeature>),
}

impl Origin {
    /// Tables are on that server.
    pub(super) fn of(place: &LayerPlace, server: Option<&PostgisLayers>) -> Result<Self, Failure> {
        Ok(match place {
            LayerPlace::GeoJson(path) => Self::GeoJson(path.clone()),
            LayerPlace::GeoPackage(path, layer) => {
                Self::GeoPackage(SqliteLayer::new(path.clone(), layer.clone()))
            }
            LayerPlace::Table(name, geometry) => {
                // The settings gave a server with the first table.
                let server = server.ok_or(Failure::new(Part::Layers, Code::Internal))?;
                Self::Table(server.table(name.clone(), geometry.clone()))
            }
        })
    }

    pub(super) async fn stamp(&self) -> Result<LayerStamp, Failure> {
        match self {
            Self::GeoJson(path) => off_thread(path, stamp).await,
            Self::GeoPackage(layer) => layer.stamp().await,
            Self::Table(layer) => layer.stamp().await,
        }
    }

    /// All of it, and the one state that it was in.
    pub(super) async fn read(&self) -> Result<(LayerStamp, Content), Failure> {
        let LayerRead { stamp, features } = match self {
            Self::GeoJson(path) => return off_thread(path, read).await,
            Self::GeoPackage(layer) => layer.read().await?,
            Self::Table(layer) => layer.read().await?,
        };
        Ok((stamp, Content::Features(features)))
    }
}

impl Content {
    /// Gives everything to a builder.
    pub(super) fn add_to(&self, builder: &mut LayerBuilder) -> Result<(), LayerError> {
        match self {
            Self::GeoJson(text) => builder.add_geojson(text),
            Self::Features(features) => features.iter().try_for_each(|feature| {
                builder.add_wkb(&feature.place, feature.wkb.as_deref(), &feature.properties)
            }),
        }
    }
}

/// The file system blocks.
async fn off_thread<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Path) -> std::io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let path = path.to_owned();
    let done = tokio::task::spawn_blocking(move || {
        let told = |error: std::io::Error| {
            let detail = format!("{}: {error}", path.display());
            Failure::new(Part::Layers, Code::Unavailable).with_detail(detail)
        };
        work(&path).map_err(told)
    });
    done.await
        .unwrap_or_else(|_| Err(Failure::new(Part::Layers, Code::Internal)))
}

/// A file put in the place of another has another inode, one written over another time.
fn stamp(path: &Path) -> std::io::Result<LayerStamp> {
    let found = path.metadata()?;
    let (inode, bytes) = (found.ino(), found.size());
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
    Ok(LayerStamp::new(format!(
        "{inode}/{bytes}/{seconds}.{nanos}"
    )))
}

/// What was read while it changed may be torn, whatever it looks like.
fn read(path: &Path) -> std::io::Result<(LayerStamp, Content)> {
    let before = stamp(path)?;
    let bytes = usize::try_from(path.metadata()?.len()).unwrap_or(usize::MAX);
    if bytes > LAYER_BYTES_MAX {
        let message = format!("{bytes} bytes are more than {LAYER_BYTES_MAX}");
        return Err(std::io::Error::other(message));
    }
    let text = std::fs::read(path)?;
    if stamp(path)? != before {
        return Err(std::io::Error::other("it changed while it was read"));
    }
    Ok((before, Content::GeoJson(text)))
}
