//! The in-memory backends run the conformance suite, bare and behind decorators that do
//! nothing.

use hexlane_backend::clock::ManualClock;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend::fault::{FaultPlan, Faulty};
use hexlane_backend::memory::{MemoryLeases, MemoryMap, MemoryQueue};
use std::sync::Arc;

struct Memory {
    clock: Arc<ManualClock>,
    queue: MemoryQueue,
    leases: MemoryLeases,
    map: MemoryMap,
}

impl Memory {
    fn new() -> Self {
        let clock = Setup::clock();
        Self {
            queue: MemoryQueue::new(clock.clone(), Setup::shard_map(), Setup::LIMITS),
            leases: MemoryLeases::new(clock.clone(), Setup::LEASE_MS),
            map: MemoryMap::new(),
            clock,
        }
    }
}

impl Fixture for Memory {
    type Queue = MemoryQueue;
    type Leases = MemoryLeases;
    type Sink = MemoryMap;
    type DeadLetters = MemoryMap;
    type Tally = MemoryMap;

    fn clock(&self) -> &ManualClock {
        &self.clock
    }
    fn queue(&self) -> &MemoryQueue {
        &self.queue
    }
    fn leases(&self) -> &MemoryLeases {
        &self.leases
    }
    fn sink(&self) -> &MemoryMap {
        &self.map
    }
    fn dead_letters(&self) -> &MemoryMap {
        &self.map
    }
    fn tally(&self) -> &MemoryMap {
        &self.map
    }
    async fn joined(&self, source: &str, entity: &str) -> Option<String> {
        let name = (source.to_owned(), entity.to_owned());
        let mut features = self.map.features().into_iter();
        features.find(|(found, _)| *found == name)?.1.joined
    }
    async fn reopen(self) -> Self {
        Self {
            queue: self.queue.reopened(),
            ..self
        }
    }
}

/// Every store behind a decorator whose plan is empty.
struct Decorated {
    memory: Memory,
    queue: Faulty<MemoryQueue>,
    leases: Faulty<MemoryLeases>,
    map: Faulty<MemoryMap>,
}

impl Decorated {
    fn new(memory: Memory) -> Self {
        Self {
            queue: Faulty::new(memory.queue.clone(), FaultPlan::default()),
            leases: Faulty::new(memory.leases.clone(), FaultPlan::default()),
            map: Faulty::new(memory.map.clone(), FaultPlan::default()),
            memory,
        }
    }
}

impl Fixture for Decorated {
    type Queue = Faulty<MemoryQueue>;
    type Leases = Faulty<MemoryLeases>;
    type Sink = Faulty<MemoryMap>;
    type DeadLetters = Faulty<MemoryMap>;
    type Tally = Faulty<MemoryMap>;

    fn clock(&self) -> &ManualClock {
        &self.memory.clock
    }
    fn queue(&self) -> &Self::Queue {
        &self.queue
    }
    fn leases(&self) -> &Self::Leases {
        &self.leases
    }
    fn sink(&self) -> &Self::Sink {
        &self.map
    }
    fn dead_letters(&self) -> &Self::DeadLetters {
        &self.map
    }
    fn tally(&self) -> &Self::Tally {
        &self.map
    }
    async fn joined(&self, source: &str, entity: &str) -> Option<String> {
        self.memory.joined(source, entity).await
    }
    async fn reopen(self) -> Self {
        Self::new(self.memory.reopen().await)
    }
}

mod bare {
    hexlane_backend::conformance_suite!(super::super::Memory::new());
}

mod decorated {
    hexlane_backend::conformance_suite!(super::super::Decorated::new(super::super::Memory::new()));
}
