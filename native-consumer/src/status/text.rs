//! The form for people.

use super::StatusDocument;
use std::io::{self, Write};

/// Shards named at most: those whose oldest event is oldest.
const SHARDS_MAX: usize = 10;

/// Writes the document.
pub(super) fn write(document: &StatusDocument, out: &mut impl Write) -> io::Result<()> {
    for (outcome, deliveries) in &document.settled {
        writeln!(out, "{outcome:<12}{deliveries}")?;
    }
    writeln!(
        out,
        "{:<12}{} ({} ready, {} in flight)",
        "waiting", document.waiting, document.ready, document.in_flight
    )?;
    if let Some(age_ms) = document.oldest_age_ms {
        writeln!(out, "{:<12}{}", "oldest", seconds(age_ms))?;
    }
    for dead in &document.dead_letters {
        writeln!(
            out,
            "dead letters, {} ({}): {}",
            dead.destination, dead.class, dead.open
        )?;
    }
    let mut shards: Vec<_> = document.shards.iter().collect();
    shards.sort_by_key(|shard| std::cmp::Reverse(shard.oldest_age_ms));
    for shard in shards.into_iter().take(SHARDS_MAX) {
        let age = seconds(shard.oldest_age_ms.unwrap_or(0));
        let (ready, in_flight) = (shard.ready, shard.in_flight);
        writeln!(
            out,
            "shard {:03}: {ready} ready, {in_flight} in flight, oldest {age}",
            shard.shard
        )?;
    }
    Ok(())
}

fn seconds(age_ms: u64) -> String {
    format!("{}.{:03} s", age_ms / 1_000, age_ms % 1_000)
}
