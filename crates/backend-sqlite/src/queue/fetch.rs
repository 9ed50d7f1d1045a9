//! Fetching: reads in queue order within the credit, and notes in memory what was handed
//! out.

use super::{Memory, SqliteQueue};
use crate::failure::Stop;
use crate::history::attempts_of_text;
use hexlane_backend::fence::Admitted;
use hexlane_backend::hand_over::HandOver;
use hexlane_backend::{
    Body, Code, Credit, Delivery, Failure, Lease, Part, Position, Receipt, RetryState, StoreError,
};
use rusqlite::{Connection, Row};
use std::ops::RangeInclusive;
use std::sync::Arc;

impl SqliteQueue {
    pub(super) async fn hand_out(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        if credit.events_max == 0 {
            return Ok(Vec::new());
        }
        let (lease, memory) = (lease.clone(), Arc::clone(&self.store.memory));
        let work =
            move |connection: &Connection| take(connection, &memory, &lease, position, credit);
        self.store.reader.run(Part::Queue, work, |_| {}).await
    }
}

fn take(
    connection: &Connection,
    memory: &Memory,
    lease: &Lease,
    position: Position,
    credit: Credit,
) -> Result<Vec<Delivery>, Stop> {
    let mut hand = current_hand(connection, memory, lease)?;
    let Some(range) = hand.next(position) else {
        return Ok(Vec::new());
    };
    let (deliveries, last) = read(connection, lease, range, credit)?;
    hand.note(position, last);
    let mut state = memory.lock();
    // An epoch may have been installed while the file was read.
    if state.fence.check(lease)? != Admitted::Same {
        return Err(StoreError::from(Failure::new(Part::Queue, Code::Busy)).into());
    }
    state.hands.insert(lease.shard, hand);
    state.counts.entry(lease.shard).or_default().handed += deliveries.len() as u64;
    Ok(deliveries)
}

fn current_hand(connection: &Connection, memory: &Memory, lease: &Lease) -> Result<HandOver, Stop> {
    let known = {
        let state = memory.lock();
        state.fence.check(lease)?;
        state.hands.get(&lease.shard).copied()
    };
    if let Some(hand) = known {
        return Ok(hand);
    }
    let mark = "SELECT coalesce(max(seq), 0) FROM entries";
    let mark: i64 = connection
        .prepare_cached(mark)?
        .query_row([], |row| row.get(0))?;
    Ok(HandOver::begin(mark.unsigned_abs()))
}

fn read(
    connection: &Connection,
    lease: &Lease,
    range: RangeInclusive<u64>,
    credit: Credit,
) -> rusqlite::Result<(Vec<Delivery>, Option<u64>)> {
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(
        "SELECT e.seq, e.envelope, r.attempts, r.failures, r.due_at_us, r.previous_delay_ms,
                r.first_attempt_at_us, r.last_code, r.history
         FROM entries e LEFT JOIN retries r ON r.seq = e.seq
         WHERE e.shard = ?1 AND e.seq BETWEEN ?2 AND ?3 ORDER BY e.seq LIMIT ?4",
    )?;
    let events_max = i64::try_from(credit.events_max).unwrap_or(i64::MAX);
    let bounds = (
        lease.shard.get(),
        bound(*range.start()),
        bound(*range.end()),
        events_max,
    );
    let mut rows = statement.query(bounds)?;
    let mut meter = credit.meter();
    let (mut deliveries, mut last) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let sequence: i64 = row.get(0)?;
        let size_bytes = row.get_ref(1)?.as_bytes().map_or(0, <[u8]>::len);
        if !meter.admits(size_bytes) {
            break;
        }
        deliveries.push(delivery(row, sequence, size_bytes)?);
        last = Some(sequence.unsigned_abs());
    }
    Ok((deliveries, last))
}

fn delivery(row: &Row<'_>, sequence: i64, size_bytes: usize) -> rusqlite::Result<Delivery> {
    let receipt = Receipt::new(sequence.to_string());
    Ok(Delivery::new(
        receipt,
        Body::decode(row.get(1)?),
        retry(row)?,
        size_bytes,
    ))
}

fn retry(row: &Row<'_>) -> rusqlite::Result<RetryState> {
    let Some(attempts) = row.get(2)? else {
        return Ok(RetryState::default());
    };
    let previous_delay_ms: i64 = row.get(5)?;
    let history: String = row.get(8)?;
    Ok(RetryState {
        attempts,
        failures: row.get(3)?,
        due_at_us: row.get(4)?,
        previous_delay_ms: previous_delay_ms.cast_unsigned(),
        first_attempt_at_us: row.get(6)?,
        last_code: row.get(7)?,
        history: attempts_of_text(&history),
    })
}
