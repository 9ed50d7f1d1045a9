//! Counts vertex steps against the bound. A step that cannot be paid ends the judgement.

#[derive(Debug)]
pub(crate) struct Meter {
    done: u64,
    max: u64,
}

/// The judgement ends here: the bound is met, or exact arithmetic cannot hold the coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopped;

impl Meter {
    pub(crate) fn new(max: Option<u64>) -> Self {
        Self {
            done: 0,
            max: max.unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Pays for steps; about to be done, or just done when their number was bounded.
    pub(crate) fn pay(&mut self, steps: usize) -> Result<(), Stopped> {
        self.done = self.done.saturating_add(steps as u64);
        if self.done > self.max {
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    /// Does what may take so many steps at most, or the rest of the bound. `None` when it took more and the bound itself
    /// is not met.
    pub(crate) fn within<T>(
        &mut self,
        steps_max: u64,
        task: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<Option<T>, Stopped> {
        let max = self.max;
        self.max = max.min(self.done.saturating_add(steps_max));
        let outcome = task(self);
        self.max = max;
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(Stopped) if self.done > max => Err(Stopped),
            Err(Stopped) => Ok(None),
        }
    }
}
