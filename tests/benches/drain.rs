//! `cargo xtask bench drain`: events a second from Redis to nothing, to a GeoPackage and to
//! PostGIS, each beside what the same servers do for a loop without any promise.
//!
//! Ours reads, decodes, fences, claims, applies by version and acks; a peer reads and acks,
//! or upserts the same rows in batches of the same size, one connection, no more. Sides take
//! turns, three rounds, the median counts. It expects an empty Redis and an empty database,
//! whose addresses come by environment, and prints the rows as JSON on its last line.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock, is told by environment where the servers are, and prints"
)]

use hexlane_backend::{
    ClaimQuery, Clock, DeadCount, DeadLetter, DeadLetters, EventKey, Failure, Holder, Landed,
    Lease, Leases, Recorded, Sink, StoreError, StoredDeadLetter,
};
use hexlane_backend::{Code, Part, Queue};
use hexlane_backend_postgis::PostgisMap;
use hexlane_backend_redis::{Layout, RedisQueue, Topology};
use hexlane_backend_sqlite::{Folder, Settings as SqliteSettings, SqliteMap};
use hexlane_core::effect::Effect;
use hexlane_core::lane::{Shard, ShardMap};
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_core::{Envelope, Outcome};
use hexlane_door::{Decision, Door, DoorSettings, Head};
use hexlane_engine::{
    CoreReader, Engine, EngineSettings, Observation, Observer, SeededChance, Stores, stop_pair,
};
use hexlane_native_consumer::clock::SystemClock;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_postgres::NoTls;

type Any = Result<(), Box<dyn Error>>;

/// Some seconds of work for the slowest side.
const EVENTS: usize = 60_000;
/// Vehicles that report in turn: each entity is updated several times.
const ENTITIES: usize = 6_000;
/// Rows of one batch, ours (`delivery.batch_events_max`) and the peers'.
const BATCH: usize = 500;
const ROUNDS: usize = 3;

#[tokio::main]
async fn main() -> Any {
    let redis = variable("HEXLANE_BENCH_REDIS")?;
    let postgis = variable("HEXLANE_BENCH_POSTGIS")?;
    ensure_empty(&redis).await?;
    let bench = Bench {
        redis,
        postgis,
        envelopes: envelopes()?,
    };
    let mut rates = Vec::new();
    for round in 0..ROUNDS {
        rates.push(bench.round(round).await?);
    }
    let median = |side: usize| {
        let mut of_side: Vec<f64> = rates.iter().map(|round| round[side]).collect();
        of_side.sort_by(f64::total_cmp);
        of_side[ROUNDS / 2]
    };
    let [read, upsert, file, nothing, geopackage, map] = [0, 1, 2, 3, 4, 5].map(median);
    let rows = [
        (
            "Redis to nothing, beside XREADGROUP and XACK",
            nothing,
            read,
        ),
        (
            "Redis to GeoPackage, beside batched upserts in SQLite",
            geopackage,
            file,
        ),
        (
            "Redis to GeoPackage, beside XREADGROUP and XACK",
            geopackage,
            read,
        ),
        (
            "Redis to PostGIS, beside batched UNNEST upserts",
            map,
            upsert,
        ),
        ("Redis to PostGIS, beside XREADGROUP and XACK", map, read),
    ];
    let rows = rows.map(|(row, ours, peer)| {
        serde_json::json!({
            "row": row, "ours": ours, "peer": peer, "unit": "events/s", "ratio": ours / peer,
        })
    });
    println!("{}", serde_json::Value::from(rows.to_vec()));
    Ok(())
}

fn variable(name: &str) -> Result<String, Box<dyn Error>> {
    std::env::var(name)
        .map_err(|_| format!("{name} is not set: run `cargo xtask bench drain`").into())
}

/// What stands in the server is forgotten before each side: never what is not ours.
async fn ensure_empty(redis: &str) -> Any {
    let client = redis::Client::open(format!("redis://{redis}"))?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let keys: u64 = redis::cmd("DBSIZE").query_async(&mut connection).await?;
    if keys > 0 {
        return Err(format!("the Redis at {redis} holds {keys} keys, and must be empty").into());
    }
    Ok(())
}

