//! What the routes share.

use super::health::Readiness;
use super::refusals::Refusals;
use crate::metrics::Metrics;
use hexlane_backend::Clock;
use hexlane_core::signature::Secret;
use hexlane_door::{Budget, Door};
use hexlane_engine::Backends;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Room for relay batches is handed out in pieces of this size: a semaphore counts to
/// 2^29 only on small machines, and nobody needs it finer.
const RELAY_PIECE_BYTES: u64 = 64 * 1024;

/// What the routes share.
#[derive(Debug)]
pub struct App<B> {
    pub(super) door: Door,
    pub(super) budget: Budget,
    pub(super) relay_room: Semaphore,
    pub(super) relay_secrets: Vec<Secret>,
    pub(super) stores: B,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) judges: Arc<Semaphore>,
    pub(super) readiness: Readiness,
    pub(super) metrics: Arc<Metrics>,
    pub(super) refusals: Refusals,
}

impl<B: Backends> App<B> {
    /// The door before those stores. `bytes_in_flight_max` bounds intake, and relay, each.
    #[must_use]
    pub fn new(
        door: Door,
        relay_secrets: Vec<Secret>,
        bytes_in_flight_max: u64,
        stores: B,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            door,
            budget: Budget::new(bytes_in_flight_max),
            relay_room: Semaphore::new(relay_pieces(bytes_in_flight_max) as usize),
            relay_secrets,
            stores,
            clock,
            judges: Arc::new(Semaphore::new(cores)),
            readiness: Readiness::default(),
            metrics,
            refusals: Refusals::default(),
        }
    }

    /// Whether it takes events; to be told when that changes.
    #[must_use]
    pub const fn readiness(&self) -> &Readiness {
        &self.readiness
    }
}

/// How many pieces of room so many bytes take.
pub(super) fn relay_pieces(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(RELAY_PIECE_BYTES)).unwrap_or(u32::MAX >> 3)
}
