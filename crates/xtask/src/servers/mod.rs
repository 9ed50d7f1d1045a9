//! Real servers for `up` and for benchmarks: Redis, and PostgreSQL with PostGIS, each in a
//! folder of its own, on loopback, durable as production is.
//!
//! Installed by apt where that is allowed. What they hold stays in their folder and is
//! there again at the next start.

mod postgis;
mod redis;

pub(crate) use self::{postgis::Postgis, redis::Redis};
