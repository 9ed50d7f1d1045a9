//! What the catalog says of a table: whether it can be a layer, and what was counted of it.

use super::TableName;
use crate::sql::quoted;
use hexlane_backend::{Code, Failure, Part};
use tokio_postgres::Row;

/// One row; none where there is no such table. A table in parts has its counts in its parts.
pub(super) const QUERY: &str = "
    WITH RECURSIVE part (oid, kind) AS (
      SELECT c.oid, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1::text AND c.relname = $2::text
      UNION SELECT c.oid, c.relkind FROM part p
        JOIN pg_inherits i ON i.inhparent = p.oid JOIN pg_class c ON c.oid = i.inhrelid
    ), col AS (
      SELECT a.*, CASE
          WHEN a.atttypid = 'bytea'::regtype THEN 'bytes'
          WHEN t.typnamespace = e.extnamespace AND t.typname IN ('geometry', 'geography')
            THEN 'geometry'
          ELSE 'value' END AS form
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_extension e ON e.extname = 'postgis'
      WHERE a.attrelid = (SELECT p.oid FROM part p LIMIT 1)
        AND a.attnum > 0 AND NOT a.attisdropped
    )
    SELECT c.relkind::text AS kind, current_user::text AS reader,
      has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
        AS readable,
      (SELECT count(*) > 1 FROM part) AS divided,
      (SELECT bool_or(p.kind NOT IN ('r', 'p')) FROM part p) AS elsewhere,
      (SELECT s.nspname::text FROM pg_extension e
        JOIN pg_namespace s ON s.oid = e.extnamespace WHERE e.extname = 'postgis') AS postgis,
      ARRAY(SELECT a.attname::text FROM col a ORDER BY a.attnum) AS names,
      ARRAY(SELECT a.form FROM col a ORDER BY a.attnum) AS forms,
      ARRAY(SELECT a.attname::text FROM pg_index i
        CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, ord)
        JOIN col a ON a.attnum = k.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.ord) AS keys,
      (SELECT string_agg(concat_ws('/', a.attnum, a.attname, a.atttypid, a.atttypmod,
        a.attmissingval), ' ' ORDER BY a.attnum) FROM col a) AS shape,
      (SELECT string_agg(concat_ws('/', p.oid, pg_relation_filenode(p.oid),
          pg_stat_get_tuples_inserted(p.oid), pg_stat_get_tuples_updated(p.oid),
          pg_stat_get_tuples_deleted(p.oid)), ' ' ORDER BY p.oid) FROM part p)
        || ' ' || pg_postmaster_start_time() AS counts,
      current_setting('track_counts')::bool AND NOT pg_is_in_recovery() AS counted,
      (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relname = $2::text";

/// A table that can be a layer.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) quoted_name: String,
    /// The schema of PostGIS, quoted.
    pub(super) postgis: String,
    /// The column with the geometry.
    pub(super) geometry: String,
    /// The columns of the primary key, in its order.
    pub(super) keys: Vec<String>,
    /// The columns that are told as properties.
    pub(super) properties: Vec<String>,
    /// Columns and their types.
    pub(super) shape: String,
    /// What the server counted of it, and its columns.
    pub(super) counts: String,
    /// Whether the server counts at all.
    pub(super) counted: bool,
    /// The server's clock.
    pub(super) now_us: i64,
}

impl Table {
    /// What was found, unless it cannot be a layer.
    pub(super) fn of(
        name: &TableName,
        geometry: Option<&str>,
        found: Option<&Row>,
    ) -> Result<Self, Failure> {
        let refused = |why: &str| refused(format!("{name} {why}"));
        let row = found.ok_or_else(|| refused("is missing: the database has no such table"))?;
        let postgis: Option<String> = row.get("postgis");
        let postgis = postgis.ok_or_else(|| refused("is in a database without PostGIS"))?;
        check_kind(row).map_err(|why| refused(&why))?;
        let keys: Vec<String> = row.get("keys");
        if keys.is_empty() {
            return Err(refused(
                "has no primary key, which gives its rows their order",
            ));
        }
        let names: Vec<String> = row.get("names");
        let forms: Vec<String> = row.get("forms");
        let of_form = |form: &str| -> Vec<String> {
            let columns = names.iter().zip(&forms);
            let columns = columns.filter(|(_, found)| *found == form);
            columns.map(|(name, _)| name.clone()).collect()
        };
        let geometry = one_of(geometry, &of_form("geometry")).map_err(|why| refused(&why))?;
        let shape: String = row.get("shape");
        let counts: String = row.get("counts");
        Ok(Self {
            quoted_name: format!("{}.{}", quoted(&name.schema), quoted(&name.table)),
            postgis: quoted(&postgis),
            geometry,
            keys,
            properties: of_form("value"),
            counts: format!("{shape} {counts}"),
            shape,
            counted: row.get("counted"),
            now_us: row.get("now_us"),
        })
    }

    /// The set of its rows, told by a number.
    pub(super) fn scan(&self) -> String {
        format!(
            "SELECT count(*) AS rows, coalesce(bit_xor(hashtextextended(
               t.ctid::text || '/' || t.xmin::text, t.tableoid::bigint)), 0) AS mark
             FROM {} AS t",
            self.quoted_name
        )
    }
}

/// Views have neither keys nor rows of their own; rows of another server no `xmin`; and the
/// primary key of a table does not hold for what inherits from it.
fn check_kind(row: &Row) -> Result<(), String> {
    let kind: String = row.get("kind");
    let divided: bool = row.get("divided");
    let elsewhere: Option<bool> = row.get("elsewhere");
    match kind.as_str() {
        "v" => return Err("is a view: name a table with a primary key".to_owned()),
        "m" => return Err("is a materialized view: name a table with a primary key".to_owned()),
        "f" => return Err("is a foreign table: copy it into this database".to_owned()),
        "r" if divided => return Err("has tables that inherit from it".to_owned()),
        "p" if elsewhere == Some(true) => return Err("has a foreign partition".to_owned()),
        "r" | "p" => {}
        _ => return Err("is no table".to_owned()),
    }
    let readable: Option<bool> = row.get("readable");
    if readable != Some(true) {
        let reader: String = row.get("reader");
        return Err(format!(
            "may not be read by {reader}: GRANT USAGE ON SCHEMA and SELECT on the table"
        ));
    }
    Ok(())
}

fn one_of(named: Option<&str>, columns: &[String]) -> Result<String, String> {
    match (named, columns) {
        (Some(named), columns) if columns.iter().any(|column| column == named) => {
            Ok(named.to_owned())
        }
        (_, []) => Err("has no geometry column".to_owned()),
        (None, [only]) => Ok(only.clone()),
        (Some(named), columns) => Err(format!(
            "has no geometry column `{named}`: `{}`",
            columns.join("`, `")
        )),
        (None, columns) => Err(format!(
            "has several geometry columns, name one: `{}`",
            columns.join("`, `")
        )),
    }
}

pub(super) fn refused(detail: String) -> Failure {
    Failure::new(Part::Layers, Code::Settings).with_detail(detail)
}
