//! Events that came over Redis, joined with a table of PostGIS.

use super::{
    LEAVE_OUT, LIMIT, SOURCES, check_earthquakes, countries_in, loads, send_point, until_loads,
};
use hexlane_servers::{PASSWORD, postgres, redis};
use hexlane_tests::consumer::Consumer;
use hexlane_tests::{process, tools};
use serde_json::{Value, json};
use std::process::Command;
use tokio::runtime::Runtime;

/// A zone in metres, in a table of another owner than the map's.
const ZONES: &str = "
    CREATE SCHEMA IF NOT EXISTS gis;
    CREATE TABLE gis.zones (
      id int PRIMARY KEY, zone text, area geometry(Polygon, 3857), label geometry(Point, 4326));
    INSERT INTO gis.zones SELECT 7, 'first', ST_Transform(ST_MakeEnvelope(0, 0, 9, 9, 4326), 3857),
      ST_SetSRID(ST_MakePoint(1, 1), 4326)";

struct Servers {
    redis: redis::Server,
    postgres: postgres::Server,
    runtime: Runtime,
}

impl Servers {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            redis: redis::Server::start(),
            postgres: postgres::Server::start(),
            runtime: runtime.expect("a runtime"),
        }
    }

    fn sql(&self, sql: &str) {
        self.runtime.block_on(self.postgres.sql("map", sql));
    }

    fn joined(&self, entity: &str) -> Value {
        let text: Option<String> = self.runtime.block_on(async {
            let client = self.postgres.client("map").await;
            let sql = "SELECT joined::text FROM hexlane.features WHERE entity = $1";
            let row = client.query_one(sql, &[&entity]).await;
            row.expect("the feature").get(0)
        });
        text.map_or(Value::Null, |text| {
            serde_json::from_str(&text).expect("JSON")
        })
    }

    fn consumer(&self) -> Consumer {
        let (redis, port) = (self.redis.address(), self.postgres.port);
        let settings = format!(
            r#"
            {SOURCES}
            [run]
            queue = "redis"
            map = "postgis"
            [redis]
            servers = ["{redis}"]
            [postgis]
            url = "postgresql://postgres@127.0.0.1:{port}/map"
            password_variable = "MAP_PASSWORD"
            [layers.zones]
            table = "gis.zones"
            geometry = "area"
            properties = ["zone"]
            reload_ms = 100
            [layers.countries]
            file = "countries.geojson"
            "#
        );
        let settings = settings.parse().expect("settings");
        Consumer::start_with_variables(&settings, &[("MAP_PASSWORD", PASSWORD)])
    }

    /// What was seen is forgotten, so that it is enqueued once more.
    fn forget_keys(&self) {
        for shard in 0..64 {
            for generation in ["keys", "keys:old"] {
                let key = format!("spatial.events:{{{shard:03}}}:{generation}");
                let _: u64 = self.redis.ask(&["UNLINK", &key]);
            }
        }
    }
}

fn joins(consumer: &Consumer) -> [u64; 2] {
    [
        "hexlane_delivery_events_joined_total",
        "hexlane_delivery_joins_spared_total",
    ]
    .map(|name| consumer.metric(name, ""))
}

#[test]
fn a_table_of_postgis_is_a_layer_that_follows_its_rows() {
    let servers = Servers::start();
    servers.sql(ZONES);
    let consumer = servers.consumer();
    let zone = |name: &str| json!({ "zones": [{ "zone": name }] });
    let land = |id: &str| {
        send_point(&consumer, "vans", id);
        let status = consumer.drained(LIMIT);
        assert_eq!(status["dead_letters"], json!([]), "{status}");
        status
    };
    land("van-1");
    assert_eq!(servers.joined("van-1"), zone("first"));

    let before = loads(&consumer, "loaded");
    servers.sql("UPDATE gis.zones SET zone = 'second'");
    until_loads(&consumer, "loaded", before);
    land("van-2");
    assert_eq!(servers.joined("van-2"), zone("second"));

    assert_eq!(joins(&consumer), [2, 0]);
    servers.forget_keys();
    let status = land("van-2");
    assert_eq!(status["settled"]["duplicate"], 1, "{status}");
    assert_eq!(joins(&consumer), [2, 1], "a duplicate costs no join");

    let before = loads(&consumer, "failed");
    servers.sql("DROP TABLE gis.zones");
    until_loads(&consumer, "failed", before);
    land("van-3");
    assert_eq!(
        servers.joined("van-3"),
        zone("second"),
        "the old one is kept"
    );
    let log = consumer.log();
    assert!(
        log.contains("layer.load_failed") && log.contains("gis.zones is missing"),
        "{log}"
    );

    let before = loads(&consumer, "loaded");
    servers.sql(&ZONES.replace("first", "third"));
    until_loads(&consumer, "loaded", before);
    land("van-4");
    assert_eq!(servers.joined("van-4"), zone("third"));
}

/// The map is a GeoPackage: tables need no more than a server to be read from.
#[test]
fn countries_that_gdal_imported_into_postgis_are_joined_as_geos_joins_their_geojson() {
    let postgres = postgres::Server::start();
    let port = postgres.port;
    let mut import = Command::new("ogr2ogr");
    import
        .env("PGPASSWORD", PASSWORD)
        .args(["-f", "PostgreSQL", "-nln", "countries", "-nlt", "GEOMETRY"])
        .args(["-lco", "LAUNDER=NO", "-lco", "GEOMETRY_NAME=geom"])
        .arg(format!(
            "PG:host=127.0.0.1 port={port} user=postgres dbname=map"
        ))
        .arg(tools::countries());
    drop(process::output(&mut import));
    let layers = countries_in("table = \"countries\"", LEAVE_OUT);
    let settings = format!(
        r#"
        {SOURCES}
        {layers}
        [postgis]
        url = "postgresql://postgres@127.0.0.1:{port}/map"
        password_variable = "MAP_PASSWORD"
        "#
    );
    let settings = settings.parse().expect("settings");
    let consumer = Consumer::start_with_variables(&settings, &[("MAP_PASSWORD", PASSWORD)]);
    assert!(check_earthquakes(consumer) > 0);
}
