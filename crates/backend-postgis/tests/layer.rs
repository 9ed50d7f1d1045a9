//! A reference layer in a table of anybody's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::point_wkb;
use hexlane_backend::{Code, Failure, FailureKind, LayerFeature, LayerSource, LayerStamp, Part};
use hexlane_backend_postgis::{PostgisLayer, PostgisLayers, TableName};
use hexlane_servers::PASSWORD;
use std::time::Duration;
use support::server::Server;
use support::{settings, until};

const ZONES: &str = "
    CREATE SCHEMA gis;
    CREATE TABLE gis.zones (id bigint PRIMARY KEY, name text, geom geometry(Polygon, 4326));
    INSERT INTO gis.zones VALUES
      (2, 'south', ST_MakeEnvelope(0, -9, 9, 0, 4326)),
      (10, 'ten', ST_MakeEnvelope(20, 0, 29, 9, 4326)),
      (1, 'north', ST_MakeEnvelope(0, 0, 9, 9, 4326))";

async fn with(sql: &str) -> Server {
    let server = Server::start();
    server.sql("map", sql).await;
    server
}

fn layer(server: &Server, table: &str) -> PostgisLayer {
    let layers = PostgisLayers::new(&settings(server)).unwrap();
    layers.table(TableName::parse(table).unwrap(), None)
}

async fn features(layer: &PostgisLayer) -> Vec<LayerFeature> {
    layer.read().await.unwrap().features
}

async fn refused(layer: &PostgisLayer) -> Failure {
    let read = layer.read().await.map(|read| read.features.len());
    let failure = read.expect_err("refused");
    assert_eq!(failure.part, Part::Layers);
    failure
}

/// The stamp, once it is another one.
async fn until_changed(layer: &PostgisLayer, from: &LayerStamp) -> LayerStamp {
    until("another stamp", async || {
        let stamp = layer.stamp().await.unwrap();
        (stamp != *from).then_some(stamp)
    })
    .await
}

#[tokio::test]
async fn rows_come_in_the_order_of_the_key_with_every_value_and_their_place() {
    let server = with(
        r#"CREATE SCHEMA "Gis";
        CREATE TABLE "Gis"."Places @schema" (
          part int, "key" text, "odd ""name" numeric, flag boolean, at timestamptz,
          tags text[], document json, bytes bytea, g geometry(Point, 4326), p0 double precision,
          PRIMARY KEY ("key", part));
        INSERT INTO "Gis"."Places @schema" VALUES
          (2, 'a', 1.50, true, '2026-11-30 12:00+01', '{x,y}', '{"deep": "\u0000"}', '\x00',
            ST_SetSRID(ST_MakePoint(8.54, 47.37), 4326), 'NaN'),
          (1, 'b', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0.1),
          (1, 'a', 7, false, NULL, '{}', '[1]', NULL, ST_SetSRID(ST_MakePoint(1, 2), 4326), 2)"#,
    )
    .await;
    let found = features(&layer(&server, "Gis.Places @schema")).await;
    let places: Vec<&str> = found.iter().map(|found| found.place.as_str()).collect();
    assert_eq!(
        places,
        [
            "Gis.Places @schema, key a, part 1",
            "Gis.Places @schema, key a, part 2",
            "Gis.Places @schema, key b, part 1",
        ]
    );
    let geometries: Vec<_> = found.iter().map(|found| found.wkb.clone()).collect();
    let expected = [
        Some(point_wkb(1.0, 2.0)),
        Some(point_wkb(8.54, 47.37)),
        None,
    ];
    assert_eq!(geometries, expected);
    let properties: serde_json::Value = serde_json::from_str(&found[1].properties).unwrap();
    let expected = serde_json::json!({
        "part": 2, "key": "a", "odd \"name": 1.5, "flag": true, "p0": "NaN",
        "at": "2026-11-30T11:00:00+00:00", "tags": ["x", "y"], "document": {"deep": "\u{0}"},
    });
    assert_eq!(properties, expected);
}

