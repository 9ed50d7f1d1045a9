//! Ctrl-C and friends, as a flag that long commands look at.
//!
//! The signal itself ends nothing: a command that started programs must first
//! stop them. Once watched, a second Ctrl-C is the same as the first.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::Failure;

/// Whether a person, or the system, asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches SIGINT, SIGTERM and SIGHUP from now on.
    pub(crate) fn watch() -> Result<Self, Failure> {
        let flag = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&flag.0))
                .map_err(|error| Failure::Refused(format!("cannot watch for Ctrl-C: {error}")))?;
        }
        Ok(flag)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails once the flag is set.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.is_set() {
            Err(Failure::Interrupted)
        } else {
            Ok(())
        }
    }
}
