//! What became of an event. Each event ends as exactly one of these, or still waits.

/// The recorded end of an event's delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The map state changed, or an equal state was confirmed under a newer version.
    Applied,
    /// A newer version of the entity stood already.
    Stale,
    /// The idempotency key had its effect before.
    Duplicate,
    /// It stands among the dead letters.
    Dead,
}

impl Outcome {
    /// Every outcome, in the order of the declaration.
    pub const ALL: [Self; 4] = [Self::Applied, Self::Stale, Self::Duplicate, Self::Dead];

    /// The fixed name in metrics, answers and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Stale => "stale",
            Self::Duplicate => "duplicate",
            Self::Dead => "dead",
        }
    }
}
