//! The tally in the file where the outcomes are, so that each commits with its count.

use crate::failure::{Stop, unfenced};
use crate::map::SqliteMap;
use crate::map::schema::TALLY_QUERY;
use hexlane_backend::{Failure, OutcomeCounts, Part, Tally};
use hexlane_core::Outcome;
use rusqlite::Connection;

/// Counts, in the open transaction.
pub(crate) fn count(connection: &Connection, counts: OutcomeCounts) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO hexlane_tally (outcome, deliveries) VALUES (?1, ?2)
         ON CONFLICT (outcome) DO UPDATE SET deliveries = deliveries + excluded.deliveries",
    )?;
    for outcome in Outcome::ALL {
        let deliveries = counts.of(outcome);
        if deliveries > 0 {
            statement.execute((outcome.as_str(), deliveries.cast_signed()))?;
        }
    }
    Ok(())
}

/// What that query says; outcomes that this build does not know are left out.
pub(crate) fn read(connection: &Connection, query: &str) -> Result<OutcomeCounts, Stop> {
    let mut counts = OutcomeCounts::default();
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, deliveries): (String, i64) = (row.get(0)?, row.get(1)?);
        let outcome = Outcome::ALL.into_iter().find(|each| each.as_str() == name);
        if let Some(outcome) = outcome {
            counts.add(outcome, deliveries.unsigned_abs());
        }
    }
    Ok(counts)
}

impl Tally for SqliteMap {
    async fn tally(&self) -> Result<OutcomeCounts, Failure> {
        let work = |connection: &Connection| read(connection, TALLY_QUERY);
        let counts = self.store.reader.run(Part::Sink, work, |_| {}).await;
        counts.map_err(unfenced(Part::Sink))
    }
}
