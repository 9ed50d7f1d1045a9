//! A reference layer in a GeoPackage, ours or GDAL's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Fixture;
use hexlane_backend::conformance::sample::{Sample, point_wkb};
use hexlane_backend::{Code, Failure, Holder, LayerSource, Leases, Part, Sink};
use hexlane_backend_sqlite::SqliteLayer;
use hexlane_core::lane::Shard;
use rusqlite::Connection;
use std::path::Path;
use std::process::Command;
use support::Folder;

fn layer(path: &Path, table: Option<&str>) -> SqliteLayer {
    SqliteLayer::new(path.to_owned(), table.map(str::to_owned))
}

async fn refused(layer: &SqliteLayer) -> Failure {
    let failure = layer.read().await.expect_err("refused");
    assert_eq!(failure.part, Part::Layers);
    failure
}

/// A layer as GDAL makes it of a GeoJSON file.
fn by_gdal(folder: &Path, name: &str, features: &str, more: &[&str]) {
    let file = folder.join(format!("{name}.geojson"));
    let text = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new("ogr2ogr");
    command
        .args(["-f", "GPKG", "-update", "-nln", name])
        .args(more);
    if !folder.join("zones.gpkg").exists() {
        command = Command::new("ogr2ogr");
        command.args(["-f", "GPKG", "-nln", name]).args(more);
    }
    let done = command.arg(folder.join("zones.gpkg")).arg(&file).output();
    let done = done.expect("GDAL is there (apt-get install gdal-bin)");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

const PLACES: &str = r#"
  {"type":"Feature","properties":{"name":"Zürich","size":1.5,"people":400000,"note":null},
   "geometry":{"type":"Point","coordinates":[8.54,47.37]}},
  {"type":"Feature","properties":{"name":"nowhere","size":0,"people":0,"note":"\"x\""},
   "geometry":null}"#;

#[tokio::test]
async fn a_layer_of_gdal_is_read_in_the_order_of_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    by_gdal(dir.path(), "places", PLACES, &[]);
    let features = layer(&dir.path().join("zones.gpkg"), None)
        .read()
        .await
        .unwrap()
        .features;
    assert_eq!(features.len(), 2);
    assert_eq!(
        (features[0].place.as_str(), features[1].place.as_str()),
        ("fid 1", "fid 2")
    );
    assert_eq!(features[0].wkb, Some(point_wkb(8.54, 47.37)));
    assert_eq!(features[1].wkb, None);
    let first: serde_json::Value = serde_json::from_str(&features[0].properties).unwrap();
    let expected = serde_json::json!(
        {"fid": 1, "name": "Zürich", "size": 1.5, "people": 400_000, "note": null}
    );
    assert_eq!(first, expected);
    let second: serde_json::Value = serde_json::from_str(&features[1].properties).unwrap();
    assert_eq!(second["note"], "\"x\"");
}

#[tokio::test]
async fn a_layer_must_be_named_where_there_are_several_and_exist() {
    let dir = tempfile::tempdir().unwrap();
    by_gdal(dir.path(), "places", PLACES, &[]);
    by_gdal(dir.path(), "more", PLACES, &[]);
    let file = dir.path().join("zones.gpkg");
    let failure = refused(&layer(&file, None)).await;
    assert_eq!(failure.code, Code::Settings);
    assert_eq!(
        failure.detail.unwrap(),
        "name one of its layers: `more`, `places`"
    );
    let failure = refused(&layer(&file, Some("zones"))).await;
    assert_eq!(
        failure.detail.unwrap(),
        "it has no layer `zones`: `more`, `places`"
    );
    let more = layer(&file, Some("more")).read().await.unwrap();
    assert_eq!(more.features.len(), 2);
}

#[tokio::test]
async fn a_layer_in_metres_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    by_gdal(dir.path(), "places", PLACES, &["-t_srs", "EPSG:3857"]);
    let failure = refused(&layer(&dir.path().join("zones.gpkg"), None)).await;
    assert_eq!(failure.code, Code::Settings);
    let expected = "the layer `places` is in EPSG:3857, not EPSG:4326";
    assert_eq!(failure.detail.unwrap(), expected);
}

#[tokio::test]
async fn what_is_missing_or_no_geopackage_is_said_by_its_name_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("zones.gpkg");
    let missing = layer(&file, None);
    assert_eq!(missing.stamp().await.unwrap_err().code, Code::Unavailable);
    let failure = refused(&missing).await;
    assert!(failure.detail.unwrap().contains("zones.gpkg"));
    assert!(!file.exists());
    std::fs::write(&file, "a letter, and no database at all. ".repeat(99)).unwrap();
    assert_eq!(refused(&layer(&file, None)).await.code, Code::NotAStore);
}

#[tokio::test]
async fn our_own_map_is_a_layer_too_and_its_stamp_changes_with_it() {
    let folder = Folder::new();
    let map = layer(&folder.path("map.gpkg"), Some("features"));
    assert!(map.read().await.unwrap().features.is_empty());
    let before = map.stamp().await.unwrap();
    assert_eq!(map.stamp().await.unwrap(), before);
    let lease = folder
        .leases()
        .acquire(Shard::new(7), &Holder::new("test"))
        .await;
    let effects = vec![Sample::new("a").place(Some([1.0, 2.0])).effect()];
    folder
        .sink()
        .apply(&lease.unwrap().unwrap(), effects)
        .await
        .unwrap();
    assert_ne!(map.stamp().await.unwrap(), before, "the log grew");
    let features = map.read().await.unwrap().features;
    assert_eq!(features[0].wkb, Some(point_wkb(1.0, 2.0)));
}

#[tokio::test]
async fn a_geometry_that_is_none_is_left_to_whoever_judges() {
    let dir = tempfile::tempdir().unwrap();
    by_gdal(dir.path(), "places", PLACES, &[]);
    let file = dir.path().join("zones.gpkg");
    let connection = Connection::open(&file).unwrap();
    // Without GDAL's triggers, which would look into it.
    let drops = "SELECT group_concat('DROP TRIGGER \"' || name || '\";', '') FROM sqlite_schema
                 WHERE type = 'trigger'";
    let drops: String = connection.query_row(drops, [], |row| row.get(0)).unwrap();
    let broken = "UPDATE places SET geom = x'0102' WHERE fid = 1";
    connection.execute_batch(&(drops + broken)).unwrap();
    let features = layer(&file, None).read().await.unwrap().features;
    assert_eq!(features[0].wkb.as_deref(), Some(&[1, 2][..]));
}
