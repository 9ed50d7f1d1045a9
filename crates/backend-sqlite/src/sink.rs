//! The sink: fence, claims, entity versions, features and tombstones in one commit. Row by
//! row with prepared statements: in one transaction of one process that costs no round
//! trip, and rows of a batch see each other. The map is written last, once an entity.

mod claim;
mod land;

use crate::failure::{Stop, unfenced};
use crate::geopackage::{binary, schema::SRS_ID};
use crate::map::{SqliteMap, admit};
use crate::tally;
use claim::look_up;
use hexlane_backend::{ClaimQuery, Code, Failure, Landed, Lease, Part, Recorded, Sink, StoreError};
use hexlane_core::Outcome;
use hexlane_core::effect::Effect;
use rusqlite::Connection;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use claim::{Claim, ClaimState, find as find_claim, insert as insert_claim};

/// An effect with its geometry as the file stores it.
struct Row {
    effect: Effect,
    geometry: Option<Vec<u8>>,
}

impl Row {
    fn of(effect: Effect) -> Result<Self, Failure> {
        let geometry = effect
            .wkb
            .as_deref()
            .map(|wkb| binary::encode(wkb, SRS_ID))
            .transpose();
        let geometry = geometry.map_err(|error| {
            Failure::new(Part::Sink, Code::RowRefused).with_detail(error.to_string())
        })?;
        Ok(Self { effect, geometry })
    }
}

/// What landed; none is a conflict.
type Outcomes = Vec<Option<Outcome>>;

fn apply(
    connection: &Connection,
    lease: &Lease,
    rows: &[Row],
    now_us: i64,
    touched: &AtomicBool,
) -> Result<Outcomes, Stop> {
    admit(connection, lease)?;
    let outcomes = rows.iter().map(|row| land::land(connection, row, now_us));
    let outcomes = outcomes.collect::<rusqlite::Result<Outcomes>>()?;
    for row in last_applied(rows, &outcomes) {
        land::put(connection, row, now_us)?;
    }
    tally::count(connection, outcomes.iter().flatten().copied().collect())?;
    touched.store(true, Ordering::Relaxed);
    Ok(outcomes)
}

/// The rows that the map shows in the end, in their order: of each entity the last that
/// applied. What it had overtaken in the same commit nobody would ever see.
fn last_applied<'a>(
    rows: &'a [Row],
    outcomes: &'a [Option<Outcome>],
) -> impl Iterator<Item = &'a Row> {
    let applied = |outcome| outcome == Some(Outcome::Applied);
    let entity = |row: &'a Row| (&row.effect.envelope.source, &row.effect.envelope.entity);
    let mut last = HashMap::with_capacity(rows.len());
    for (at, (row, outcome)) in rows.iter().zip(outcomes).enumerate() {
        if applied(*outcome) {
            last.insert(entity(row), at);
        }
    }
    let shown = move |(at, row): &(usize, &'a Row)| last.get(&entity(row)) == Some(at);
    rows.iter().enumerate().filter(shown).map(|(_, row)| row)
}

impl Sink for SqliteMap {
    async fn apply(&self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        let keys: Vec<_> = effects
            .iter()
            .map(|effect| ClaimQuery::of(effect).key)
            .collect();
        let rows = effects.into_iter().map(Row::of);
        let rows = rows.collect::<Result<Vec<Row>, Failure>>()?;
        let lease = lease.clone();
        let now_us = self.store.clock.now_us();
        let touched = Arc::clone(&self.store.touched);
        let work =
            move |connection: &Connection| apply(connection, &lease, &rows, now_us, &touched);
        let outcomes = self.store.writer.run(Part::Sink, work, |_| {}).await?;
        let landed = keys.into_iter().zip(outcomes).map(|(key, outcome)| {
            outcome.map_or(Landed::Conflict, |outcome| {
                Landed::Recorded(Recorded::by_store(key, outcome))
            })
        });
        Ok(landed.collect())
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        let work = move |connection: &Connection| {
            let found = claims.iter().map(|query| look_up(connection, query));
            Ok(found.collect::<rusqlite::Result<Vec<_>>>()?)
        };
        let found = self.store.reader.run(Part::Sink, work, |_| {}).await;
        found.map_err(unfenced(Part::Sink))
    }
}
