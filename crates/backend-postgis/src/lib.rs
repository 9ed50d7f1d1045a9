//! Leases, map state, dead letters and tally in PostgreSQL with PostGIS; and tables of
//! anybody's as reference layers ([`PostgisLayer`]).
//!
//! | table | holds |
//! |---|---|
//! | `leases`, `fences` | who has which shard; the epoch each batch is checked against |
//! | `claims` | one row an idempotency key, with the digest of its payload |
//! | `entities` | the newest version of each entity, tombstones too |
//! | `features` | the map: geometry, properties, source, entity, cell, event, times |
//! | `dead_letters` | what could not be delivered, with the place of the error |
//! | `tally` | how many deliveries ended how |
//!
//! All stand in one schema, made and brought up to date when a process connects; two that
//! start at once do not harm each other. A batch is **one statement**, a call of a function
//! that takes arrays: its locks never wait for this process. At most one such call is in
//! flight a shard, because two that share the fence's row would burn multixacts.
//!
//! A call that was sent and not answered is `store.answer_lost`: look it up. A batch that
//! the database refuses for a value (SQLSTATE 22, 23, 54) is `persist.rejected` and leaves
//! nothing. The lease authority's clock is the database's.
//!
//! Geometry comes as longitude and latitude and is stored so, or in EPSG:3857 by setting;
//! see [`MapCrs`]. It is never changed otherwise.
//!
//! Sessions are used as such (settings, prepared statements): a pooler between must not
//! share them between transactions. It never retries and reads no settings file,
//! environment or clock. Not here yet: forgetting claims that are old.

mod connection;
mod crs;
mod dead_letters;
mod failure;
mod gates;
mod layer;
mod leases;
mod map;
mod migration;
mod server;
mod session;
mod settings;
mod sink;
mod sql;
mod tally;
mod text;
mod tls;
mod view;

pub use crs::MapCrs;
pub use layer::{PostgisLayer, PostgisLayers, TableName};
pub use map::PostgisMap;
pub use server::Server;
pub use settings::{Settings, Tls};
pub use view::{MapView, look};