#[tokio::test]
async fn geometry_of_any_crs_and_geography_come_in_degrees_as_postgis_transforms_them() {
    let server = with(
        "CREATE TABLE swiss (id int PRIMARY KEY, geom geometry);
         INSERT INTO swiss VALUES
           (1, ST_SetSRID('LINESTRING Z (2600000 1200000 5, 2700000 1250000 6)'::geometry, 2056)),
           (2, ST_SetSRID('POINT (951000 6002000)'::geometry, 3857)),
           (3, ST_SetSRID('POINT (8 47)'::geometry, 4326));
         CREATE TABLE round (id int PRIMARY KEY, spot geography(Point));
         INSERT INTO round VALUES (1, 'POINT (8 47)')",
    )
    .await;
    let found = features(&layer(&server, "swiss")).await;
    let client = server.client("map").await;
    for (found, id) in found.iter().zip(1..) {
        let sql = "SELECT ST_AsBinary(ST_Transform(geom, 4326)) FROM swiss WHERE id = $1";
        let row = client.query_one(sql, &[&id]).await.unwrap();
        assert_eq!(found.wkb, row.get(0), "{}", found.place);
        assert_eq!(found.properties, format!("{{\"id\":{id}}}"));
    }
    assert_eq!(found.len(), 3);
    assert_eq!(found[2].wkb, Some(point_wkb(8.0, 47.0)));
    let found = features(&layer(&server, "round")).await;
    assert_eq!(found[0].wkb, Some(point_wkb(8.0, 47.0)));
}

#[tokio::test]
async fn a_row_without_a_place_in_degrees_is_named() {
    let server = with(
        "CREATE TABLE flat (id int PRIMARY KEY, geom geometry);
         INSERT INTO flat SELECT id, ST_SetSRID(ST_MakePoint(id, id), 3857)
           FROM generate_series(1, 2000) AS g (id);
         UPDATE flat SET geom = ST_SetSRID(geom, 990001) WHERE id = 1234;
         CREATE TABLE unknown (id int PRIMARY KEY, geom geometry);
         INSERT INTO unknown VALUES (3, ST_MakePoint(1, 2)), (7, ST_MakePoint(1, 2))",
    )
    .await;
    let layer_of = |table| layer(&server, table);
    let flat = layer_of("flat");
    let failure = refused(&flat).await;
    assert_eq!(failure.code, Code::RowRefused);
    let told = failure.to_string();
    assert!(told.contains("public.flat, id 1234: "), "{told}");
    server.sql("map", "DELETE FROM flat WHERE id = 1234").await;
    assert_eq!(features(&flat).await.len(), 1999);

    let failure = refused(&layer_of("unknown")).await;
    assert_eq!(failure.code, Code::Settings);
    let told = failure.to_string();
    assert!(
        told.contains("public.unknown, id 3: its geometry has no SRID"),
        "{told}"
    );
}

