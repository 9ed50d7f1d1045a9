//! Settling: acks delete, deferrals keep what was tried. Sending the same again changes
//! nothing.

use super::{SqliteQueue, check_epoch};
use crate::failure::Stop;
use crate::history::attempts_to_text;
use hexlane_backend::{Code, Failure, Lease, Part, Receipt, RetryState, Settlement, StoreError};
use rusqlite::Connection;
use std::sync::Arc;

/// A settlement without its delivery, which the caller keeps until the answer.
struct Order {
    sequence: i64,
    size_bytes: u64,
    defer: Option<RetryState>,
}

impl SqliteQueue {
    pub(super) async fn carry_out(
        &self,
        lease: &Lease,
        settlements: &[Settlement],
    ) -> Result<(), StoreError> {
        self.admit(lease).await?;
        if settlements.is_empty() {
            return Ok(());
        }
        let orders = settlements.iter().map(Order::of);
        let orders = orders.collect::<Result<Vec<Order>, Failure>>()?;
        let shard = lease.shard;
        let lease = lease.clone();
        let memory = Arc::clone(&self.store.memory);
        let count = move |acked: &Vec<u64>| {
            let mut state = memory.lock();
            let count = state.counts.entry(shard).or_default();
            for bytes in acked {
                count.remove(*bytes);
            }
        };
        let work = move |connection: &Connection| settle_all(connection, &lease, &orders);
        self.store
            .writer
            .run(Part::Queue, work, count)
            .await
            .map(drop)
    }
}

impl Order {
    fn of(settlement: &Settlement) -> Result<Self, Failure> {
        Ok(Self {
            sequence: sequence(settlement.receipt())?,
            size_bytes: settlement.size_bytes() as u64,
            defer: settlement.deferral().cloned().map(RetryState::bounded),
        })
    }
}

/// Read back as [`fetch`](super::fetch) wrote it; anything else would settle nothing.
fn sequence(receipt: &Receipt) -> Result<i64, Failure> {
    let text = receipt.as_str();
    text.parse().map_err(|_| {
        let detail = format!("`{text}` is no receipt of this queue");
        Failure::new(Part::Queue, Code::Internal).with_detail(detail)
    })
}

/// Answers the sizes of the entries that are gone.
fn settle_all(connection: &Connection, lease: &Lease, orders: &[Order]) -> Result<Vec<u64>, Stop> {
    check_epoch(connection, lease)?;
    let mut acked = Vec::new();
    for order in orders {
        match &order.defer {
            Some(retry) => defer(connection, order.sequence, retry)?,
            None if ack(connection, lease, order.sequence)? => acked.push(order.size_bytes),
            None => {}
        }
    }
    Ok(acked)
}

fn ack(connection: &Connection, lease: &Lease, sequence: i64) -> rusqlite::Result<bool> {
    let gone = connection
        .prepare_cached("DELETE FROM entries WHERE seq = ?1 AND shard = ?2")?
        .execute((sequence, lease.shard.get()))?;
    connection
        .prepare_cached("DELETE FROM retries WHERE seq = ?1")?
        .execute([sequence])?;
    Ok(gone > 0)
}

fn defer(connection: &Connection, sequence: i64, retry: &RetryState) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO retries
             (seq, attempts, failures, due_at_us, previous_delay_ms, first_attempt_at_us,
              last_code, history)
             SELECT seq, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM entries WHERE seq = ?1",
        )?
        .execute((
            sequence,
            retry.attempts,
            retry.failures,
            retry.due_at_us,
            retry.previous_delay_ms.cast_signed(),
            retry.first_attempt_at_us,
            &retry.last_code,
            attempts_to_text(&retry.history),
        ))?;
    Ok(())
}
