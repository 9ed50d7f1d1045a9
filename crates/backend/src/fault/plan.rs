//! Which calls fail, and how.

use crate::failure::Code;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What a call does instead of, or after, its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing is done; answers that code.
    Fail(Code),
    /// The work is done; answers [`Code::AnswerLost`].
    LoseAnswer,
    /// Nothing is done; answers as if a higher epoch had been here.
    Fenced,
    /// Waits until [`FaultPlan::let_go`], then does the work.
    Hold,
}

/// A call of a seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the method of that name")]
pub enum Operation {
    Acquire,
    Renew,
    Release,
    Publish,
    Append,
    Fetch,
    Settle,
    Arrived,
    Writable,
    Backlog,
    Apply,
    Lookup,
    Record,
    Find,
    Count,
    Tally,
}

/// A fault that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fired {
    /// In which call.
    pub operation: Operation,
    /// The how many-th of that operation, from 1.
    pub call: u64,
    /// What it did.
    pub fault: Fault,
}

/// Which calls fail, and how. Clones share the plan.
#[derive(Clone, Debug)]
pub struct FaultPlan {
    orders: Arc<Mutex<Orders>>,
    gate: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Orders {
    calls: HashMap<Operation, u64>,
    once: HashMap<(Operation, u64), Fault>,
    always: HashMap<Operation, Fault>,
    fired: Vec<Fired>,
}

impl Default for FaultPlan {
    fn default() -> Self {
        Self {
            orders: Arc::default(),
            gate: watch::Sender::new(false),
        }
    }
}

impl FaultPlan {
    /// The call of that number, counted from 1 since the plan was made, fails so.
    pub fn on_call(&self, operation: Operation, call: u64, fault: Fault) {
        self.orders().once.insert((operation, call), fault);
    }

    /// The next call fails so.
    pub fn on_next(&self, operation: Operation, fault: Fault) {
        let next = self.calls(operation) + 1;
        self.on_call(operation, next, fault);
    }

    /// Every call fails so, until [`FaultPlan::heal`]: an outage.
    pub fn always(&self, operation: Operation, fault: Fault) {
        self.orders().always.insert(operation, fault);
    }

    /// Ends the outage of that operation.
    pub fn heal(&self, operation: Operation) {
        self.orders().always.remove(&operation);
    }

    /// Lets every held call go on, now and later.
    pub fn let_go(&self) {
        self.gate.send_replace(true);
    }

    /// How often the operation was called.
    #[must_use]
    pub fn calls(&self, operation: Operation) -> u64 {
        self.orders().calls.get(&operation).copied().unwrap_or(0)
    }

    /// What happened, in order.
    #[must_use]
    pub fn fired(&self) -> Vec<Fired> {
        self.orders().fired.clone()
    }

    pub(super) fn next(&self, operation: Operation) -> Option<Fault> {
        let mut orders = self.orders();
        let call = orders.calls.get(&operation).copied().unwrap_or(0) + 1;
        orders.calls.insert(operation, call);
        let once = orders.once.remove(&(operation, call));
        let fault = once.or_else(|| orders.always.get(&operation).copied())?;
        orders.fired.push(Fired {
            operation,
            call,
            fault,
        });
        Some(fault)
    }

    pub(super) async fn held(&self) {
        let mut gate = self.gate.subscribe();
        // The sender lives as long as `self`: waiting cannot fail.
        let _open = gate.wait_for(|open| *open).await.is_ok();
    }

    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