#[tokio::test]
async fn what_cannot_be_a_layer_is_refused_with_its_name() {
    let server = with(&format!(
        "{ZONES};
         CREATE TABLE keyless (geom geometry);
         CREATE TABLE plain (id int PRIMARY KEY);
         CREATE TABLE several (id int PRIMARY KEY, area geometry, label geometry);
         CREATE VIEW seen AS SELECT * FROM gis.zones;
         CREATE TABLE parent (id int PRIMARY KEY, geom geometry);
         CREATE TABLE child () INHERITS (parent);
         CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'"
    ))
    .await;
    for (table, expected) in [
        ("lakes", "public.lakes is missing"),
        ("nowhere.zones", "nowhere.zones is missing"),
        ("keyless", "public.keyless has no primary key"),
        ("plain", "public.plain has no geometry column"),
        (
            "several",
            "public.several has several geometry columns, name one: `area`, `label`",
        ),
        ("seen", "public.seen is a view"),
        ("parent", "public.parent has tables that inherit from it"),
    ] {
        let layer = layer(&server, table);
        let failure = refused(&layer).await;
        assert_eq!(
            (failure.code, failure.kind),
            (Code::Settings, FailureKind::Never)
        );
        assert!(failure.to_string().contains(expected), "{failure}");
        assert_eq!(layer.stamp().await.unwrap_err(), failure);
    }
    let layers = PostgisLayers::new(&settings(&server)).unwrap();
    let named = |geometry: &str| {
        let name = TableName::parse("several").unwrap();
        layers.table(name, Some(geometry.to_owned()))
    };
    assert!(features(&named("label")).await.is_empty());
    let failure = refused(&named("shape")).await;
    assert!(
        failure.to_string().contains("no geometry column `shape`"),
        "{failure}"
    );

    let mut reader = settings(&server);
    reader.url = server.url("map").replace("postgres:", "reader:");
    let layers = PostgisLayers::new(&reader).unwrap();
    let zones = layers.table(TableName::parse("gis.zones").unwrap(), None);
    let failure = refused(&zones).await;
    assert!(
        failure
            .to_string()
            .contains("gis.zones may not be read by reader"),
        "{failure}"
    );
    let grants = "GRANT USAGE ON SCHEMA gis TO reader; GRANT SELECT ON gis.zones TO reader";
    server.sql("map", grants).await;
    assert_eq!(features(&zones).await.len(), 3, "no more rights than these");
}

#[tokio::test]
async fn the_stamp_is_another_after_every_change_and_the_same_after_none() {
    let server = with(ZONES).await;
    let zones = layer(&server, "gis.zones");
    let mut stamp = zones.read().await.unwrap().stamp;
    for change in [
        "UPDATE gis.zones SET name = 'middle' WHERE id = 1",
        "UPDATE gis.zones SET name = name",
        "DELETE FROM gis.zones WHERE id = 10",
        "INSERT INTO gis.zones SELECT 11, 'more', geom FROM gis.zones WHERE id = 1",
        "ALTER TABLE gis.zones ADD COLUMN tariff int DEFAULT 7",
        "ALTER TABLE gis.zones RENAME COLUMN tariff TO price",
        "TRUNCATE gis.zones",
        "DROP SCHEMA gis CASCADE",
    ] {
        // As another application does it, in a session that lives on.
        if change.starts_with("DROP") {
            server.sql("map", &format!("{change}; {ZONES}")).await;
        } else {
            server.sql("map", change).await;
        }
        stamp = until_changed(&zones, &stamp).await;
        let read = zones.read().await.unwrap();
        assert_eq!(read.stamp, stamp, "{change}");
    }
    let nothing = "BEGIN; UPDATE gis.zones SET name = 'x'; DELETE FROM gis.zones; ROLLBACK;
                   VACUUM (FREEZE) gis.zones; ANALYZE gis.zones";
    let client = server.client("map").await;
    for statement in nothing.split(';') {
        client.batch_execute(statement).await.unwrap();
    }
    until("the counts of what was rolled back", async || {
        let dead = "SELECT pg_stat_get_tuples_deleted('gis.zones'::regclass)";
        (server.number(dead).await >= 3).then_some(())
    })
    .await;
    assert_eq!(zones.stamp().await.unwrap(), stamp);
    assert_eq!(zones.read().await.unwrap().stamp, stamp);
}

/// A row that came and went between two looks is in neither stamp.
#[tokio::test]
async fn a_read_tells_the_stamp_of_what_it_saw() {
    let server = with(ZONES).await;
    let zones = layer(&server, "gis.zones");
    let before = zones.stamp().await.unwrap();
    let more = "INSERT INTO gis.zones SELECT 11, 'more', geom FROM gis.zones WHERE id = 1";
    server.sql("map", more).await;
    let read = zones.read().await.unwrap();
    assert_eq!(read.features.len(), 4);
    assert_ne!(read.stamp, before);
    server
        .sql("map", "DELETE FROM gis.zones WHERE id = 11")
        .await;
    assert_eq!(until_changed(&zones, &read.stamp).await, before);
}

