//! A process that publishes, lands, records and settles is killed at random moments, and
//! the next one goes on in the same folder: nothing answered is lost, nothing lands twice.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::clock::ManualClock;
use hexlane_backend::conformance::Setup;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{
    ClaimQuery, Credit, DeadLetters, Delivery, Holder, Landed, Lease, Leases, OutcomeCounts,
    Position, Queue, RetryState, Settled, Settlement, Sink, SinkExt, Tally,
};
use hexlane_backend_sqlite::{Embedded, Settings};
use hexlane_core::Outcome;
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use support::ask;

const ROUNDS: u64 = 25;
const SEED: u64 = 0x4845_584c;
const SHARDS: u64 = 4;
const CREDIT: Credit = Credit {
    events_max: 64,
    bytes_max: 1_000_000,
};
/// Names the folder to the child; set by the parent alone.
const FOLDER: &str = "HEXLANE_KILL_TEST_FOLDER";

/// `SplitMix64`: the next number of a seed.
fn draw(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut number = *seed;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn stores(folder: &Path) -> Embedded {
    let clock = Arc::new(ManualClock::at_us(Setup::START_US));
    Embedded::open(
        &Settings {
            lease_ms: 1,
            ..support::settings(folder)
        },
        clock,
    )
    .unwrap()
}

/// The event of a number; every tenth is poison.
fn event(number: u64) -> Sample {
    let version = i64::try_from(number).unwrap();
    let shard = u16::try_from(number % SHARDS).unwrap();
    Sample::new(&format!("k-{number}"))
        .about(&format!("van-{}", number % 40), version)
        .shard(shard)
}

fn number_of(delivery: &Delivery) -> u64 {
    delivery.key().key.trim_start_matches("k-").parse().unwrap()
}

fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Tries to deliver: lands nine of ten, records the tenth dead; defers some first.
async fn deliver(stores: &Embedded, lease: &Lease, handed: Vec<Delivery>) -> Vec<Settlement> {
    let mut settlements = Vec::new();
    let (dead, good): (Vec<_>, Vec<_>) = handed
        .into_iter()
        .partition(|each| number_of(each) % 10 == 9);
    let effects: Vec<Effect> = good
        .iter()
        .map(|each| event(number_of(each)).effect())
        .collect();
    let landed = stores.map.apply_or_look_up(lease, effects).await.unwrap();
    for (delivery, landed) in good.into_iter().zip(landed) {
        let Landed::Recorded(proof) = landed else {
            panic!("no key is reused here")
        };
        tell(&format!(
            "landed {} {}",
            number_of(&delivery),
            proof.outcome().as_str()
        ));
        settlements.push(delivery.ack(proof).unwrap());
    }
    for delivery in dead {
        if delivery.retry().attempts == 0 {
            let tried = RetryState {
                attempts: 1,
                ..RetryState::default()
            };
            settlements.push(delivery.defer(tried));
            continue;
        }
        let letter = event(number_of(&delivery)).dead_letter();
        let proof = stores
            .map
            .record(lease, vec![letter])
            .await
            .unwrap()
            .remove(0);
        settlements.push(delivery.ack(proof).unwrap());
    }
    settlements
}

/// Everything pending, and one page of the new; answers whether there was any.
async fn visit(stores: &Embedded, lease: &Lease) -> bool {
    let mut any = false;
    loop {
        let pending = page(stores, lease, Position::Pending).await;
        any |= pending;
        if !pending {
            return any | page(stores, lease, Position::New).await;
        }
    }
}

/// Fetches once and brings each delivery to its end.
async fn page(stores: &Embedded, lease: &Lease, position: Position) -> bool {
    let mut handed = stores.queue.fetch(lease, position, CREDIT).await.unwrap();
    let any = !handed.is_empty();
    while !handed.is_empty() {
        let settlements = deliver(stores, lease, handed).await;
        let settled = stores.queue.settle(lease, settlements).await.unwrap();
        handed = settled.into_iter().filter_map(deferred).collect();
    }
    any
}

fn deferred(settled: Settled) -> Option<Delivery> {
    match settled {
        Settled::Acked => None,
        Settled::Deferred(delivery) => Some(delivery),
    }
}

async fn leases(stores: &Embedded) -> Vec<Lease> {
    let holder = Holder::new("child");
    let mut leases = Vec::new();
    for shard in 0..u16::try_from(SHARDS).unwrap() {
        leases.push(
            stores
                .map
                .acquire(Shard::new(shard), &holder)
                .await
                .unwrap()
                .unwrap(),
        );
    }
    leases
}

/// Publishes batches for ever, beside draining; every third number is published again.
async fn publish_for_ever(stores: &Embedded, mut number: u64) {
    loop {
        let batch: Vec<u64> = (number..number + 7).chain([number / 3]).collect();
        let envelopes = batch
            .iter()
            .map(|number| event(*number).envelope())
            .collect();
        stores.queue.publish(envelopes).await.unwrap();
        for number in batch {
            tell(&format!("published {number}"));
        }
        number += 7;
    }
}

#[test]
#[ignore = "the process that `nothing_answered_is_lost_by_a_kill` kills"]
#[expect(clippy::disallowed_methods, reason = "how the parent names the folder")]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let stores = stores(Path::new(&folder));
        let start = u64::try_from(ask(
            &Path::new(&folder).join("queue.db"),
            "SELECT coalesce(max(seq), 0) FROM entries",
        ))
        .unwrap();
        let publisher = stores.clone();
        let task = tokio::spawn(async move { publish_for_ever(&publisher, start).await });
        let leases = leases(&stores).await;
        while !task.is_finished() {
            for lease in &leases {
                visit(&stores, lease).await;
            }
        }
    });
}

