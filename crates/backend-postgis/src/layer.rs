//! A reference layer kept in a table: read only, whole, in the order of its primary key,
//! each geometry brought into EPSG:4326 by the server.
//!
//! # The stamp
//! What says exactly whether a row changed is the place and the transaction of every row that
//! there is (`ctid`, `xmin`): an insert, an update and a delete each change that set, and a
//! rolled back one does not. Hashed together it is one scan of the table without its long
//! values, 0.4 s for a million rows. That is not cheap, so the server's counts of changed rows
//! decide whether it is due. They alone would not do: they come late, count what was rolled
//! back, can be turned off, are not there on a standby, and are lost at a crash. So the scan
//! is also due [`PostgisLayer::RESCAN`] after the last one, and each time where nothing is
//! counted. A change is seen within seconds, and within a minute whatever the counts say.
//!
//! Not seen until the next change of a row: what a value is shown as, such as a renamed label
//! of an enum.

mod rows;
mod table;

use crate::connection::Connections;
use crate::failure::{Progress, failure};
use crate::session::millis;
use crate::settings::Settings;
use deadpool_postgres::{Client, Transaction};
use hexlane_backend::{Code, Failure, LayerRead, LayerSource, LayerStamp, Part};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use table::Table;
use tokio::time::timeout;
use tokio_postgres::{Error, IsolationLevel};

/// A scan or a read: the largest layer at 4 MB/s.
const READ_LIMIT: Duration = Duration::from_mins(5);

/// The server, as layers are read from it. Clones share its connections.
#[derive(Clone, Debug)]
pub struct PostgisLayers {
    connections: Arc<Connections>,
}

impl PostgisLayers {
    /// Connects to nothing yet. Schema, CRS and shard map of the settings are the map's and
    /// mean nothing here.
    ///
    /// # Errors
    /// The settings do not fit together.
    pub fn new(settings: &Settings) -> Result<Self, Failure> {
        let layers = |failure: Failure| Failure {
            part: Part::Layers,
            ..failure
        };
        settings.check().map_err(layers)?;
        let connections = Connections::new(settings, settings.connections_max).map_err(layers)?;
        Ok(Self {
            connections: Arc::new(connections),
        })
    }

    /// A table; its only geometry column where none is named.
    #[must_use]
    pub fn table(&self, name: TableName, geometry: Option<String>) -> PostgisLayer {
        PostgisLayer {
            connections: Arc::clone(&self.connections),
            name,
            geometry,
            rescan: PostgisLayer::RESCAN,
            known: Mutex::default(),
        }
    }
}

/// Which table, as the catalog spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    schema: String,
    table: String,
}

impl TableName {
    /// The schema of a name that says none.
    const SCHEMA: &str = "public";
    /// The longest name that PostgreSQL does not cut.
    const BYTES_MAX: usize = 63;

    /// `table`, or `schema.table`; neither is folded to lower case. None when a part is
    /// empty, longer than 63 bytes or holds U+0000.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (schema, table) = text.split_once('.').unwrap_or((Self::SCHEMA, text));
        let fits =
            |name: &str| !name.is_empty() && name.len() <= Self::BYTES_MAX && !name.contains('\0');
        (fits(schema) && fits(table)).then(|| Self {
            schema: schema.to_owned(),
            table: table.to_owned(),
        })
    }
}

impl std::fmt::Display for TableName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.schema, self.table)
    }
}

/// A table with a primary key and a geometry column.
#[derive(Debug)]
pub struct PostgisLayer {
    connections: Arc<Connections>,
    name: TableName,
    geometry: Option<String>,
    rescan: Duration,
    known: Mutex<Option<Known>>,
}

/// The last scan.
#[derive(Clone, Debug)]
struct Known {
    /// What the server counted before it.
    counts: String,
    stamp: LayerStamp,
    /// By the server's clock.
    at_us: i64,
}

impl PostgisLayer {
    /// How long the server's counts of changed rows are believed.
    pub const RESCAN: Duration = Duration::from_mins(1);

    /// The same table, scanned again after that time.
    #[must_use]
    pub const fn rescanned_after(mut self, rescan: Duration) -> Self {
        self.rescan = rescan;
        self
    }

    async fn inspect(&self) -> Result<Table, Failure> {
        let (schema, table) = (&self.name.schema, &self.name.table);
        let rows = self
            .connections
            .read(Part::Layers, table::QUERY, &[schema, table])
            .await?;
        Table::of(&self.name, self.geometry.as_deref(), rows.first())
    }