#[tokio::test]
async fn a_change_that_was_never_counted_is_seen_all_the_same() {
    let server = with(ZONES).await;
    let wait = Duration::from_millis(300);
    let zones = layer(&server, "gis.zones").rescanned_after(wait);
    let stamp = zones.read().await.unwrap().stamp;
    let secret = "SET track_counts = off; UPDATE gis.zones SET name = 'secret' WHERE id = 2";
    server.sql("map", secret).await;
    let changed = until_changed(&zones, &stamp).await;
    let never = layer(&server, "gis.zones").rescanned_after(Duration::from_hours(1));
    assert_eq!(never.stamp().await.unwrap(), changed);
    server.sql("map", secret).await;
    until_changed(&zones, &changed).await;
    assert_eq!(
        never.stamp().await.unwrap(),
        changed,
        "the counts were believed"
    );
    // A server that counts nothing is never believed.
    server
        .sql("map", "ALTER SYSTEM SET track_counts = off")
        .await;
    server.sql("map", "SELECT pg_reload_conf()").await;
    until_changed(&never, &changed).await;
}

#[tokio::test]
async fn partitions_are_one_layer_and_a_kill_of_the_server_hides_no_change() {
    let mut server = with(
        "CREATE TABLE zones (id int PRIMARY KEY, geom geometry) PARTITION BY RANGE (id);
         CREATE TABLE zones_0 PARTITION OF zones FOR VALUES FROM (0) TO (10);
         CREATE TABLE zones_1 PARTITION OF zones FOR VALUES FROM (10) TO (20);
         INSERT INTO zones SELECT id, ST_SetSRID(ST_MakePoint(id, 1), 4326)
           FROM generate_series(1, 19) AS g (id)",
    )
    .await;
    let zones = layer(&server, "zones").rescanned_after(Duration::from_hours(1));
    let read = zones.read().await.unwrap();
    let ids: Vec<String> = read.features.into_iter().map(|found| found.place).collect();
    let expected: Vec<String> = (1..20).map(|id| format!("public.zones, id {id}")).collect();
    assert_eq!(ids, expected);
    server
        .sql("map", "UPDATE zones SET id = id WHERE id = 15")
        .await;
    let stamp = until_changed(&zones, &read.stamp).await;
    // Counts are lost in a crash, with what was not told yet.
    server
        .sql("map", "UPDATE zones SET id = id WHERE id = 15")
        .await;
    server.kill();
    server.resume();
    let seen = until("a stamp after the recovery", async || {
        zones.stamp().await.ok()
    })
    .await;
    assert_ne!(seen, stamp);
}

/// Rewritten tables look empty to a snapshot that is older: none is older than the lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_written_anew_meanwhile_is_never_half_of_itself() {
    let server = with(ZONES).await;
    let zones = layer(&server, "gis.zones");
    let client = server.client("map").await;
    let rewriting = tokio::spawn(async move {
        for _ in 0..40 {
            let anew = "BEGIN; CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM gis.zones;
                TRUNCATE gis.zones; INSERT INTO gis.zones SELECT * FROM kept; COMMIT;
                ALTER TABLE gis.zones ALTER COLUMN name TYPE varchar;
                ALTER TABLE gis.zones ALTER COLUMN name TYPE text USING name || ''";
            client.batch_execute(anew).await.unwrap();
        }
    });
    let mut reads = 0;
    while !rewriting.is_finished() {
        assert_eq!(features(&zones).await.len(), 3);
        reads += 1;
    }
    rewriting.await.unwrap();
    assert!(reads > 10, "{reads}");
}
