//! The PostGIS sink and the one in memory give the same outcomes and end at the same map,
//! whatever happens in whatever order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::memory::MemoryMap;
use hexlane_backend::{
    DeadCount, DeadLetters, Landed, Lease, OutcomeCounts, Sink, StoredDeadLetter, Tally,
};
use hexlane_backend_postgis::{PostgisMap, Settings};
use hexlane_core::Outcome;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use support::server::Server;
use support::{lease, settings};

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<Sample>),
    Record(Vec<(Sample, u8)>),
}

fn sample() -> impl Strategy<Value = Sample> {
    // Few keys meet often; of many most are new, which the sink answers by a shorter way.
    let key = prop_oneof![0..6u8, 6..=255u8];
    (key, 0..2u8, 0..3u8, 0..5i64, 0..4u8).prop_map(|(key, payload, entity, version, kind)| {
        let sample = Sample::new(&format!("key-{key}"))
            .payload(&[payload])
            .about(&format!("entity-{entity}"), version);
        match kind {
            0 => sample.delete(),
            1 => sample.place(None),
            _ => sample,
        }
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => proptest::collection::vec(sample(), 0..9).prop_map(Step::Apply),
        1 => proptest::collection::vec((sample(), 0..30u8), 0..4).prop_map(Step::Record),
    ]
}

async fn outcomes<S: Sink + DeadLetters>(
    store: &S,
    lease: &Lease,
    step: Step,
) -> Vec<Option<Outcome>> {
    match step {
        Step::Apply(samples) => {
            let effects = samples.iter().map(Sample::effect).collect();
            let landed = store.apply(lease, effects).await.unwrap();
            let outcome = |landed: &Landed| match landed {
                Landed::Recorded(recorded) => Some(recorded.outcome()),
                Landed::Conflict => None,
            };
            landed.iter().map(outcome).collect()
        }
        Step::Record(samples) => {
            let letter = |(sample, entry): (Sample, u8)| {
                let mut letter = sample.dead_letter();
                letter.entry_ids = vec![format!("{entry}-1"), format!("{}-1", entry / 2)];
                letter.first_seen_at_us -= i64::from(entry);
                letter.attempts = u32::from(entry) + 1;
                letter
            };
            let letters = samples.into_iter().map(letter).collect();
            let recorded = store.record(lease, letters).await.unwrap();
            recorded.iter().map(|each| Some(each.outcome())).collect()
        }
    }
}

type Feature = (String, String, String, i64, String, bool);
type Seen = (
    Vec<Feature>,
    Vec<DeadCount>,
    Vec<StoredDeadLetter>,
    OutcomeCounts,
);

async fn told<S: DeadLetters + Tally>(store: &S, features: Vec<Feature>) -> Seen {
    let mut letters = Vec::new();
    for key in 0..6 {
        let key = Sample::new(&format!("key-{key}")).dead_letter().key;
        letters.extend(store.find(key).await.unwrap());
    }
    let counts = store.count().await.unwrap();
    (features, counts, letters, store.tally().await.unwrap())
}

fn features_in_memory(map: &MemoryMap) -> Vec<Feature> {
    let row = |((source, entity), feature): ((String, String), _)| {
        let hexlane_backend::memory::MemoryFeature {
            event_id,
            version,
            wkb,
            properties,
            joined: _,
        } = feature;
        let has_place = wkb.is_some();
        (
            source,
            entity,
            event_id,
            version.value,
            properties,
            has_place,
        )
    };
    map.features().into_iter().map(row).collect()
}

async fn features_in_database(server: &Server, schema: &str) -> Vec<Feature> {
    let client = server.client("map").await;
    let sql = format!(
        "SELECT source, entity, event_id, version, properties::text, geom IS NOT NULL
         FROM \"{schema}\".features ORDER BY source, entity"
    );
    let rows = client.query(&sql, &[]).await.unwrap();
    let row = |row: &tokio_postgres::Row| {
        (
            row.get(0),
            row.get(1),
            row.get(2),
            row.get(3),
            row.get(4),
            row.get(5),
        )
    };
    rows.iter().map(row).collect()
}

async fn compare(server: &Server, schema: String, steps: Vec<Step>) {
    let settings = Settings {
        schema: schema.clone(),
        ..settings(server)
    };
    let map = PostgisMap::connect(&settings).await.unwrap();
    let memory = MemoryMap::new();
    let lease = lease(&map, 7).await;
    for step in steps {
        let ours = outcomes(&map, &lease, step.clone()).await;
        let twin = outcomes(&memory, &lease, step.clone()).await;
        assert_eq!(ours, twin, "at {step:?}");
    }
    let ours = features_in_database(server, &schema).await;
    let twin = features_in_memory(&memory);
    assert_eq!(told(&map, ours).await, told(&memory, twin).await);
    map.stop().await;
}

#[test]
fn same_outcomes_and_same_map() {
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let number = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(Config {
        cases: 48,
        failure_persistence: None,
        ..Config::default()
    });
    let steps = proptest::collection::vec(step(), 1..25);
    let checked = runner.run(&steps, |steps| {
        number.set(number.get() + 1);
        runtime.block_on(compare(&server, format!("map {}", number.get()), steps));
        Ok(())
    });
    checked.unwrap();
}
