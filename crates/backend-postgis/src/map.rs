//! The map as a whole: connected once, shared by every seam it stands behind.

use crate::connection::Connections;
use crate::crs::MapCrs;
use crate::gates::Gates;
use crate::migration;
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sql::Names;
use crate::{dead_letters, leases, sink, tally};
use hexlane_backend::{Authority, Code, Epoch, Failure, Lease, Part, StoreError};
use std::future::Future;
use std::sync::Arc;
use tokio_postgres::Row;

/// Lease calls at once: each takes about a millisecond, and one that takes a shard over waits
/// for the batch in flight.
const LEASE_CONNECTIONS_MAX: usize = 4;

/// Leases, sink, dead letters and tally in one schema. Clones share it.
#[derive(Clone, Debug)]
pub struct PostgisMap {
    pub(crate) store: Arc<Store>,
}

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) connections: Connections,
    /// Leases have their own: one that is not renewed because every other connection waits
    /// for a lock would cost a shard that is held well.
    pub(crate) lease_connections: Connections,
    pub(crate) gates: Gates,
    pub(crate) crs: MapCrs,
    pub(crate) lease_ms: u64,
    pub(crate) server: Server,
    pub(crate) leases: leases::Texts,
    pub(crate) sink: sink::Texts,
    pub(crate) dead_letters: dead_letters::Texts,
    pub(crate) tally: String,
    authority: String,
}

impl PostgisMap {
    /// Connects, checks the server, and makes the schema or brings it up to date.
    ///
    /// # Errors
    /// The server is away, refuses us, is too old, read-only, without PostGIS or not in
    /// UTF8; the schema is somebody else's, of a newer build, damaged, in another CRS or
    /// of another shard map; the settings do not fit together.
    pub async fn connect(settings: &Settings) -> Result<Self, Failure> {
        settings.check()?;
        let connections = Connections::new(settings, settings.connections_max)?;
        let lease_connections = Connections::new(settings, LEASE_CONNECTIONS_MAX)?;
        let mut client = connections.session(Part::Sink).await?;
        let server = server::inspect(&client, settings).await?;
        let names = Names::new(&settings.schema, &server.postgis_schema);
        migration::migrate(&mut client, settings, &names).await?;
        drop(client);
        let store = Store {
            connections,
            lease_connections,
            gates: Gates::new(settings.shard_map),
            crs: settings.crs,
            lease_ms: settings.lease_ms,
            server,
            leases: leases::Texts::new(&names),
            sink: sink::Texts::new(&names),
            dead_letters: dead_letters::Texts::new(&names),
            tally: names.fill(tally::QUERY),
            authority: names.fill(migration::AUTHORITY),
        };
        Ok(Self {
            store: Arc::new(store),
        })
    }

    /// The name of this map.
    ///
    /// # Errors
    /// The server cannot be asked, or the name was damaged by hand.
    pub async fn authority(&self) -> Result<Authority, Failure> {
        let (connections, sql) = (&self.store.connections, &self.store.authority);
        let rows = connections.read(Part::Sink, sql, &[]).await?;
        let name = rows.first().and_then(|row| Authority::parse(row.get(0)));
        name.ok_or_else(|| {
            Failure::new(Part::Sink, Code::Corrupt).with_detail("the name of the map is damaged")
        })
    }

    /// What was found on the other side.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.store.server
    }

    /// Finishes what is in flight, then ends every session. Calls after that answer
    /// `store.stopped`.
    pub async fn stop(&self) {
        self.store.gates.drained().await;
        self.store.connections.close();
        self.store.lease_connections.close();
    }
}

/// Runs a call to its end, also when whoever asked is gone: a shard's next call must not
/// meet it on the server.
pub(crate) async fn to_its_end<T: Send + 'static>(
    part: Part,
    call: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(call).await.unwrap_or_else(|error| {
        let code = if error.is_cancelled() {
            Code::Stopped
        } else {
            Code::Internal
        };
        Err(Failure::new(part, code).into())
    })
}

/// The one row of a call under a lease, unless a higher epoch stands.
pub(crate) fn unfenced(part: Part, lease: &Lease, rows: Vec<Row>) -> Result<Row, StoreError> {
    let row = rows
        .into_iter()
        .next()
        .ok_or_else(|| Failure::new(part, Code::Internal).with_detail("no row"))?;
    match row.get::<_, Option<i64>>("fenced_by") {
        None => Ok(row),
        Some(current) => Err(fenced(lease, current)),
    }
}

/// Fenced by that epoch.
pub(crate) fn fenced(lease: &Lease, current: i64) -> StoreError {
    StoreError::Fenced {
        shard: lease.shard,
        epoch: lease.epoch,
        current: Epoch::new(current.unsigned_abs()),
    }
}

/// A shard as the tables hold it: at most 999.
pub(crate) fn shard_number(lease: &Lease) -> i16 {
    lease.shard.get().cast_signed()
}