/// Points of vehicles that move through a city, judged by the door as any other.
fn envelopes() -> Result<Vec<Envelope>, Box<dyn Error>> {
    let mut settings = DoorSettings::default();
    let source = SourceSettings::new(AuthSettings::None);
    settings.sources.insert("demo".to_owned(), source);
    let door: Door = settings.resolve(|_| None)?;
    let head = Head::new("POST", "/v1/events/demo").with("content-type", "application/geo+json");
    let mut envelopes = Vec::with_capacity(EVENTS);
    for (call, first) in (0..EVENTS).step_by(1_000).enumerate() {
        let features: Vec<String> = (first..(first + 1_000).min(EVENTS)).map(feature).collect();
        let body = format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            features.join(",")
        );
        let opened = door
            .open(&head)
            .map_err(|answer| format!("{}", answer.status))?;
        let now_us = 1_796_040_000_000_000 + i64::try_from(call)?;
        match opened.judge(body.as_bytes(), now_us) {
            Decision::Enqueue(enqueue) => envelopes.extend(enqueue.envelopes().cloned()),
            Decision::Answer(answer) => {
                return Err(String::from_utf8_lossy(&answer.body).into_owned().into());
            }
        }
    }
    Ok(envelopes)
}

fn feature(number: usize) -> String {
    let (entity, turn) = (number % ENTITIES, number / ENTITIES);
    let [x, y] = [entity % 80, entity / 80].map(|step| f64::from(u16::try_from(step).unwrap_or(0)));
    let moved = f64::from(u16::try_from(turn).unwrap_or(0)) / 1_000.0;
    let (longitude, latitude) = (13.0 + x / 100.0 + moved, 52.2 + y / 150.0);
    format!(
        r#"{{"type":"Feature","id":"truck-{entity}","geometry":{{"type":"Point","coordinates":[{longitude:.6},{latitude:.6}]}},"properties":{{"event_id":"e-{number}","seq":{turn},"speed":{},"status":"moving","note":"a line of text as a tracker sends it"}}}}"#,
        entity % 90,
    )
}

struct Bench {
    redis: String,
    postgis: String,
    envelopes: Vec<Envelope>,
}

impl Bench {
    /// Events a second of each side: the loop, the upserts, the file; then ours to nothing,
    /// to a file, to the database.
    async fn round(&self, round: usize) -> Result<[f64; 6], Box<dyn Error>> {
        let queue = self.filled(&format!("raw{round}")).await?;
        let read = self.raw_read(&queue.1).await?;
        let upsert = self.raw_upsert(round).await?;
        let file = self.raw_file()?;
        let nothing = self.ours(&format!("nothing{round}"), Nothing).await?;
        let folder = tempfile::tempdir()?;
        let geopackage = {
            let map = Folder::take(&SqliteSettings::in_folder(folder.path()), clock())?.map()?;
            let rate = self.ours(&format!("file{round}"), map.clone()).await?;
            map.stop().await?;
            rate
        };
        let map = {
            let mut settings = hexlane_backend_postgis::Settings::at(self.postgis.clone());
            settings.schema = format!("drain{round}");
            let map = PostgisMap::connect(&settings).await?;
            let rate = self.ours(&format!("map{round}"), map.clone()).await?;
            map.stop().await;
            rate
        };
        let rates = [read, upsert, file, nothing, geopackage, map];
        let mut told = String::new();
        for rate in rates {
            write!(told, " {rate:.0}")?;
        }
        eprintln!("round {round}:{told}");
        Ok(rates)
    }

    /// A queue with every event on it, in a server with nothing else.
    async fn filled(&self, namespace: &str) -> Result<(RedisQueue, Layout), Box<dyn Error>> {
        let layout = Layout::new(namespace, ShardMap::default())?;
        let mut settings =
            hexlane_backend_redis::Settings::at(Topology::Single(self.redis.clone()));
        settings.layout = layout.clone();
        let client = redis::Client::open(format!("redis://{}", self.redis))?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        let () = redis::cmd("FLUSHALL").query_async(&mut connection).await?;
        let queue = RedisQueue::connect(settings, clock()).await?;
        for batch in self.envelopes.chunks(BATCH) {
            queue.publish(batch.to_vec()).await?;
        }
        Ok((queue, layout))
    }

