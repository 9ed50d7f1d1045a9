//! What the server must be before anything is made on it.

use crate::failure::{Progress, failure};
use crate::settings::Settings;
use deadpool_postgres::Client;
use hexlane_backend::{Code, Failure, Part};
use tokio_postgres::Row;

/// The oldest PostgreSQL that is served: the oldest that its makers still mend.
const VERSION_MIN: i32 = 140_000;
/// The oldest PostGIS whose functions mean what we take them for.
const POSTGIS_MAJOR_MIN: u32 = 3;

/// What was found on the other side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// As the server says it: `15.18 (Debian …)`.
    pub version: String,
    /// Version of the extension.
    pub postgis: String,
    /// Whether commits survive a fall of the machine. An alert is due when not.
    pub fsync: bool,
    /// Where the extension's functions are.
    pub(crate) postgis_schema: String,
}

/// Recovery is a standby; a session may be read-only by its user, database or server.
const QUERY: &str = "
    SELECT current_setting('server_version_num')::int AS number,
      current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS standby,
      current_setting('transaction_read_only') = 'on' AS read_only,
      current_setting('fsync') = 'on' AS fsync,
      e.extversion AS postgis, n.nspname::text AS postgis_schema
    FROM (VALUES (1)) AS one (one)
      LEFT JOIN pg_extension e ON e.extname = 'postgis'
      LEFT JOIN pg_namespace n ON n.oid = e.extnamespace";

/// Asks the server what it is; refuses one that cannot hold a map.
pub(crate) async fn inspect(client: &Client, settings: &Settings) -> Result<Server, Failure> {
    let (server, read_only) = ask(client, settings).await?;
    match read_only {
        None => Ok(server),
        Some(why) => Err(refused(Code::ReadOnly, why)),
    }
}

/// The same for whoever only looks: it may be read-only.
pub(crate) async fn inspect_to_look(
    client: &Client,
    settings: &Settings,
) -> Result<Server, Failure> {
    Ok(ask(client, settings).await?.0)
}

async fn ask(
    client: &Client,
    settings: &Settings,
) -> Result<(Server, Option<&'static str>), Failure> {
    let row = client
        .query_one(QUERY, &[])
        .await
        .map_err(|error| failure(Part::Sink, &error, Progress::Harmless))?;
    judge(&row, settings)
}

fn judge(row: &Row, settings: &Settings) -> Result<(Server, Option<&'static str>), Failure> {
    let version: String = row.get("version");
    if row.get::<_, i32>("number") < VERSION_MIN {
        let detail = format!("PostgreSQL {version} is too old: 14 is the oldest");
        return Err(refused(Code::Settings, detail));
    }
    let encoding: String = row.get("encoding");
    if encoding != "UTF8" {
        let detail = format!("the database is encoded in {encoding}, not UTF8");
        return Err(refused(Code::Settings, detail));
    }
    let fsync: bool = row.get("fsync");
    if settings.refuse_without_fsync && !fsync {
        return Err(refused(Code::Settings, "the server runs with fsync = off"));
    }
    let (postgis, postgis_schema) = extension(row)?;
    let server = Server {
        version,
        postgis,
        fsync,
        postgis_schema,
    };
    let read_only = if row.get("standby") {
        Some("the server is a standby")
    } else if row.get("read_only") {
        Some("transactions are read-only (default_transaction_read_only)")
    } else {
        None
    };
    Ok((server, read_only))
}

fn extension(row: &Row) -> Result<(String, String), Failure> {
    let found: (Option<String>, Option<String>) = (row.get("postgis"), row.get("postgis_schema"));
    let (Some(version), Some(schema)) = found else {
        let detail = "the database has no PostGIS: CREATE EXTENSION postgis, as its owner";
        return Err(refused(Code::Settings, detail));
    };
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < POSTGIS_MAJOR_MIN) {
        let detail = format!("PostGIS {version} is too old: 3.0 is the oldest");
        return Err(refused(Code::Settings, detail));
    }
    Ok((version, schema))
}

fn refused(code: Code, detail: impl Into<String>) -> Failure {
    Failure::new(Part::Sink, code).with_detail(detail)
}
