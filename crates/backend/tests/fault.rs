//! A decorated store fails exactly as planned, and the plan knows what fired.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use hexlane_backend::conformance::Setup;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::fault::{Fault, FaultPlan, Faulty, Fired, Operation};
use hexlane_backend::memory::{MemoryLeases, MemoryMap, MemoryQueue};
use hexlane_backend::{
    Code, Credit, DeadLetters, Holder, Landed, Lease, Leases, Position, Queue, QueueExt,
    RetryState, Settled, Sink, SinkExt, StoreError,
};
use hexlane_core::Outcome;
use hexlane_core::lane::Shard;

const PLENTY: Credit = Credit {
    events_max: 100,
    bytes_max: 1_000_000,
};

async fn lease() -> Lease {
    let leases = MemoryLeases::new(Setup::clock(), Setup::LEASE_MS);
    let lease = leases
        .acquire(Shard::new(7), &Holder::new("test"))
        .await
        .unwrap();
    lease.unwrap()
}

fn queue(plan: &FaultPlan) -> Faulty<MemoryQueue> {
    let queue = MemoryQueue::new(Setup::clock(), Setup::shard_map(), Setup::LIMITS);
    Faulty::new(queue, plan.clone())
}

fn map(plan: &FaultPlan) -> Faulty<MemoryMap> {
    Faulty::new(MemoryMap::new(), plan.clone())
}

#[tokio::test]
async fn the_planned_call_fails_and_no_other() {
    let plan = FaultPlan::default();
    let queue = queue(&plan);
    plan.on_call(Operation::Publish, 2, Fault::Fail(Code::DiskFull));
    assert!(queue.publish_one(Sample::new("a").envelope()).await.is_ok());
    let failure = queue
        .publish_one(Sample::new("b").envelope())
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::DiskFull);
    assert!(queue.publish_one(Sample::new("c").envelope()).await.is_ok());
    let fault = Fault::Fail(Code::DiskFull);
    assert_eq!(
        plan.fired(),
        [Fired {
            operation: Operation::Publish,
            call: 2,
            fault
        }]
    );
    let fetched = queue
        .fetch(&lease().await, Position::Pending, PLENTY)
        .await
        .unwrap();
    assert_eq!(fetched.len(), 2, "nothing of the failed call is there");
}

#[tokio::test]
async fn an_outage_lasts_until_it_is_healed() {
    let plan = FaultPlan::default();
    let map = map(&plan);
    let lease = lease().await;
    plan.always(Operation::Apply, Fault::Fail(Code::Unavailable));
    for _ in 0..3 {
        assert!(
            map.apply(&lease, vec![Sample::new("a").effect()])
                .await
                .is_err()
        );
    }
    plan.heal(Operation::Apply);
    assert!(
        map.apply(&lease, vec![Sample::new("a").effect()])
            .await
            .is_ok()
    );
    assert_eq!(plan.fired().len(), 3);
}

#[tokio::test]
async fn a_lost_answer_leaves_its_effect_and_the_look_up_finds_it() {
    let plan = FaultPlan::default();
    let map = map(&plan);
    let lease = lease().await;
    plan.on_next(Operation::Apply, Fault::LoseAnswer);
    let landed = map
        .apply_or_look_up(&lease, vec![Sample::new("a").effect()])
        .await
        .unwrap();
    let [Landed::Recorded(recorded)] = landed.as_slice() else {
        panic!("{landed:?}")
    };
    assert_eq!(recorded.outcome(), Outcome::Applied);
    assert_eq!(map.inner().features().len(), 1);
}

#[tokio::test]
async fn a_settlement_whose_answer_was_lost_can_be_sent_again() {
    let plan = FaultPlan::default();
    let (queue, map, lease) = (queue(&plan), map(&plan), lease().await);
    queue
        .publish_one(Sample::new("a").envelope())
        .await
        .unwrap();
    let delivery = queue
        .fetch(&lease, Position::Pending, PLENTY)
        .await
        .unwrap()
        .remove(0);
    let landed = map
        .apply(&lease, vec![Sample::new("a").effect()])
        .await
        .unwrap()
        .remove(0);
    let Landed::Recorded(recorded) = landed else {
        panic!("{landed:?}")
    };
    plan.on_next(Operation::Settle, Fault::LoseAnswer);
    let settlement = delivery.ack(recorded).unwrap();
    let unsettled = queue.settle(&lease, vec![settlement]).await.unwrap_err();
    assert_eq!(unsettled.settlements.len(), 1);
    let settled = queue.settle(&lease, unsettled.settlements).await.unwrap();
    assert_eq!(settled, [Settled::Acked]);
}

#[tokio::test]
async fn a_fenced_call_does_nothing() {
    let plan = FaultPlan::default();
    let (queue, lease) = (queue(&plan), lease().await);
    queue
        .publish_one(Sample::new("a").envelope())
        .await
        .unwrap();
    let delivery = queue
        .fetch(&lease, Position::Pending, PLENTY)
        .await
        .unwrap()
        .remove(0);
    plan.on_next(Operation::Settle, Fault::Fenced);
    let deferred = vec![delivery.defer(RetryState::default())];
    let unsettled = queue.settle(&lease, deferred).await.unwrap_err();
    assert!(matches!(unsettled.error, StoreError::Fenced { .. }));
}

#[tokio::test]
async fn a_held_call_waits_until_it_is_let_go() {
    let plan = FaultPlan::default();
    let (map, lease) = (map(&plan), lease().await);
    plan.on_next(Operation::Record, Fault::Hold);
    let letters = vec![Sample::new("a").dead_letter()];
    let (recorded, open_before) = tokio::join!(map.record(&lease, letters), async {
        let open = map.count().await.unwrap();
        plan.let_go();
        open
    });
    assert_eq!((recorded.unwrap().len(), open_before.len()), (1, 0));
    assert_eq!(map.count().await.unwrap().len(), 1);
}
