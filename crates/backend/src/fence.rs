//! The fence that every store has: the highest epoch seen per shard. Compare-higher, so
//! that a store needs no word from the lease authority.

use crate::failure::StoreError;
use crate::lease::{Epoch, Lease};
use hexlane_core::lane::Shard;
use std::collections::HashMap;

/// The highest epoch seen per shard.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    epochs: HashMap<Shard, Epoch>,
}

/// How an epoch stands to the one that was here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// The same as before.
    Same,
    /// Higher: it stands from now on.
    Installed,
}

impl Fence {
    /// A fence that has seen these epochs.
    #[must_use]
    pub fn of(epochs: impl IntoIterator<Item = (Shard, Epoch)>) -> Self {
        Self {
            epochs: epochs.into_iter().collect(),
        }
    }

    /// Lets a call through and installs its epoch when it is higher.
    ///
    /// # Errors
    /// Fenced when a higher epoch was here.
    pub fn admit(&mut self, lease: &Lease) -> Result<Admitted, StoreError> {
        let admitted = self.check(lease)?;
        self.epochs.insert(lease.shard, lease.epoch);
        Ok(admitted)
    }

    /// What [`Fence::admit`] would say, without installing.
    ///
    /// # Errors
    /// Fenced when a higher epoch was here.
    pub fn check(&self, lease: &Lease) -> Result<Admitted, StoreError> {
        match self.epochs.get(&lease.shard) {
            Some(current) if *current > lease.epoch => Err(StoreError::Fenced {
                shard: lease.shard,
                epoch: lease.epoch,
                current: *current,
            }),
            Some(current) if *current == lease.epoch => Ok(Admitted::Same),
            Some(_) | None => Ok(Admitted::Installed),
        }
    }
}
