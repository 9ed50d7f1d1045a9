//! The map is a GeoPackage that others open, and its R-tree agrees with its features.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Fixture;
use hexlane_backend::conformance::sample::{Sample, point_wkb};
use hexlane_backend::{Holder, Lease, Leases, Sink};
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;
use std::path::Path;
use std::process::Command;
use support::{Folder, ask};

async fn lease(folder: &Folder) -> Lease {
    let lease = folder
        .leases()
        .acquire(Shard::new(7), &Holder::new("test"))
        .await
        .unwrap();
    lease.unwrap()
}

async fn land(folder: &Folder, effects: Vec<Effect>) {
    let lease = lease(folder).await;
    let count = effects.len();
    assert_eq!(
        folder.sink().apply(&lease, effects).await.unwrap().len(),
        count
    );
}

fn point_z(x: f64, y: f64, z: f64) -> Vec<u8> {
    let mut wkb = point_wkb(x, y);
    wkb[1..5].copy_from_slice(&1001u32.to_le_bytes());
    wkb.extend_from_slice(&z.to_le_bytes());
    wkb
}

/// Upserts that move, lose, and regain their place; deletes; returns.
fn churn() -> Vec<Effect> {
    let mut effects = Vec::new();
    for step in 0..400i64 {
        let entity = format!("van-{}", step % 60);
        let key = format!("k-{step}");
        let sample = Sample::new(&key).about(&entity, step);
        let longitude = f64::from(i32::try_from(step * 37 % 340).unwrap()) - 170.0;
        let latitude = f64::from(i32::try_from(step * 23 % 160).unwrap()) - 80.0;
        effects.push(match step % 7 {
            5 => sample.place(None).effect(),
            6 => sample.delete().effect(),
            _ => sample.place(Some([longitude, latitude])).effect(),
        });
    }
    effects
}

const DISAGREEING: &str = "
    SELECT count(*) FROM (
      SELECT fid FROM features WHERE geom NOT NULL EXCEPT SELECT id FROM rtree_features_geom
      UNION ALL
      SELECT id FROM rtree_features_geom EXCEPT SELECT fid FROM features WHERE geom NOT NULL)";

/// Features that both files show alike.
const SHOWN: &str = "
    SELECT count(*) FROM other.features theirs JOIN main.features ours
      ON ours.source = theirs.source AND ours.entity = theirs.entity
      AND ours.event_id = theirs.event_id AND ours.version = theirs.version
      AND ours.geom IS theirs.geom";

#[tokio::test]
async fn events_of_one_entity_in_one_commit_show_what_they_show_one_by_one() {
    let (at_once, one_by_one) = (Folder::new(), Folder::new());
    land(&at_once, churn()).await;
    for effect in churn() {
        land(&one_by_one, vec![effect]).await;
    }
    let maps = [at_once, one_by_one].map(|folder| (folder.path("map.gpkg"), folder));
    let count = |map: &Path| ask(map, "SELECT count(*) FROM features");
    let counts = [count(&maps[0].0), count(&maps[1].0)];
    assert!(counts[0] > 20 && counts[0] == counts[1], "{counts:?}");
    let connection = rusqlite::Connection::open(&maps[0].0).unwrap();
    connection
        .execute("ATTACH ?1 AS other", [maps[1].0.to_str().unwrap()])
        .unwrap();
    let equal: i64 = connection.query_row(SHOWN, [], |row| row.get(0)).unwrap();
    assert_eq!(equal, counts[0]);
    assert_eq!(ask(&maps[0].0, DISAGREEING), 0);
}

#[tokio::test]
async fn the_rtree_agrees_with_the_features_after_upserts_and_deletes() {
    let folder = Folder::new();
    for batch in churn().chunks(40) {
        land(&folder, batch.to_vec()).await;
    }
    let map = folder.path("map.gpkg");
    assert!(ask(&map, "SELECT count(*) FROM rtree_features_geom") > 20);
    assert_eq!(ask(&map, DISAGREEING), 0);
    assert_eq!(
        ask(&map, "SELECT rtreecheck('rtree_features_geom') = 'ok'"),
        1
    );
}

#[tokio::test]
async fn the_extent_follows_growth_and_shrinkage() {
    let folder = Folder::new();
    let map = folder.path("map.gpkg");
    let at = |key: &str, entity: &str, version, x| {
        Sample::new(key)
            .about(entity, version)
            .place(Some([x, 1.0]))
            .effect()
    };
    let width = "SELECT CAST(round(max_x - min_x) AS INTEGER) FROM gpkg_contents
                 WHERE table_name = 'features'";
    land(
        &folder,
        vec![at("a", "near", 1, 1.0), at("b", "far", 1, 101.0)],
    )
    .await;
    assert_eq!(ask(&map, width), 100);
    land(&folder, vec![at("c", "far", 2, 11.0)]).await;
    assert_eq!(ask(&map, width), 10);
    land(
        &folder,
        vec![Sample::new("d").about("far", 3).delete().effect()],
    )
    .await;
    assert_eq!(ask(&map, width), 0);
    land(
        &folder,
        vec![Sample::new("e").about("near", 3).delete().effect()],
    )
    .await;
    let none = "SELECT min_x IS NULL FROM gpkg_contents WHERE table_name = 'features'";
    assert_eq!(ask(&map, none), 1);
}

