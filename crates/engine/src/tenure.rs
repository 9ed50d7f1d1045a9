//! A lease as it is held: when to stop using it, and its renewal.
//!
//! Renewed at a third of its length. The holder stops dispatching at three fifths,
//! counted on the monotonic clock from the moment the last good request was sent, so it
//! stops before the authority can give the shard away, whatever the renewal task does.

use crate::context::Context;
use crate::end::End;
use crate::engine::EngineError;
use crate::observer::PauseReason;
use crate::stores::Backends;
use hexlane_backend::{Lease, Leases, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Between the last call's end and the lease's: clocks drift, tasks wait for a thread.
const MARGIN_MS: u64 = 500;

/// A lease in use.
#[derive(Debug)]
pub(crate) struct Tenure {
    pub(crate) lease: Lease,
    /// By the monotonic clock, µs.
    dispatch_until_us: AtomicU64,
    fenced: AtomicBool,
}

impl Tenure {
    /// A lease that was asked for at `sent_at`.
    ///
    /// # Errors
    /// When a call to a store may outlast the lease.
    pub(crate) fn new(
        lease: Lease,
        sent_at: Duration,
        call_ms_max: u64,
    ) -> Result<Self, EngineError> {
        check_lease(lease.lease_ms, call_ms_max)?;
        let dispatch_until_us = AtomicU64::new(until_us(&lease, sent_at));
        Ok(Self {
            lease,
            dispatch_until_us,
            fenced: AtomicBool::new(false),
        })
    }

    /// Whether anything may still be started: one atomic load and the clock.
    pub(crate) fn may_dispatch<B: Backends>(&self, context: &Context<B>) -> Result<(), End> {
        if self.fenced.load(Ordering::Acquire) {
            return Err(End::Fenced);
        }
        let until = Duration::from_micros(self.dispatch_until_us.load(Ordering::Acquire));
        if context.clock.monotonic() < until {
            Ok(())
        } else {
            Err(End::Lapsed)
        }
    }

    fn renewed(&self, sent_at: Duration) {
        self.dispatch_until_us
            .store(until_us(&self.lease, sent_at), Ordering::Release);
    }
}

/// Whether a call to a store that is started at the last moment ends, with a margin, before
/// its lease does. Whoever resolves settings asks it too, so that the mistake is found there.
///
/// # Errors
/// When a call may outlast the lease.
pub const fn check_lease(lease_ms: u64, call_ms_max: u64) -> Result<(), EngineError> {
    let left_ms = lease_ms.saturating_sub(dispatch_ms(lease_ms));
    if call_ms_max.saturating_add(MARGIN_MS) > left_ms {
        return Err(EngineError::LeaseTooShort {
            lease_ms,
            call_ms_max,
        });
    }
    Ok(())
}

const fn dispatch_ms(lease_ms: u64) -> u64 {
    lease_ms.saturating_mul(3) / 5
}

fn until_us(lease: &Lease, sent_at: Duration) -> u64 {
    let until = sent_at.saturating_add(Duration::from_millis(dispatch_ms(lease.lease_ms)));
    u64::try_from(until.as_micros()).unwrap_or(u64::MAX)
}

/// Renews until it is dropped or fenced.
#[derive(Debug)]
pub(crate) struct Renewal(JoinHandle<()>);

impl Renewal {
    pub(crate) fn start<B: Backends>(context: Arc<Context<B>>, tenure: Arc<Tenure>) -> Self {
        Self(tokio::spawn(renew(context, tenure)))
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn renew<B: Backends>(context: Arc<Context<B>>, tenure: Arc<Tenure>) {
    let calm_ms = tenure.lease.lease_ms / 3;
    let hurry_ms = tenure.lease.lease_ms / 12;
    let mut wait_ms = calm_ms;
    loop {
        tokio::time::sleep(Duration::from_millis(wait_ms.max(1))).await;
        let sent_at = context.clock.monotonic();
        match context.stores.leases().renew(&tenure.lease).await {
            Ok(_) => {
                tenure.renewed(sent_at);
                context.back(tenure.lease.shard, PauseReason::Leases);
                wait_ms = calm_ms;
            }
            Err(StoreError::Fenced { current, .. }) => {
                let shard = tenure.lease.shard;
                tracing::warn!(%shard, epoch = %tenure.lease.epoch, %current, "lease taken over");
                tenure.fenced.store(true, Ordering::Release);
                return;
            }
            Err(StoreError::Failed(failure)) => {
                context.away(tenure.lease.shard, PauseReason::Leases, &failure);
                wait_ms = hurry_ms;
            }
        }
    }
}
