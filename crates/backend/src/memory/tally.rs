//! The tally in memory.

use super::lock;
use super::map::MemoryMap;
use crate::failure::Failure;
use crate::tally::{OutcomeCounts, Tally};

impl Tally for MemoryMap {
    async fn tally(&self) -> Result<OutcomeCounts, Failure> {
        Ok(lock(&self.state).tally)
    }
}