#[tokio::test]
async fn the_file_says_which_geopackage_it_is() {
    let folder = Folder::new();
    let map = folder.path("map.gpkg");
    assert_eq!(ask(&map, "PRAGMA application_id"), 0x4750_4b47);
    assert_eq!(ask(&map, "PRAGMA user_version"), 10_400);
    assert_eq!(
        ask(&map, "SELECT count(*) FROM pragma_foreign_key_check"),
        0
    );
    let triggers = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'
                    AND name IN ('rtree_features_geom_update1', 'rtree_features_geom_update3')";
    assert_eq!(ask(&map, triggers), 0, "the triggers that break upserts");
}

#[tokio::test]
async fn an_empty_geometry_has_no_rtree_row() {
    let folder = Folder::new();
    let empty = Effect {
        wkb: Some(vec![1, 7, 0, 0, 0, 0, 0, 0, 0]),
        ..Sample::new("a").about("van-1", 2).effect()
    };
    land(
        &folder,
        vec![Sample::new("b").about("van-1", 1).effect(), empty],
    )
    .await;
    let map = folder.path("map.gpkg");
    assert_eq!(
        ask(&map, "SELECT count(*) FROM features WHERE geom NOT NULL"),
        1
    );
    assert_eq!(ask(&map, "SELECT count(*) FROM rtree_features_geom"), 0);
}

/// What ogrinfo says of the file; none when it is not installed.
fn ogrinfo(map: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("ogrinfo")
        .arg("-ro")
        .arg(map)
        .args(arguments)
        .output()
        .ok()?;
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaints}");
    // GDAL before 3.7.1 says of every 1.4 file that it does not know all of 1.4.
    let too_old = |line: &&str| line.contains("v1.4.0") && line.contains("partially supported");
    let complaints: Vec<_> = complaints.lines().filter(|line| !too_old(line)).collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[tokio::test]
async fn ogrinfo_reads_the_layer_as_it_stands() {
    let folder = Folder::new();
    let three_d = |key: &str, entity: &str, x| Effect {
        wkb: Some(point_z(x, 40.0, -12.5)),
        ..Sample::new(key).about(entity, 1).effect()
    };
    land(
        &folder,
        vec![
            three_d("a", "quake-1", -120.0),
            three_d("b", "quake-2", 140.0),
        ],
    )
    .await;
    let Folder { stores, dir, .. } = folder;
    let map = dir.path().join("map.gpkg");
    // While it is written, and after the stop.
    let Some(live) = ogrinfo(&map, &["-so", "features"]) else {
        eprintln!("ogrinfo (gdal-bin) is absent: nothing is proven here");
        return;
    };
    stores.stop().await.unwrap();
    let stopped = ogrinfo(&map, &["features"]).unwrap();
    for text in [&live, &stopped] {
        assert!(text.contains("Feature Count: 2"), "{text}");
        assert!(
            text.contains("Extent: (-120.000000, 40.000000) - (140.000000, 40.000000)"),
            "{text}"
        );
        assert!(text.contains("ID[\"EPSG\",4326]"), "{text}");
    }
    assert!(stopped.contains("POINT Z (-120 40 -12.5)"), "{stopped}");
    assert!(
        stopped.contains("accepted_at (DateTime) = 2023/11/14 22:13:20"),
        "{stopped}"
    );
    let layers = ogrinfo(&map, &[]).unwrap();
    assert!(
        layers.contains("features") && layers.contains("dead_letters"),
        "{layers}"
    );
    assert!(
        !layers.contains("hexlane_"),
        "internal tables stay out of sight: {layers}"
    );
}

#[tokio::test]
async fn degrees_are_labelled_as_degrees() {
    let folder = Folder::new();
    land(&folder, vec![Sample::new("a").effect()]).await;
    let map = folder.path("map.gpkg");
    assert_eq!(ask(&map, "SELECT srs_id FROM gpkg_geometry_columns"), 4326);
    let header = "SELECT hex(substr(geom, 5, 4)) = 'E6100000' FROM features";
    assert_eq!(ask(&map, header), 1);
    let known = "SELECT count(*) FROM gpkg_spatial_ref_sys WHERE srs_id IN (4326, 3857)";
    assert_eq!(ask(&map, known), 2);
}