fn spawn(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads what the child says, kills it after that many lines, and reads the rest.
fn run_and_kill(folder: &Path, lines_before: u64) -> Vec<String> {
    let mut child = spawn(folder);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    while (said.len() as u64) < lines_before {
        said.push(
            lines
                .next()
                .expect("the child goes on until it is killed")
                .unwrap(),
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    said.extend(lines.map_while(Result::ok));
    said
}

fn check_history(said: &[String]) -> BTreeSet<u64> {
    let mut published = BTreeSet::new();
    let mut applied: BTreeMap<u64, u32> = BTreeMap::new();
    for line in said {
        match *line.split(' ').collect::<Vec<_>>().as_slice() {
            ["published", number] => {
                published.insert(number.parse().unwrap());
            }
            ["landed", number, outcome] if outcome != Outcome::Duplicate.as_str() => {
                *applied.entry(number.parse().unwrap()).or_default() += 1;
            }
            _ => {}
        }
    }
    let twice: Vec<_> = applied.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "landed twice: {twice:?}");
    published
}

async fn check_files(folder: &Path, published: &BTreeSet<u64>) {
    let stores = stores(folder);
    for lease in leases(&stores).await {
        while visit(&stores, &lease).await {}
    }
    let left = stores.queue.backlog().await.unwrap();
    assert!(
        left.iter().all(|shard| shard.ready + shard.in_flight == 0),
        "{left:?}"
    );
    for number in published {
        let sample = event(*number);
        let found = stores
            .map
            .lookup(vec![ClaimQuery::of(&sample.effect())])
            .await
            .unwrap();
        let dead = stores.map.find(sample.dead_letter().key).await.unwrap();
        assert!(
            found[0].is_some() == dead.is_empty(),
            "{number} is in exactly one place"
        );
    }
    let tally = stores.map.tally().await.unwrap();
    stores.stop().await.unwrap();
    check_tally(folder, tally);
    let map = folder.join("map.gpkg");
    for file in ["queue.db", "map.gpkg"] {
        let check = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'";
        assert_eq!(ask(&folder.join(file), check), 0, "{file}");
    }
    let newest = "SELECT count(*) FROM features f JOIN hexlane_claims c ON c.event_id = f.event_id
                  WHERE c.state != 'applied'";
    assert_eq!(ask(&map, newest), 0, "a feature without its claim");
    let off = "SELECT count(*) FROM features WHERE fid NOT IN (SELECT id FROM rtree_features_geom)";
    assert_eq!(ask(&map, off), 0, "a feature outside the r-tree");
}

/// Every count agrees with the claims, and each entry ever published has its end.
fn check_tally(folder: &Path, tally: OutcomeCounts) {
    let ask = |file: &str, sql: &str| u64::try_from(ask(&folder.join(file), sql)).unwrap();
    let claims = |state: Outcome| {
        let state = state.as_str();
        let sql = format!("SELECT count(*) FROM hexlane_claims WHERE state = '{state}'");
        ask("map.gpkg", &sql)
    };
    assert_eq!(tally.applied, claims(Outcome::Applied), "{tally:?}");
    assert_eq!(tally.stale, claims(Outcome::Stale), "{tally:?}");
    assert!(tally.dead >= claims(Outcome::Dead), "{tally:?}");
    let entries = ask("queue.db", "SELECT seq FROM sqlite_sequence");
    let ended = tally.applied + tally.stale + tally.duplicate + tally.dead;
    assert!(ended >= entries, "{entries} entries, {tally:?}");
    eprintln!("{entries} entries, {tally:?}");
}

#[test]
fn nothing_answered_is_lost_by_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut seed = SEED;
    let mut said = Vec::new();
    for round in 0..ROUNDS {
        let lines_before = 1 + draw(&mut seed) % 600;
        eprintln!("seed {SEED:#x}, round {round}: killed after {lines_before} lines");
        said.extend(run_and_kill(dir.path(), lines_before));
    }
    let published = check_history(&said);
    eprintln!(
        "{} events published, {} lines of history",
        published.len(),
        said.len()
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(check_files(dir.path(), &published));
}
