//! The lanes against a simple reference: lists per key, and the set of keys that are out.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Operation {
    Push {
        key: u8,
        bytes: usize,
    },
    Take,
    Finish {
        pick: usize,
    },
    GiveBack {
        pick: usize,
        settled: usize,
        wait_us: i64,
    },
    Advance {
        by_us: i64,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (0..6_u8, 1..40_usize).prop_map(|(key, bytes)| Operation::Push { key, bytes }),
        3 => Just(Operation::Take),
        2 => any::<usize>().prop_map(|pick| Operation::Finish { pick }),
        2 => (any::<usize>(), 0..4_usize, 0..50_i64)
            .prop_map(|(pick, settled, wait_us)| Operation::GiveBack { pick, settled, wait_us }),
        2 => (1..40_i64).prop_map(|by_us| Operation::Advance { by_us }),
    ]
}

fn lane_key(key: u8) -> LaneKey {
    LaneKey::new(format!("key-{key}"))
}

const LIMITS: BatchLimits = BatchLimits {
    events_max: 12,
    bytes_max: 120,
    key_burst_events_max: 3,
};

/// What each key still has, in order: (number, due).
#[derive(Default)]
struct Reference {
    keys: BTreeMap<LaneKey, VecDeque<(u32, Option<i64>)>>,
    out: Vec<Run<u32>>,
}

impl Reference {
    fn is_out(&self, key: &LaneKey) -> bool {
        self.out.iter().any(|run| run.key == *key)
    }

    fn may_run(&self, key: &LaneKey, now_us: i64) -> bool {
        let head = self.keys.get(key).and_then(VecDeque::front);
        !self.is_out(key)
            && head
                .is_some_and(|(_, due_at_us)| due_at_us.is_none_or(|due_at_us| due_at_us <= now_us))
    }

    fn take(&mut self, runs: Vec<Run<u32>>, now_us: i64) {
        let events: usize = runs.iter().map(|run| run.entries.len()).sum();
        let bytes: usize = runs
            .iter()
            .flat_map(|run| &run.entries)
            .map(|entry| entry.bytes)
            .sum();
        assert!(events <= LIMITS.events_max);
        assert!(bytes <= LIMITS.bytes_max || events == 1);
        let runnable: Vec<LaneKey> = self
            .keys
            .keys()
            .filter(|key| self.may_run(key, now_us))
            .cloned()
            .collect();
        assert_eq!(
            runs.is_empty(),
            runnable.is_empty(),
            "work is taken when and only when there is some"
        );
        for run in &runs {
            assert!(
                runnable.contains(&run.key),
                "{} is in flight or not due",
                run.key
            );
            let waiting = self.keys.get_mut(&run.key).unwrap();
            for entry in &run.entries {
                let (number, due_at_us) = waiting.pop_front().unwrap();
                assert_eq!(number, entry.item, "order within the key");
                assert!(due_at_us.is_none_or(|due_at_us| due_at_us <= now_us));
            }
        }
        self.out.extend(runs);
    }
}

fn give_back(
    reference: &mut Reference,
    lanes: &mut Lanes<u32>,
    at: usize,
    settled: usize,
    due_at_us: i64,
) {
    let mut run = reference.out.swap_remove(at);
    run.entries.drain(..settled.min(run.entries.len() - 1));
    run.entries[0].due_at_us = Some(due_at_us);
    for entry in run.entries.iter().rev() {
        reference
            .keys
            .get_mut(&run.key)
            .unwrap()
            .push_front((entry.item, entry.due_at_us));
    }
    lanes.give_back(run);
}

