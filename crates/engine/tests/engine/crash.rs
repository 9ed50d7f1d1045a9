//! Crashes: the engine is dropped anywhere, any number of times, under faults.

use crate::event::{Form, event, key_of};
use crate::world::World;
use hexlane_backend::fault::{Fault, Operation};
use hexlane_backend::{Code, Holder};
use hexlane_core::Outcome;
use hexlane_engine::{Chance, SeededChance};
use std::time::Duration;

const SEEDS: u64 = 150;
const CRASHES_MAX: u64 = 6;

fn below(chance: &SeededChance, limit: u64) -> u64 {
    chance.draw().within(0, limit - 1)
}

/// A few faults in the first calls of every kind.
fn plan_faults(world: &World, chance: &SeededChance) {
    let faults = [
        Fault::LoseAnswer,
        Fault::Fail(Code::Unavailable),
        Fault::Fail(Code::Busy),
        Fault::Fenced,
    ];
    for operation in [
        Operation::Apply,
        Operation::Settle,
        Operation::Fetch,
        Operation::Record,
        Operation::Lookup,
    ] {
        for _ in 0..below(chance, 4) {
            let fault = faults[usize::try_from(below(chance, 4)).unwrap()];
            world.plan.on_call(operation, 1 + below(chance, 15), fault);
        }
    }
    world.plan.on_call(
        Operation::Renew,
        1 + below(chance, 3),
        Fault::Fail(Code::Unavailable),
    );
}

async fn populate(world: &mut World, chance: &SeededChance) -> usize {
    let mut envelopes = Vec::new();
    let mut poison = 0;
    for number in 0..15 {
        for lane in 0..6 {
            let lane = format!("lane-{lane}");
            match below(chance, 30) {
                0 => {
                    poison += 1;
                    envelopes.push(event(&lane, number, Form::NotJson, world.shard_map));
                }
                1 => {
                    poison += 1;
                    envelopes.extend(world.events(&lane, number, 1));
                    world
                        .sink
                        .refuse(&key_of(&lane, number), Code::RowRefused, u32::MAX);
                }
                2..5 => {
                    let times = u32::try_from(1 + below(chance, 3)).unwrap();
                    envelopes.extend(world.events(&lane, number, 1));
                    world
                        .sink
                        .refuse(&key_of(&lane, number), Code::Internal, times);
                }
                _ => envelopes.extend(world.events(&lane, number, 1)),
            }
        }
    }
    world.publish(envelopes).await;
    poison
}

async fn run(seed: u64) -> (usize, usize) {
    let chance = SeededChance::new(seed);
    let mut world = World::new(2, seed);
    world.settings.batch.events_max = 3 + usize::try_from(below(&chance, 20)).unwrap();
    let poison = populate(&mut world, &chance).await;
    plan_faults(&world, &chance);
    let crashes = 1 + below(&chance, CRASHES_MAX);
    for crash in 0..crashes {
        let running = world.start();
        tokio::time::sleep(Duration::from_micros(below(&chance, 40_000))).await;
        running.crash().await;
        if below(&chance, 4) == 0 {
            world.settings.holder = Holder::new(format!("holder-{crash}"));
        }
    }
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.check_order();
    check(&world, seed, poison).await;
    (usize::try_from(crashes).unwrap(), world.plan.fired().len())
}

/// Invariants 1, 2 and 4 at the end: every event had its one effect or is dead.
async fn check(world: &World, seed: u64, poison: usize) {
    let applied: Vec<String> = {
        let log = world.sink.log();
        let effects = log
            .commits
            .iter()
            .filter(|commit| commit.outcome == Some(Outcome::Applied));
        effects.map(|commit| commit.key.clone()).collect()
    };
    let mut dead = 0;
    for key in &world.published {
        let effects = applied.iter().filter(|applied| *applied == key).count();
        let letters = world.letters(key).await.len();
        assert_eq!(
            effects + letters,
            1,
            "seed {seed}: {key} has {effects} effects, {letters} letters"
        );
        dead += letters;
    }
    assert_eq!(dead, poison, "seed {seed}");
}

#[tokio::test(start_paused = true)]
async fn invariants_1_to_6_hold_over_crashes_at_any_moment_and_faults_of_every_store() {
    let (mut crashes, mut faults) = (0, 0);
    for seed in 0..SEEDS {
        let (crashed, fired) = run(seed).await;
        crashes += crashed;
        faults += fired;
    }
    eprintln!("{SEEDS} seeds from 0: {crashes} crashes, {faults} faults fired");
    assert!(
        crashes > 300 && faults > 300,
        "{crashes} crashes, {faults} faults"
    );
}
