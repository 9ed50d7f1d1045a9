//! What looks at a table of a million polygons and a read of it take, on a server of its own.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and prints"
)]

use hexlane_backend::LayerSource;
use hexlane_backend_postgis::{PostgisLayers, Settings, TableName};
use hexlane_servers::postgres::Server;
use std::time::{Duration, Instant};

const TABLE: &str = "
    CREATE TABLE many (id int PRIMARY KEY, name text, geom geometry(Polygon, 4326));
    INSERT INTO many SELECT id, 'zone ' || id, ST_Buffer(ST_SetSRID(ST_MakePoint(id % 170,
      id % 80), 4326), 0.1, 2) FROM generate_series(1, 1000000) AS g (id)";

#[tokio::main]
async fn main() {
    let server = Server::start();
    server.sql("map", TABLE).await;
    let layers = PostgisLayers::new(&Settings::at(server.url("map"))).unwrap();
    let table = || layers.table(TableName::parse("many").unwrap(), None);
    let (counted, scanned) = (table(), table().rescanned_after(Duration::ZERO));
    for _ in 0..5 {
        let since = Instant::now();
        let stamp = scanned.stamp().await.unwrap();
        println!("look, with a scan: {:?}", since.elapsed());
        assert_eq!(counted.stamp().await.unwrap(), stamp);
        let since = Instant::now();
        counted.stamp().await.unwrap();
        println!("look, by the counts: {:?}", since.elapsed());
    }
    let since = Instant::now();
    let features = counted.read().await.unwrap().features.len();
    println!("{features} rows read: {:?}", since.elapsed());
}