    /// The peer of reading: one connection, every shard in turn, nothing decoded.
    async fn raw_read(&self, layout: &Layout) -> Result<f64, Box<dyn Error>> {
        let client = redis::Client::open(format!("redis://{}", self.redis))?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        let mut streams = Vec::new();
        for shard in ShardMap::default().all() {
            let stream = layout.keys(shard).stream;
            let created: redis::RedisResult<()> = redis::cmd("XGROUP")
                .arg(&["CREATE", &stream, "raw", "0", "MKSTREAM"])
                .query_async(&mut connection)
                .await;
            created?;
            streams.push(stream);
        }
        let began = Instant::now();
        let mut read = 0;
        for stream in &streams {
            loop {
                let reply: Option<redis::streams::StreamReadReply> = redis::cmd("XREADGROUP")
                    .arg(&["GROUP", "raw", "one", "COUNT"])
                    .arg(BATCH)
                    .arg(&["STREAMS", stream, ">"])
                    .query_async(&mut connection)
                    .await?;
                let entries = reply.and_then(|reply| reply.keys.into_iter().next());
                let Some(entries) = entries else { break };
                let ids: Vec<String> = entries.ids.into_iter().map(|entry| entry.id).collect();
                let acked: usize = redis::cmd("XACK")
                    .arg(stream)
                    .arg("raw")
                    .arg(&ids)
                    .query_async(&mut connection)
                    .await?;
                read += acked;
            }
        }
        self.rate(read, began)
    }

    /// The peer of applying: the same rows upserted in the same batches, a commit each.
    async fn raw_upsert(&self, round: usize) -> Result<f64, Box<dyn Error>> {
        let (client, connection) = tokio_postgres::connect(&self.postgis, NoTls).await?;
        let connection = tokio::spawn(connection);
        let table = format!("raw{round}");
        client
            .batch_execute(&format!(
                "create table {table} (entity text primary key, event_id text, version bigint, \
                 properties json, geom geometry); create index on {table} using gist (geom)"
            ))
            .await?;
        let upsert = client
            .prepare(&format!(
                "insert into {table} select distinct on (entity) entity, event_id, version, \
                 properties::json, st_geomfromwkb(wkb, 4326) from unnest($1::text[], $2::text[], \
                 $3::bigint[], $4::text[], $5::bytea[]) as row (entity, event_id, version, \
                 properties, wkb) order by entity, version desc on conflict (entity) do update set \
                 event_id = excluded.event_id, version = excluded.version, properties = \
                 excluded.properties, geom = excluded.geom where {table}.version < excluded.version"
            ))
            .await?;
        let rows = self.rows()?;
        let began = Instant::now();
        for batch in rows.chunks(BATCH) {
            let entities: Vec<&str> = batch.iter().map(|row| row.entity.as_str()).collect();
            let events: Vec<&str> = batch.iter().map(|row| row.event.as_str()).collect();
            let versions: Vec<i64> = batch.iter().map(|row| row.version).collect();
            let properties: Vec<&str> = batch.iter().map(|row| row.properties.as_str()).collect();
            let wkbs: Vec<&[u8]> = batch.iter().map(|row| row.wkb.as_slice()).collect();
            client
                .execute(
                    &upsert,
                    &[&entities, &events, &versions, &properties, &wkbs],
                )
                .await?;
        }
        let rate = self.rate(rows.len(), began);
        drop(client);
        connection.await??;
        rate
    }

