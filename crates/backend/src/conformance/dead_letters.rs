//! What a store of dead letters promises.

use super::fixture::{Fixture, SHARD, land, proof, take};
use super::sample::{Sample, dead_letter};
use crate::dead_letters::{
    DeadCount, DeadLetter, DeadLetterState, DeadLetters, Destination, StoredDeadLetter,
};
use crate::failure::StoreError;
use crate::lease::Lease;
use crate::retry_state::Attempt;
use crate::sink::{ClaimQuery, Landed, Sink};
use crate::{Body, EventKey};
use hexlane_core::{FailureClass, Outcome};

async fn record<F: Fixture>(fixture: &F, lease: &Lease, letter: DeadLetter) -> Outcome {
    let recorded = fixture
        .dead_letters()
        .record(lease, vec![letter])
        .await
        .expect("recorded");
    recorded[0].outcome()
}

async fn find<F: Fixture>(fixture: &F, sample: &Sample) -> Vec<StoredDeadLetter> {
    let key = EventKey::of(&sample.envelope());
    fixture.dead_letters().find(key).await.expect("found")
}

async fn open<F: Fixture>(fixture: &F) -> u64 {
    let counts = fixture.dead_letters().count().await.expect("counted");
    counts.iter().map(|count| count.open).sum()
}

/// Every field and every byte, also those that are not UTF-8.
pub async fn a_dead_letter_keeps_every_byte_over_a_crash<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let sample = Sample::new("a").payload(b"{\"x\": 1.50}\n\xff\x00 \t");
    let mut letter = sample.dead_letter();
    letter.history = vec![Attempt {
        at_us: 5,
        class: FailureClass::Unknown,
        code: "c".into(),
    }];
    letter.violations = String::from("[{\"code\":\"geometry.self_intersection\"}]");
    assert_eq!(
        record(&fixture, &lease, letter.clone()).await,
        Outcome::Dead
    );
    let fixture = fixture.reopen().await;
    let stored = find(&fixture, &sample).await;
    assert_eq!(
        stored,
        [StoredDeadLetter {
            letter,
            state: DeadLetterState::Open
        }]
    );
}

/// The later story, the earlier first sight, one row.
pub async fn recording_again_is_one_record<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let sample = Sample::new("a");
    let first = sample.dead_letter();
    let mut second = first.clone();
    second.attempts = 6;
    second.destination = Destination::Retry;
    second.first_seen_at_us += 1_000;
    second.entry_ids = vec!["2-2".to_owned()];
    assert_eq!(record(&fixture, &lease, first.clone()).await, Outcome::Dead);
    assert_eq!(
        record(&fixture, &lease, second.clone()).await,
        Outcome::Dead
    );
    let stored = find(&fixture, &sample).await;
    let letter = second.after(&first);
    assert_eq!(
        (letter.attempts, letter.first_seen_at_us),
        (6, first.first_seen_at_us)
    );
    assert_eq!(letter.entry_ids, ["1-1", "2-2"]);
    assert_eq!(
        stored,
        [StoredDeadLetter {
            letter,
            state: DeadLetterState::Open
        }]
    );
}

/// Unreadable and lost entries are dead letters too.
pub async fn bytes_that_are_no_envelope_are_kept<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let unreadable = Body::decode(b"\xff\xfe not an envelope".to_vec());
    for (name, body) in [("entry:1", unreadable), ("entry:2", Body::Lost)] {
        let key = EventKey {
            source: "(unreadable)".to_owned(),
            key: name.to_owned(),
        };
        let letter = dead_letter(key.clone(), body);
        assert_eq!(
            record(&fixture, &lease, letter.clone()).await,
            Outcome::Dead
        );
        let stored = fixture.dead_letters().find(key).await.expect("found");
        assert_eq!(
            stored,
            [StoredDeadLetter {
                letter,
                state: DeadLetterState::Open
            }]
        );
    }
}

