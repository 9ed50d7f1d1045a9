//! A row that the sink refuses for ever, inside a batch.

use crate::event::key_of;
use crate::world::World;
use hexlane_backend::{Code, Destination};
use hexlane_core::{FailureClass, Outcome};

async fn one_bad_row_of_500(bad: u32) {
    let mut world = World::new(1, u64::from(bad));
    let mut envelopes = Vec::new();
    for number in 0..100 {
        for lane in 0..5 {
            envelopes.extend(world.events(&format!("lane-{lane}"), number, 1));
        }
    }
    let key = envelopes[bad as usize].key.value.clone();
    world.sink.refuse(&key, Code::RowRefused, u32::MAX);
    world.publish(envelopes).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert_eq!(
        (
            world.tally.acked(Outcome::Applied),
            world.tally.acked(Outcome::Dead)
        ),
        (499, 1)
    );
    let applies = world.sink.log().applies;
    assert!(applies <= 11, "row {bad}: {applies} applies");
    let letters = world.letters(&key).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (letter.destination, letter.class),
        (Destination::Poison, FailureClass::Unknown)
    );
    assert_eq!(
        (letter.code.as_str(), letter.attempts),
        ("persist.rejected", 1)
    );
}

#[tokio::test(start_paused = true)]
async fn fault_19_one_bad_row_of_500_dies_alone_within_ten_further_applies() {
    for bad in [0, 1, 2, 77, 249, 250, 251, 498, 499] {
        one_bad_row_of_500(bad).await;
    }
}

#[tokio::test(start_paused = true)]
async fn several_bad_rows_die_alone_and_the_rest_lands_in_order() {
    for seed in 0..20_u32 {
        let mut world = World::new(1, u64::from(seed));
        let mut envelopes = Vec::new();
        for number in 0..40 {
            for lane in 0..5 {
                envelopes.extend(world.events(&format!("lane-{lane}"), number, 1));
            }
        }
        for bad in 0..4 {
            let number = (seed * 7 + bad * 11) % 40;
            world.sink.refuse(
                &key_of(&format!("lane-{}", bad % 5), number),
                Code::RowRefused,
                u32::MAX,
            );
        }
        world.publish(envelopes).await;
        let running = world.start();
        world.until_empty().await;
        running.stop().await;
        world.account().await;
        world.check_order();
        assert_eq!(
            (
                world.tally.acked(Outcome::Applied),
                world.tally.acked(Outcome::Dead)
            ),
            (196, 4),
            "seed {seed}"
        );
    }
}
