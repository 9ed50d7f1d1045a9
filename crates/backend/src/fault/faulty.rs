//! The decorator: any store, failing by plan.

use super::plan::{Fault, FaultPlan, Operation};
use crate::dead_letters::{DeadCount, DeadLetter, DeadLetters, StoredDeadLetter};
use crate::delivery::Delivery;
use crate::failure::{Code, Failure, Part, StoreError};
use crate::key::EventKey;
use crate::lease::{Holder, Lease, Leases};
use crate::queue::{Bell, Credit, Position, Published, Queue, RawEntry, ShardBacklog};
use crate::recorded::Recorded;
use crate::settlement::{Settled, Settlement, Unsettled};
use crate::sink::{ClaimQuery, Landed, Sink};
use crate::tally::{OutcomeCounts, Tally};
use hexlane_core::Envelope;
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;
use std::future::Future;

/// A store that fails by plan.
#[derive(Clone, Debug)]
pub struct Faulty<S> {
    inner: S,
    plan: FaultPlan,
}

/// How a call goes on.
enum Course {
    Work,
    WorkUnanswered,
    Stop(StoreError),
}

impl<S> Faulty<S> {
    /// That store under that plan.
    pub const fn new(inner: S, plan: FaultPlan) -> Self {
        Self { inner, plan }
    }

    /// The store itself.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    async fn course(&self, operation: Operation, part: Part, lease: Option<&Lease>) -> Course {
        match (self.plan.next(operation), lease) {
            (None, _) => Course::Work,
            (Some(Fault::Hold), _) => {
                self.plan.held().await;
                Course::Work
            }
            (Some(Fault::LoseAnswer), _) => Course::WorkUnanswered,
            (Some(Fault::Fail(code)), _) => Course::Stop(Failure::new(part, code).into()),
            (Some(Fault::Fenced), Some(lease)) => Course::Stop(StoreError::Fenced {
                shard: lease.shard,
                epoch: lease.epoch,
                current: lease.epoch.next(),
            }),
            // Only a call under a lease can be fenced.
            (Some(Fault::Fenced), None) => {
                Course::Stop(Failure::new(part, Code::Unavailable).into())
            }
        }
    }

    async fn under_lease<T>(
        &self,
        (operation, part): (Operation, Part),
        lease: &Lease,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match self.course(operation, part, Some(lease)).await {
            Course::Work => work.await,
            Course::WorkUnanswered => {
                work.await?;
                Err(Failure::new(part, Code::AnswerLost).into())
            }
            Course::Stop(error) => Err(error),
        }
    }

    async fn free<T>(
        &self,
        (operation, part): (Operation, Part),
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        match self.course(operation, part, None).await {
            Course::Work => work.await,
            Course::WorkUnanswered => {
                work.await?;
                Err(Failure::new(part, Code::AnswerLost))
            }
            Course::Stop(StoreError::Failed(failure)) => Err(failure),
            Course::Stop(StoreError::Fenced { .. }) => Err(Failure::new(part, Code::Unavailable)),
        }
    }
}

impl<S: Leases> Leases for Faulty<S> {
    fn acquire(
        &self,
        shard: Shard,
        holder: &Holder,
    ) -> impl Future<Output = Result<Option<Lease>, Failure>> + Send {
        self.free(
            (Operation::Acquire, Part::Leases),
            self.inner.acquire(shard, holder),
        )
    }

    fn renew(&self, lease: &Lease) -> impl Future<Output = Result<Lease, StoreError>> + Send {
        self.under_lease(
            (Operation::Renew, Part::Leases),
            lease,
            self.inner.renew(lease),
        )
    }

    fn release(&self, lease: &Lease) -> impl Future<Output = Result<(), StoreError>> + Send {
        self.under_lease(
            (Operation::Release, Part::Leases),
            lease,
            self.inner.release(lease),
        )
    }
}

impl<S: Queue> Queue for Faulty<S> {
    fn publish(
        &self,
        envelopes: Vec<Envelope>,
    ) -> impl Future<Output = Result<Vec<Published>, Failure>> + Send {
        self.free(
            (Operation::Publish, Part::Queue),
            self.inner.publish(envelopes),
        )
    }

    fn append(&self, entries: Vec<RawEntry>) -> impl Future<Output = Result<(), Failure>> + Send {
        self.free((Operation::Append, Part::Queue), self.inner.append(entries))
    }

    fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> impl Future<Output = Result<Vec<Delivery>, StoreError>> + Send {
        let work = self.inner.fetch(lease, position, credit);
        self.under_lease((Operation::Fetch, Part::Queue), lease, work)
    }

    async fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>, Unsettled> {
        match self
            .course(Operation::Settle, Part::Queue, Some(lease))
            .await
        {
            Course::Work => self.inner.settle(lease, settlements).await,
            Course::WorkUnanswered => {
                let asked = settlements.iter().map(Settlement::twin).collect();
                let _answer = self.inner.settle(lease, settlements).await?;
                let error = Failure::new(Part::Queue, Code::AnswerLost).into();
                Err(Unsettled {
                    settlements: asked,
                    error,
                })
            }
            Course::Stop(error) => Err(Unsettled { settlements, error }),
        }
    }

    fn arrived(&self, heard: Bell) -> impl Future<Output = Result<Bell, Failure>> + Send {
        self.free((Operation::Arrived, Part::Queue), self.inner.arrived(heard))
    }

    fn writable(&self) -> impl Future<Output = Result<(), Failure>> + Send {
        self.free((Operation::Writable, Part::Queue), self.inner.writable())
    }

    fn backlog(&self) -> impl Future<Output = Result<Vec<ShardBacklog>, Failure>> + Send {
        self.free((Operation::Backlog, Part::Queue), self.inner.backlog())
    }
}

impl<S: Sink> Sink for Faulty<S> {
    fn apply(
        &self,
        lease: &Lease,
        effects: Vec<Effect>,
    ) -> impl Future<Output = Result<Vec<Landed>, StoreError>> + Send {
        self.under_lease(
            (Operation::Apply, Part::Sink),
            lease,
            self.inner.apply(lease, effects),
        )
    }

    fn lookup(
        &self,
        claims: Vec<ClaimQuery>,
    ) -> impl Future<Output = Result<Vec<Option<Landed>>, Failure>> + Send {
        self.free((Operation::Lookup, Part::Sink), self.inner.lookup(claims))
    }
}

impl<S: DeadLetters> DeadLetters for Faulty<S> {
    fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> impl Future<Output = Result<Vec<Recorded>, StoreError>> + Send {
        let work = self.inner.record(lease, letters);
        self.under_lease((Operation::Record, Part::DeadLetters), lease, work)
    }

    fn find(
        &self,
        key: EventKey,
    ) -> impl Future<Output = Result<Vec<StoredDeadLetter>, Failure>> + Send {
        self.free((Operation::Find, Part::DeadLetters), self.inner.find(key))
    }

    fn count(&self) -> impl Future<Output = Result<Vec<DeadCount>, Failure>> + Send {
        self.free((Operation::Count, Part::DeadLetters), self.inner.count())
    }
}

impl<S: Tally> Tally for Faulty<S> {
    fn tally(&self) -> impl Future<Output = Result<OutcomeCounts, Failure>> + Send {
        self.free((Operation::Tally, Part::Sink), self.inner.tally())
    }
}
