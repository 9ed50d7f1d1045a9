//! Where a layer is kept: what state it is in, and all of it.

use crate::settings::LayerFile;
use hexlane_backend::layer::LAYER_BYTES_MAX;
use hexlane_backend::{Code, Failure, LayerFeature, LayerSource, LayerStamp, Part};
use hexlane_backend_sqlite::SqliteLayer;
use hexlane_join::{LayerBuilder, LayerError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A place that layers come from. A table of PostGIS will be another one: it gives features,
/// as a GeoPackage does.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    GeoJson(PathBuf),
    GeoPackage(SqliteLayer),
}

/// A layer as it was read, not judged yet.
#[derive(Debug)]
pub(super) enum Content {
    GeoJson(Vec<u8>),
    Features(Vec<LayerFeature>),
}

impl Origin {
    pub(super) fn of(file: &LayerFile) -> Self {
        match file {
            LayerFile::GeoJson(path) => Self::GeoJson(path.clone()),
            LayerFile::GeoPackage(path, layer) => {
                Self::GeoPackage(SqliteLayer::new(path.clone(), layer.clone()))
            }
        }
    }

    pub(super) async fn stamp(&self) -> Result<LayerStamp, Failure> {
        match self {
            Self::GeoJson(path) => off_thread(path, stamp).await,
            Self::GeoPackage(layer) => layer.stamp().await,
        }
    }

    pub(super) async fn read(&self) -> Result<Content, Failure> {
        match self {
            Self::GeoJson(path) => off_thread(path, read).await.map(Content::GeoJson),
            Self::GeoPackage(layer) => layer.read().await.map(Content::Features),
        }
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

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let bytes = usize::try_from(path.metadata()?.len()).unwrap_or(usize::MAX);
    if bytes > LAYER_BYTES_MAX {
        let message = format!("{bytes} bytes are more than {LAYER_BYTES_MAX}");
        return Err(std::io::Error::other(message));
    }
    std::fs::read(path)
}