fn play(operations: Vec<Operation>) {
    let (mut lanes, mut reference) = (Lanes::default(), Reference::default());
    let (mut now_us, mut number) = (0, 0);
    for operation in operations {
        match operation {
            Operation::Push { key, bytes } => {
                number += 1;
                reference
                    .keys
                    .entry(lane_key(key))
                    .or_default()
                    .push_back((number, None));
                lanes.push(
                    &lane_key(key),
                    Entry {
                        bytes,
                        due_at_us: None,
                        item: number,
                    },
                );
            }
            Operation::Take => reference.take(lanes.take(now_us, &LIMITS), now_us),
            Operation::Finish { pick } if !reference.out.is_empty() => {
                let run = reference.out.swap_remove(pick % reference.out.len());
                lanes.finish(&run.key);
            }
            Operation::GiveBack {
                pick,
                settled,
                wait_us,
            } if !reference.out.is_empty() => {
                let at = pick % reference.out.len();
                give_back(&mut reference, &mut lanes, at, settled, now_us + wait_us);
            }
            Operation::Finish { .. } | Operation::GiveBack { .. } => {}
            Operation::Advance { by_us } => now_us += by_us,
        }
        let waiting: usize = reference.keys.values().map(VecDeque::len).sum();
        assert_eq!(lanes.waiting(), waiting);
        assert!(
            lanes.parked_entries() <= waiting
                && (lanes.parked_keys() > 0 || lanes.parked_entries() == 0)
        );
        let runnable = reference
            .keys
            .keys()
            .any(|key| reference.may_run(key, now_us));
        let is_due = lanes
            .next_due_at_us()
            .is_some_and(|due_at_us| due_at_us <= now_us);
        assert_eq!(is_due || !lanes.ready.is_empty(), runnable);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn lanes_do_what_lists_per_key_would_do(operations in proptest::collection::vec(operation(), 1..120)) {
        play(operations);
    }
}

fn filled(counts: &[(u8, u32)]) -> Lanes<u32> {
    let mut lanes = Lanes::default();
    for (key, count) in counts {
        for item in 0..*count {
            lanes.push(
                &lane_key(*key),
                Entry {
                    bytes: 1,
                    due_at_us: None,
                    item,
                },
            );
        }
    }
    lanes
}

#[test]
fn a_hot_key_leaves_every_other_key_its_burst_in_the_same_batch() {
    let mut lanes = filled(&[(0, 1_000), (1, 5), (2, 5)]);
    let runs = lanes.take(0, &LIMITS);
    let sizes: Vec<usize> = runs.iter().map(|run| run.entries.len()).collect();
    assert_eq!(sizes, [3 + 3, 3, 3]);
}

#[test]
fn a_hot_key_alone_fills_the_batch() {
    let mut lanes = filled(&[(0, 1_000)]);
    assert_eq!(lanes.take(0, &LIMITS)[0].entries.len(), LIMITS.events_max);
}

#[test]
fn a_key_that_found_the_batch_full_is_first_in_the_next() {
    let mut lanes = filled(&[(0, 3), (1, 3), (2, 3), (3, 3), (4, 3)]);
    assert_eq!(lanes.take(0, &LIMITS).len(), 4);
    assert_eq!(lanes.take(0, &LIMITS)[0].key, lane_key(4));
}

#[test]
fn an_event_larger_than_the_batch_rides_alone() {
    let mut lanes = Lanes::default();
    for item in 0..2 {
        lanes.push(
            &lane_key(item),
            Entry {
                bytes: 10_000,
                due_at_us: None,
                item,
            },
        );
    }
    assert_eq!(lanes.take(0, &LIMITS).len(), 1);
    assert_eq!(lanes.take(0, &LIMITS).len(), 1);
}

#[test]
fn invariant_11_a_key_that_fails_for_ever_costs_the_others_no_turn() {
    let mut lanes = filled(&[(0, 100), (1, 100), (2, 100)]);
    let mut now_us = 0;
    let mut batches = 0;
    let mut done = 0;
    while done < 200 {
        batches += 1;
        for mut run in lanes.take(now_us, &LIMITS) {
            if run.key == lane_key(0) {
                run.entries[0].due_at_us = Some(now_us + 1_000_000);
                lanes.give_back(run);
            } else {
                done += run.entries.len();
                lanes.finish(&run.key);
            }
        }
        now_us += 1;
    }
    assert_eq!(
        batches,
        1 + (200 - 6_usize).div_ceil(LIMITS.events_max),
        "only the first batch carries it"
    );
    assert_eq!((lanes.parked_keys(), lanes.waiting()), (1, 100));
}