    /// The stamp of the last scan, when nothing speaks against it.
    fn believed(&self, table: &Table) -> Option<LayerStamp> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref()?;
        let age_us = u64::try_from(table.now_us - known.at_us).ok()?;
        let young = u128::from(age_us) < self.rescan.as_micros();
        let believed = table.counted && young && known.counts == table.counts;
        believed.then(|| known.stamp.clone())
    }

    /// `before` was asked before the scan: what is counted later makes another one due.
    fn remember(&self, before: Table, stamp: LayerStamp) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Known {
            counts: before.counts,
            stamp,
            at_us: before.now_us,
        });
    }

    /// One transaction with one snapshot; its connection goes when it fails.
    async fn in_one_state<T>(
        &self,
        before: &Table,
        work: impl AsyncFnOnce(&Transaction<'_>, &Table) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut client = self.connections.session(Part::Layers).await?;
        let done = timeout(READ_LIMIT, self.transact(&mut client, before, work));
        let done = done.await.unwrap_or_else(|_| {
            let detail = format!("{}: not read within {READ_LIMIT:?}", self.name);
            Err(Failure::new(Part::Layers, Code::Unavailable).with_detail(detail))
        });
        if done.is_err() {
            drop(Client::take(client));
        }
        done
    }

    async fn transact<T>(
        &self,
        client: &mut Client,
        before: &Table,
        work: impl AsyncFnOnce(&Transaction<'_>, &Table) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let told = |error: Error| self.told(&error);
        let transaction = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await
            .map_err(told)?;
        // The lock comes before the snapshot: a table that is truncated or written anew
        // after a snapshot was taken looks empty in it.
        let begin = format!(
            "SET LOCAL statement_timeout = {}; LOCK TABLE {} IN ACCESS SHARE MODE",
            millis(READ_LIMIT),
            before.quoted_name,
        );
        transaction.batch_execute(&begin).await.map_err(told)?;
        let parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)] =
            &[&self.name.schema, &self.name.table];
        let rows = transaction.query(table::QUERY, parameters).await;
        let rows = rows.map_err(told)?;
        let table = Table::of(&self.name, self.geometry.as_deref(), rows.first())?;
        let done = work(&transaction, &table).await?;
        transaction.commit().await.map_err(told)?;
        Ok(done)
    }

    async fn scan(
        &self,
        transaction: &Transaction<'_>,
        table: &Table,
    ) -> Result<LayerStamp, Failure> {
        let row = transaction.query_one(&table.scan(), &[]).await;
        let row = row.map_err(|error| self.told(&error))?;
        let (rows, mark): (i64, i64) = (row.get("rows"), row.get("mark"));
        Ok(LayerStamp::new(format!("{} {rows}/{mark}", table.shape)))
    }

    fn told(&self, error: &Error) -> Failure {
        let failure = failure(Part::Layers, error, Progress::Harmless);
        let detail = failure.detail.clone().unwrap_or_default();
        failure.with_detail(format!("{}: {detail}", self.name))
    }
}

impl LayerSource for PostgisLayer {
    async fn stamp(&self) -> Result<LayerStamp, Failure> {
        let before = self.inspect().await?;
        if let Some(stamp) = self.believed(&before) {
            return Ok(stamp);
        }
        let stamp = self
            .in_one_state(&before, async |transaction, table| {
                self.scan(transaction, table).await
            })
            .await?;
        self.remember(before, stamp.clone());
        Ok(stamp)
    }

    async fn read(&self) -> Result<LayerRead, Failure> {
        let before = self.inspect().await?;
        let read = self
            .in_one_state(&before, async |transaction, table| {
                let stamp = self.scan(transaction, table).await?;
                let features = rows::read(transaction, table, &self.name).await?;
                Ok(LayerRead { stamp, features })
            })
            .await?;
        self.remember(before, read.stamp.clone());
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_once_and_spelled_as_the_catalog_spells_it() {
        let shown = |text| TableName::parse(text).map(|name| name.to_string());
        assert_eq!(shown("zones").as_deref(), Some("public.zones"));
        assert_eq!(shown("gis.Zones").as_deref(), Some("gis.Zones"));
        let odd = TableName::parse("gis.zones.2026").unwrap();
        assert_eq!(
            (odd.schema.as_str(), odd.table.as_str()),
            ("gis", "zones.2026")
        );
        for bad in ["", ".", "gis.", ".zones", "a\0b", &"x".repeat(64)] {
            assert_eq!(TableName::parse(bad), None, "{bad:?}");
        }
    }
}
