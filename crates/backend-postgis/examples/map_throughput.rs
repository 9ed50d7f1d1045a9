//! How many rows a second the PostGIS sink lands, beside a raw batched `UNNEST` upsert of
//! the same rows into a table like the map's. The URL is the first argument; two schemas,
//! `throughput` and `throughput_raw`, are made anew.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement reads the clock and prints"
)]

use hexlane_backend::conformance::sample::{Sample, point_wkb};
use hexlane_backend::{Holder, Lease, Leases, Sink};
use hexlane_backend_postgis::{PostgisMap, Settings};
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;
use std::time::Instant;
use tokio_postgres::{Client, NoTls};

const ROWS: u32 = 20_000;
/// Entities a shard: half of the rows are new, half are updates.
const ENTITIES: u32 = ROWS / 2;

const RAW: &str = "
    INSERT INTO throughput_raw.features AS f
      (source, entity, event_id, version, properties, geom)
    SELECT g.source, g.entity, g.event_id, g.version, g.properties::json,
      ST_GeomFromWKB(g.wkb, 4326)
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bytea[])
      AS g (source, entity, event_id, version, properties, wkb)
    ON CONFLICT (source, entity) DO UPDATE SET event_id = excluded.event_id,
      version = excluded.version, properties = excluded.properties, geom = excluded.geom
      WHERE f.version < excluded.version";

const TABLE: &str = "
    DROP SCHEMA IF EXISTS throughput CASCADE; DROP SCHEMA IF EXISTS throughput_raw CASCADE;
    CREATE SCHEMA throughput_raw;
    CREATE TABLE throughput_raw.features (source text, entity text, event_id text,
      version bigint, properties json, geom geometry, PRIMARY KEY (source, entity));
    CREATE INDEX ON throughput_raw.features USING gist (geom)";

fn effect(shard: u16, number: u32) -> Effect {
    let mut effect = Sample::new(&format!("key-{shard}-{number}"))
        .shard(shard)
        .about(
            &format!("van-{shard}-{}", number % ENTITIES),
            i64::from(number),
        )
        .effect();
    let spread = f64::from(number % 997) / 10.0;
    effect.wkb = Some(point_wkb(spread, spread / 2.0));
    effect
}

async fn ours(map: PostgisMap, lease: Lease, batch: u32) {
    for start in (0..ROWS).step_by(batch as usize) {
        let rows = start..(start + batch).min(ROWS);
        let effects = rows
            .map(|number| effect(lease.shard.get(), number))
            .collect();
        let _landed = map.apply(&lease, effects).await.unwrap();
    }
}

async fn raw(client: Client, shard: u16, batch: u32) {
    let statement = client.prepare(RAW).await.unwrap();
    for start in (0..ROWS).step_by(batch as usize) {
        let rows: Vec<Effect> = (start..(start + batch).min(ROWS))
            .map(|number| effect(shard, number))
            .collect();
        let text = |of: fn(&Effect) -> &str| rows.iter().map(of).collect::<Vec<_>>();
        let sources = text(|row| &row.envelope.source);
        let entities = text(|row| &row.envelope.entity);
        let event_ids = text(|row| &row.envelope.event_id);
        let properties = text(|row| &row.properties);
        let versions: Vec<i64> = rows.iter().map(|row| row.envelope.version.value).collect();
        let wkbs: Vec<_> = rows.iter().map(|row| row.wkb.as_deref()).collect();
        client
            .execute(
                &statement,
                &[
                    &sources,
                    &entities,
                    &event_ids,
                    &versions,
                    &properties,
                    &wkbs,
                ],
            )
            .await
            .unwrap();
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn measure(url: &str, shards: u16, batch: u32) {
    connect(url).await.batch_execute(TABLE).await.unwrap();
    let settings = Settings {
        schema: "throughput".to_owned(),
        ..Settings::at(url)
    };
    let map = PostgisMap::connect(&settings).await.unwrap();
    let mut leases = Vec::new();
    for shard in 0..shards {
        let holder = Holder::new("throughput");
        leases.push(
            map.acquire(Shard::new(shard), &holder)
                .await
                .unwrap()
                .unwrap(),
        );
    }
    let began = Instant::now();
    let calls: Vec<_> = leases
        .into_iter()
        .map(|lease| tokio::spawn(ours(map.clone(), lease, batch)))
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    let ours = began.elapsed();
    let mut clients = Vec::new();
    for _ in 0..shards {
        clients.push(connect(url).await);
    }
    let began = Instant::now();
    let calls: Vec<_> = clients
        .into_iter()
        .zip(0..)
        .map(|(client, shard)| tokio::spawn(raw(client, shard, batch)))
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    let raw = began.elapsed();
    let rows = f64::from(ROWS) * f64::from(shards);
    println!(
        "{shards} shards, batches of {batch}: {:.0} rows/s, raw upsert {:.0} rows/s, ratio {:.2}",
        rows / ours.as_secs_f64(),
        rows / raw.as_secs_f64(),
        raw.as_secs_f64() / ours.as_secs_f64()
    );
}

#[tokio::main]
async fn main() {
    let Some(url) = std::env::args().nth(1) else {
        println!("usage: throughput postgresql://user:password@host/database");
        return;
    };
    for (shards, batch) in [(1, 100), (1, 500), (2, 500), (4, 500)] {
        measure(&url, shards, batch).await;
    }
}
