//! What was tried for an event so far, as the queue keeps it beside the entry. Plain
//! values: when to try again is decided elsewhere.

use hexlane_core::FailureClass;

/// What was tried so far. All zero for an entry that was never tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetryState {
    /// How often it was tried.
    pub attempts: u32,
    /// How many of those spend the budget.
    pub failures: u32,
    /// Not to be tried before, µs since 1970; 0 when at once.
    pub due_at_us: i64,
    /// The delay drawn last; decorrelated jitter needs it after a restart.
    pub previous_delay_ms: u64,
    /// When it was first tried, µs since 1970.
    pub first_attempt_at_us: Option<i64>,
    /// The code of the last attempt that failed.
    pub last_code: Option<String>,
    /// The last attempts, oldest first; at most [`RetryState::HISTORY_MAX`] are kept.
    pub history: Vec<Attempt>,
}

impl RetryState {
    /// How many attempts are kept with time and code: enough for every budget in use,
    /// small beside an envelope.
    pub const HISTORY_MAX: usize = 16;

    /// Drops the oldest attempts over the limit.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        let surplus = self.history.len().saturating_sub(Self::HISTORY_MAX);
        self.history.drain(..surplus);
        self
    }
}

/// One try that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When, µs since 1970.
    pub at_us: i64,
    /// What kind of failure.
    pub class: FailureClass,
    /// Its stable code.
    pub code: String,
}