/// `dead → applied`, exactly once.
pub async fn a_later_delivery_of_a_dead_key_lands_and_closes_the_record_once<F: Fixture>(
    fixture: F,
) {
    let lease = take(&fixture, SHARD).await;
    let sample = Sample::new("a");
    record(&fixture, &lease, sample.dead_letter()).await;
    let query = ClaimQuery::of(&sample.effect());
    let looked_up = fixture.sink().lookup(vec![query]).await.expect("looked up");
    assert_eq!(looked_up, [None], "a dead claim is no effect");
    let twice = vec![sample.effect(), sample.effect()];
    let landed = fixture.sink().apply(&lease, twice).await.expect("landed");
    let landed: Vec<_> = landed
        .into_iter()
        .map(|each| proof(each).outcome())
        .collect();
    assert_eq!(landed, [Outcome::Applied, Outcome::Duplicate]);
    assert_eq!(
        find(&fixture, &sample).await[0].state,
        DeadLetterState::Superseded
    );
    assert_eq!(open(&fixture).await, 0);
    assert_eq!(
        record(&fixture, &lease, sample.dead_letter()).await,
        Outcome::Duplicate
    );
    assert_eq!(open(&fixture).await, 0);
}

/// A newer state stood already: nothing is left to do.
pub async fn a_stale_replay_closes_the_record_too<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let old = Sample::new("old").about("van-1", 1);
    record(&fixture, &lease, old.dead_letter()).await;
    land_one(
        &fixture,
        &lease,
        &Sample::new("new").about("van-1", 2),
        Outcome::Applied,
    )
    .await;
    land_one(&fixture, &lease, &old, Outcome::Stale).await;
    assert_eq!(
        find(&fixture, &old).await[0].state,
        DeadLetterState::Superseded
    );
}

async fn land_one<F: Fixture>(fixture: &F, lease: &Lease, sample: &Sample, expected: Outcome) {
    let landed = proof(land(fixture, lease, sample.effect()).await);
    assert_eq!(landed.outcome(), expected);
}

/// Of two replays at once one lands; the other's failure changes nothing.
pub async fn an_event_that_had_its_effect_is_not_dead<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let sample = Sample::new("a");
    land_one(&fixture, &lease, &sample, Outcome::Applied).await;
    assert_eq!(
        record(&fixture, &lease, sample.dead_letter()).await,
        Outcome::Duplicate
    );
    assert_eq!(find(&fixture, &sample).await, []);
}

/// A reused key goes to poison and leaves the first event's claim alone.
pub async fn a_conflict_is_recorded_and_the_claim_stays<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let first = Sample::new("a");
    let reused = Sample::new("a").payload(b"other");
    land_one(&fixture, &lease, &first, Outcome::Applied).await;
    let mut letter = reused.dead_letter();
    letter.code = String::from("idempotency.key_reused");
    assert_eq!(record(&fixture, &lease, letter).await, Outcome::Dead);
    land_one(&fixture, &lease, &first, Outcome::Duplicate).await;
    let again = land(&fixture, &lease, reused.effect()).await;
    assert_eq!(again, Landed::Conflict);
    assert_eq!(
        find(&fixture, &reused).await[0].state,
        DeadLetterState::Open
    );
}

/// Fenced like the effects.
pub async fn an_old_epoch_records_nothing<F: Fixture>(fixture: F) {
    let old = take(&fixture, SHARD).await;
    let new = take(&fixture, SHARD).await;
    land_one(&fixture, &new, &Sample::new("a"), Outcome::Applied).await;
    let letters = vec![Sample::new("b").dead_letter()];
    let fenced = fixture.dead_letters().record(&old, letters).await;
    assert!(
        matches!(fenced, Err(StoreError::Fenced { .. })),
        "{fenced:?}"
    );
    assert_eq!(open(&fixture).await, 0);
}

/// The two labels that operators watch.
pub async fn open_records_are_counted_by_destination_and_class<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let mut transient = Sample::new("c").dead_letter();
    transient.destination = Destination::Retry;
    transient.class = FailureClass::Transient;
    let letters = vec![
        Sample::new("a").dead_letter(),
        Sample::new("b").dead_letter(),
        transient,
    ];
    let recorded = fixture
        .dead_letters()
        .record(&lease, letters)
        .await
        .expect("recorded");
    assert_eq!(recorded.len(), 3);
    let counts = fixture.dead_letters().count().await.expect("counted");
    let count = |destination, class, open| DeadCount {
        destination,
        class,
        open,
    };
    let expected = [
        count(Destination::Retry, FailureClass::Transient, 1),
        count(Destination::Poison, FailureClass::InvalidGeometry, 2),
    ];
    assert_eq!(counts, expected, "in the order of the enums");
}

/// An empty call is fine.
pub async fn no_letters_give_no_answers<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    assert_eq!(
        fixture
            .dead_letters()
            .record(&lease, Vec::new())
            .await
            .expect("recorded"),
        []
    );
    assert_eq!(fixture.dead_letters().count().await.expect("counted"), []);
}
