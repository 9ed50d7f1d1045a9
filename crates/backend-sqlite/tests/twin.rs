//! The embedded sink and the one in memory give the same outcomes and end at the same map,
//! whatever happens in whatever order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Fixture;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::memory::MemoryMap;
use hexlane_backend::{
    DeadCount, DeadLetters, Holder, Landed, Lease, Leases, OutcomeCounts, Sink, StoredDeadLetter,
    Tally,
};
use hexlane_core::Outcome;
use hexlane_core::lane::Shard;
use proptest::prelude::*;
use rusqlite::Connection;
use support::Folder;

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<Sample>),
    Record(Sample),
}

fn sample() -> impl Strategy<Value = Sample> {
    (0..6u8, 0..2u8, 0..3u8, 0..5i64, 0..4u8).prop_map(|(key, payload, entity, version, kind)| {
        let sample = Sample::new(&format!("key-{key}"))
            .payload(&[payload])
            .about(&format!("entity-{entity}"), version);
        match kind {
            0 => sample.delete(),
            1 => sample.place(None),
            2 => sample.joined("{\"zones\":[]}"),
            _ => sample,
        }
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => proptest::collection::vec(sample(), 0..6).prop_map(Step::Apply),
        1 => sample().prop_map(Step::Record),
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
        Step::Record(sample) => {
            let recorded = store
                .record(lease, vec![sample.dead_letter()])
                .await
                .unwrap();
            recorded
                .iter()
                .map(|recorded| Some(recorded.outcome()))
                .collect()
        }
    }
}

type Seen = (
    Vec<(String, String, String, i64, String, Option<String>)>,
    Vec<DeadCount>,
    Vec<StoredDeadLetter>,
    OutcomeCounts,
);

async fn dead<S: DeadLetters>(store: &S) -> (Vec<DeadCount>, Vec<StoredDeadLetter>) {
    let mut letters = Vec::new();
    for key in 0..6 {
        let key = Sample::new(&format!("key-{key}")).dead_letter().key;
        letters.extend(store.find(key).await.unwrap());
    }
    (store.count().await.unwrap(), letters)
}

async fn seen_in_memory(map: &MemoryMap) -> Seen {
    let features = map
        .features()
        .into_iter()
        .map(|((source, entity), feature)| {
            (
                source,
                entity,
                feature.event_id,
                feature.version.value,
                feature.properties,
                feature.joined,
            )
        });
    let (counts, letters) = dead(map).await;
    (
        features.collect(),
        counts,
        letters,
        map.tally().await.unwrap(),
    )
}

async fn seen_in_file(folder: &Folder) -> Seen {
    let connection = Connection::open(folder.path("map.gpkg")).unwrap();
    let mut statement = connection
        .prepare(
            "SELECT source, entity, event_id, version, properties, joined FROM features
             ORDER BY source, entity",
        )
        .unwrap();
    let features = statement
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let (counts, letters) = dead(folder.dead_letters()).await;
    (
        features,
        counts,
        letters,
        folder.tally().tally().await.unwrap(),
    )
}

async fn compare(steps: Vec<Step>) {
    let folder = Folder::new();
    let memory = MemoryMap::new();
    let lease = folder
        .leases()
        .acquire(Shard::new(7), &Holder::new("test"))
        .await
        .unwrap();
    let lease = lease.unwrap();
    for step in steps {
        let ours = outcomes(folder.sink(), &lease, step.clone()).await;
        let twin = outcomes(&memory, &lease, step.clone()).await;
        assert_eq!(ours, twin, "at {step:?}");
    }
    assert_eq!(seen_in_file(&folder).await, seen_in_memory(&memory).await);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn same_outcomes_and_same_map(steps in proptest::collection::vec(step(), 1..25)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(steps));
    }
}
