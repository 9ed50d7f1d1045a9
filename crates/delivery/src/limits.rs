//! The bounds of what is held and of what is applied at once.

/// What one apply may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Events of one micro-batch: past 500 rows a batched statement gains little and
    /// a failed one costs more.
    pub events_max: usize,
    /// Bytes of one micro-batch; a single larger event rides alone.
    pub bytes_max: usize,
    /// Consecutive events of one key before the next key's turn, so that one hot cell
    /// cannot starve the rest.
    pub key_burst_events_max: usize,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            events_max: 500,
            bytes_max: 4 << 20,
            key_burst_events_max: 8,
        }
    }
}

/// What may be held in memory, over all shards of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditLimits {
    /// Deliveries held: sixteen full micro-batches.
    pub entries_max: usize,
    /// Payload bytes held: memory stays flat whatever the backlog.
    pub bytes_max: usize,
    /// Deliveries of one shard, so that one shard's failing keys leave room for others.
    pub shard_entries_max: usize,
}

impl Default for CreditLimits {
    fn default() -> Self {
        Self {
            entries_max: 8_000,
            bytes_max: 32 << 20,
            shard_entries_max: 4_000,
        }
    }
}
