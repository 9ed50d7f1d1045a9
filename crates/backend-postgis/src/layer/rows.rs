//! Every row as a feature, in the order of the primary key. A row that the server cannot
//! tell, because its geometry has no place in degrees, is named and refuses the layer: left
//! out, events would miss what they were to meet.

use super::TableName;
use super::table::{Table, refused};
use crate::failure::{Progress, failure};
use crate::sql::quoted;
use deadpool_postgres::Transaction;
use futures_util::TryStreamExt;
use hexlane_backend::{Code, Failure, LayerContent, LayerFeature, Part};
use std::pin::pin;
use tokio_postgres::{Error, Row};

/// Rows asked for at once, so that what is over a limit is not sent.
const ROWS_AT_ONCE: i32 = 500;
/// Characters of a key's column in the name of a row.
const KEY_CHARS_MAX: usize = 64;
const SRID: i32 = 4326;

/// The rows, read in a snapshot.
pub(super) async fn read(
    transaction: &Transaction<'_>,
    table: &Table,
    name: &TableName,
) -> Result<Vec<LayerFeature>, Failure> {
    let told = |error: Error| failure(Part::Layers, &error, Progress::Harmless);
    transaction
        .batch_execute("SAVEPOINT rows")
        .await
        .map_err(told)?;
    let mut rows = Rows {
        table,
        name,
        content: LayerContent::default(),
        taken: 0,
    };
    let portal = transaction.bind(&select(table), &[]).await.map_err(told)?;
    loop {
        let before = rows.taken;
        let part = transaction.query_portal_raw(&portal, ROWS_AT_ONCE).await;
        let mut part = pin!(part.map_err(told)?);
        loop {
            match part.try_next().await {
                Ok(Some(row)) => rows.take(&row)?,
                Ok(None) => break,
                Err(error) => return Err(rows.broken(transaction, &error).await),
            }
        }
        if rows.taken - before < i64::from(ROWS_AT_ONCE) {
            return Ok(rows.content.into_features());
        }
    }
}

struct Rows<'a> {
    table: &'a Table,
    name: &'a TableName,
    content: LayerContent,
    taken: i64,
}

impl Rows<'_> {
    fn take(&mut self, row: &Row) -> Result<(), Failure> {
        self.taken += 1;
        let place = self.place(row);
        if row.get::<_, Option<i32>>("srid") == Some(0) {
            return Err(refused(format!(
                "{place}: its geometry has no SRID: set the one that it is in (UpdateGeometrySRID)"
            )));
        }
        self.content.push(LayerFeature {
            place,
            wkb: row.get("wkb"),
            properties: row.get("properties"),
        })
    }

    fn place(&self, row: &Row) -> String {
        let values: Vec<String> = row.get("keys");
        let keys = self.table.keys.iter().zip(values);
        let keys: Vec<String> = keys.map(|(key, value)| format!("{key} {value}")).collect();
        format!("{}, {}", self.name, keys.join(", "))
    }

    /// Rows are told one by one in their order, so it is the one after those that came.
    async fn broken(&self, transaction: &Transaction<'_>, error: &Error) -> Failure {
        let told = failure(Part::Layers, error, Progress::Harmless);
        let state = error.code().map_or("", |state| state.code());
        if !(state.starts_with("22") || state == "XX000") {
            return told;
        }
        let detail = told.detail.clone().unwrap_or_default();
        let place = match self.next_place(transaction).await {
            Ok(Some(place)) => place,
            Ok(None) | Err(_) => self.name.to_string(),
        };
        Failure::new(Part::Layers, Code::RowRefused).with_detail(format!("{place}: {detail}"))
    }

    async fn next_place(&self, transaction: &Transaction<'_>) -> Result<Option<String>, Error> {
        transaction
            .batch_execute("ROLLBACK TO SAVEPOINT rows")
            .await?;
        let sql = format!(
            "SELECT {} AS keys FROM {} AS t ORDER BY {} OFFSET $1 LIMIT 1",
            key_texts(self.table),
            self.table.quoted_name,
            order(self.table),
        );
        let row = transaction.query_opt(&sql, &[&self.taken]).await?;
        Ok(row.map(|row| self.place(&row)))
    }
}

/// The order is made inside, where no geometry is touched; outside, row by row, what may
/// fail. Columns go by numbers, so that no name meets another.
fn select(table: &Table) -> String {
    let postgis = &table.postgis;
    let properties = table.properties.iter().enumerate();
    let keys = std::iter::once(format!("{} AS keys", key_texts(table)));
    let columns = properties.clone();
    let columns = columns.map(|(number, name)| format!("t.{} AS p{number}", quoted(name)));
    let inside: Vec<String> = keys.chain(columns).collect();
    let outside: Vec<String> = properties
        .map(|(number, name)| format!("r.p{number} AS {}", quoted(name)))
        .collect();
    format!(
        "SELECT r.keys, {postgis}.ST_SRID(r.g) AS srid,
           {postgis}.ST_AsBinary(CASE WHEN {postgis}.ST_SRID(r.g) IN (0, {SRID}) THEN r.g
             ELSE {postgis}.ST_Transform(r.g, {SRID}) END, 'NDR') AS wkb,
           (SELECT to_json(p)::text FROM (SELECT {}) AS p) AS properties
         FROM (SELECT {}, t.{}::{postgis}.geometry AS g
           FROM {} AS t ORDER BY {} OFFSET 0) AS r",
        outside.join(", "),
        inside.join(", "),
        quoted(&table.geometry),
        table.quoted_name,
        order(table),
    )
}

fn key_texts(table: &Table) -> String {
    let keys = table.keys.iter();
    let keys = keys.map(|key| format!("left(t.{}::text, {KEY_CHARS_MAX})", quoted(key)));
    format!("ARRAY[{}]", keys.collect::<Vec<String>>().join(", "))
}

fn order(table: &Table) -> String {
    let keys = table.keys.iter().map(|key| format!("t.{}", quoted(key)));
    keys.collect::<Vec<String>>().join(", ")
}