    /// The same in a file of SQLite with an R-tree, synced at each commit as ours is.
    fn raw_file(&self) -> Result<f64, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut file = rusqlite::Connection::open(folder.path().join("raw.db"))?;
        file.execute_batch(
            "pragma journal_mode = wal; pragma synchronous = full; create table raw (id integer \
             primary key, entity text unique, event_id text, version integer, properties text, \
             geom blob); create virtual table raw_geom using rtree (id, x0, x1, y0, y1)",
        )?;
        let rows = self.rows()?;
        let began = Instant::now();
        for batch in rows.chunks(BATCH) {
            let transaction = file.transaction()?;
            let mut upsert = transaction.prepare_cached(
                "insert into raw (entity, event_id, version, properties, geom) values (?1, ?2, \
                 ?3, ?4, ?5) on conflict (entity) do update set event_id = excluded.event_id, \
                 version = excluded.version, properties = excluded.properties, geom = \
                 excluded.geom returning id",
            )?;
            let mut index = transaction
                .prepare_cached("insert or replace into raw_geom values (?1, ?2, ?2, ?3, ?3)")?;
            for row in batch {
                let values = (
                    &row.entity,
                    &row.event,
                    row.version,
                    &row.properties,
                    &row.wkb,
                );
                let id: i64 = upsert.query_row(values, |found| found.get(0))?;
                index.execute((id, row.point[0], row.point[1]))?;
            }
            drop((upsert, index));
            transaction.commit()?;
        }
        self.rate(rows.len(), began)
    }

    fn rows(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::with_capacity(self.envelopes.len());
        for (version, envelope) in (0..).zip(&self.envelopes) {
            let effect = Effect::decode(envelope.clone())?;
            rows.push(Row {
                entity: envelope.entity.clone(),
                event: envelope.event_id.clone(),
                version,
                properties: effect.properties,
                wkb: effect.wkb.unwrap_or_default(),
                point: envelope.bbox.map_or([0.0; 2], |bbox| [bbox[0], bbox[1]]),
            });
        }
        Ok(rows)
    }

    /// Ours: the engine, from its start until every event is acked.
    async fn ours<M: Map>(&self, namespace: &str, map: M) -> Result<f64, Box<dyn Error>> {
        let (queue, _) = self.filled(namespace).await?;
        let stores = Stores {
            leases: map.clone(),
            queue: queue.clone(),
            sink: map.clone(),
            dead_letters: map,
        };
        let holder = Holder::new("bench");
        let settings = EngineSettings::for_all(holder, ShardMap::default());
        let acked = Arc::new(Acked::default());
        let engine = Engine::new(
            stores,
            settings,
            Arc::new(CoreReader),
            clock(),
            Arc::new(SeededChance::new(7)),
        )
        .observed_by(Arc::clone(&acked) as _);
        let (stop, stopping) = stop_pair();
        let began = Instant::now();
        let engine = tokio::spawn(engine.run(stopping));
        tokio::time::timeout(Duration::from_mins(5), acked.all.notified()).await?;
        let rate = self.rate(acked.events.load(Ordering::SeqCst), began);
        let batches = acked.batches.load(Ordering::SeqCst);
        eprintln!("{namespace}: {} events a batch", EVENTS / batches.max(1));
        stop.stop();
        engine.await??;
        let left: u64 = queue
            .backlog()
            .await?
            .iter()
            .map(|shard| shard.ready + shard.in_flight)
            .sum();
        if left > 0 {
            return Err(format!("{left} events are left").into());
        }
        rate
    }

    fn rate(&self, done: usize, began: Instant) -> Result<f64, Box<dyn Error>> {
        let took = began.elapsed().as_secs_f64();
        if done == self.envelopes.len() {
            Ok(f64::from(u32::try_from(done)?) / took)
        } else {
            Err(format!("{done} of {} events were done", self.envelopes.len()).into())
        }
    }
}

struct Row {
    entity: String,
    event: String,
    version: i64,
    properties: String,
    wkb: Vec<u8>,
    point: [f64; 2],
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::start())
}

/// Counts acks and batches; rings when all events have theirs.
#[derive(Default)]
struct Acked {
    events: AtomicUsize,
    batches: AtomicUsize,
    all: Notify,
}

impl Observer for Acked {
    fn observe(&self, _shard: Shard, observation: Observation) {
        if matches!(observation, Observation::Landed { .. }) {
            self.batches.fetch_add(1, Ordering::SeqCst);
        }
        if matches!(observation, Observation::Acked { .. })
            && self.events.fetch_add(1, Ordering::SeqCst) + 1 == EVENTS
        {
            self.all.notify_one();
        }
    }
}

/// Leases, sink and dead letters in one.
trait Map: Leases + Sink + DeadLetters + Clone {}

impl Map for Nothing {}
impl Map for SqliteMap {}
impl Map for PostgisMap {}

/// A map that keeps nothing: what is left is the cost of everything before it.
#[derive(Clone, Copy)]
struct Nothing;

impl Leases for Nothing {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        Ok(Some(Lease {
            shard,
            holder: holder.clone(),
            epoch: hexlane_backend::Epoch::new(1),
            lease_ms: 600_000,
            expires_at_us: i64::MAX,
        }))
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        Ok(lease.clone())
    }

    async fn release(&self, _lease: &Lease) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Sink for Nothing {
    async fn apply(&self, _lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        let landed = |effect: Effect| {
            let key = EventKey::of(&effect.envelope);
            Landed::Recorded(Recorded::by_store(key, Outcome::Applied))
        };
        Ok(effects.into_iter().map(landed).collect())
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        Ok(claims.iter().map(|_| None).collect())
    }
}

impl DeadLetters for Nothing {
    async fn record(
        &self,
        _lease: &Lease,
        _letters: Vec<DeadLetter>,
    ) -> Result<Vec<Recorded>, StoreError> {
        Err(Failure::new(Part::DeadLetters, Code::Internal).into())
    }

    async fn find(&self, _key: EventKey) -> Result<Vec<StoredDeadLetter>, Failure> {
        Ok(Vec::new())
    }

    async fn count(&self) -> Result<Vec<DeadCount>, Failure> {
        Ok(Vec::new())
    }
}
