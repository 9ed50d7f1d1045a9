//! The schema and its versions. Each step is applied once, in order, all of them in one
//! transaction under an advisory lock: of processes that start at once one brings the
//! schema up to date and the others find it so.

use crate::failure::{Progress, failure};
use crate::session::millis;
use crate::settings::Settings;
use crate::sql::Names;
use deadpool_postgres::{Client, Transaction};
use hexlane_backend::{Code, Failure, Part};
use hexlane_core::digest::{leading_u64, sha256};
use hexlane_core::lane::ShardMap;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

/// Step by step, from an empty schema; the version is how many there are. Steps are added,
/// never edited.
const STEPS: [&str; 5] = [
    include_str!("../migrations/0001_tables.sql"),
    include_str!("../migrations/0002_apply.sql"),
    include_str!("../migrations/0003_record.sql"),
    include_str!("../migrations/0004_authority.sql"),
    include_str!("../migrations/0005_apply.sql"),
];

/// Every table that the current version has.
const TABLES: [&str; 8] = [
    "meta",
    "leases",
    "fences",
    "claims",
    "entities",
    "features",
    "dead_letters",
    "tally",
];

/// What must agree between the schema and the settings.
const META: &str = "
    CREATE TABLE @schema.meta (name text PRIMARY KEY, value text NOT NULL)";

const VERSION: &str = "schema_version";

/// The name of the map, since step 4.
pub(crate) const AUTHORITY: &str = "SELECT value FROM @schema.meta WHERE name = 'authority'";

/// Makes the schema, or brings it up to date, or finds it good.
pub(crate) async fn migrate(
    client: &mut Client,
    settings: &Settings,
    names: &Names,
) -> Result<(), Failure> {
    if current(client, settings, names).await? != Some(STEPS.len()) {
        step_up(client, settings, names).await?;
    }
    check(client, settings, names).await
}

/// Whether the schema is of this build's version and holds what the settings say.
pub(crate) async fn check(
    client: &Client,
    settings: &Settings,
    names: &Names,
) -> Result<(), Failure> {
    match current(client, settings, names).await? {
        Some(version) if version == STEPS.len() => {}
        Some(version) => {
            let detail = format!("schema {version}, this build reads {}", STEPS.len());
            return Err(refused(Code::NotAStore, detail));
        }
        None => {
            let detail = format!("the database has no schema {} with a map", settings.schema);
            return Err(refused(Code::NotAStore, detail));
        }
    }
    whole(client, settings).await?;
    for (name, expected, code) in expectations(settings) {
        let stored = value(client, names, name).await?;
        if stored.as_deref() != Some(expected.as_str()) {
            let stored = stored.unwrap_or_else(|| "nothing".to_owned());
            let detail = format!("{name}: the map has {stored}, the settings say {expected}");
            return Err(refused(code, detail));
        }
    }
    Ok(())
}

fn expectations(settings: &Settings) -> [(&'static str, String, Code); 3] {
    [
        ("epsg", settings.crs.epsg().to_string(), Code::Settings),
        (
            "shards",
            settings.shard_map.shards().to_string(),
            Code::ShardMapMismatch,
        ),
        (
            "shard_map_version",
            ShardMap::VERSION.to_string(),
            Code::ShardMapMismatch,
        ),
    ]
}

/// The version that stands; none when there is no schema, or an empty one.
async fn current(
    client: &Client,
    settings: &Settings,
    names: &Names,
) -> Result<Option<usize>, Failure> {
    let sql = "SELECT count(c.oid), bool_or(c.relname = 'meta') FROM pg_namespace n
               JOIN pg_class c ON c.relnamespace = n.oid WHERE n.nspname = $1";
    let row = client
        .query_one(sql, &[&settings.schema])
        .await
        .map_err(|error| told(&error))?;
    let (things, ours): (i64, Option<bool>) = (row.get(0), row.get(1));
    if things == 0 {
        return Ok(None);
    }
    let version = match ours {
        Some(true) => value(client, names, VERSION).await?,
        Some(false) | None => None,
    };
    match version.and_then(|version| version.parse().ok()) {
        Some(version) if version <= STEPS.len() => Ok(Some(version)),
        Some(version) => {
            let detail = format!("schema {version}, this build reads {}", STEPS.len());
            Err(refused(Code::SchemaNewer, detail))
        }
        None => {
            let detail = format!("schema {} was not made by hexlane", settings.schema);
            Err(refused(Code::NotAStore, detail))
        }
    }
}

async fn step_up(client: &mut Client, settings: &Settings, names: &Names) -> Result<(), Failure> {
    lock_and_step(client, settings, names)
        .await
        .map_err(|stop| match stop {
            Stop::Told(failure) => failure,
            Stop::Sql(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => refused(
                Code::Busy,
                "another process is bringing the schema up to date",
            ),
            Stop::Sql(error) => told(&error),
        })
}

async fn lock_and_step(
    client: &mut Client,
    settings: &Settings,
    names: &Names,
) -> Result<(), Stop> {
    let wait = millis(settings.migration_timeout);
    let transaction = client.transaction().await?;
    let limits = format!("SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = {wait}");
    transaction.batch_execute(&limits).await?;
    let lock: &[&(dyn ToSql + Sync)] = &[&lock_key(&settings.schema)];
    transaction
        .execute("SELECT pg_advisory_xact_lock($1)", lock)
        .await?;
    let standing = standing(&transaction, settings, names).await?;
    let geometry = names.fill(settings.crs.expression());
    for step in &STEPS[standing..] {
        let step = names
            .fill(step)
            .replace("@geometry", &geometry)
            .replace("@srid", &settings.crs.epsg().to_string());
        transaction.batch_execute(&step).await?;
    }
    let sql = names.fill(
        "INSERT INTO @schema.meta VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    let version = STEPS.len().to_string();
    transaction.execute(&sql, &[&VERSION, &version]).await?;
    Ok(transaction.commit().await?)
}

/// The version under the lock; makes the schema and what it is told once.
async fn standing(
    transaction: &Transaction<'_>,
    settings: &Settings,
    names: &Names,
) -> Result<usize, Stop> {
    let exists = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    if transaction
        .query_opt(exists, &[&settings.schema])
        .await?
        .is_none()
    {
        transaction
            .batch_execute(&names.fill("CREATE SCHEMA @schema"))
            .await?;
    }
    let meta = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = 'meta'";
    if transaction
        .query_opt(meta, &[&settings.schema])
        .await?
        .is_some()
    {
        let sql = names.fill("SELECT value FROM @schema.meta WHERE name = $1");
        let version: String = transaction.query_one(&sql, &[&VERSION]).await?.get(0);
        let version = version
            .parse()
            .ok()
            .filter(|version| *version <= STEPS.len());
        return version.ok_or_else(|| {
            Stop::Told(refused(
                Code::SchemaNewer,
                "a newer build was here meanwhile",
            ))
        });
    }
    transaction.batch_execute(&names.fill(META)).await?;
    let sql = names.fill("INSERT INTO @schema.meta VALUES ($1, $2)");
    for (name, value, _) in expectations(settings) {
        transaction.execute(&sql, &[&name, &value]).await?;
    }
    Ok(0)
}

enum Stop {
    Told(Failure),
    Sql(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for Stop {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Sql(error)
    }
}

/// The advisory lock of a schema.
fn lock_key(schema: &str) -> i64 {
    leading_u64(&sha256(format!("hexlane {schema}").as_bytes())).cast_signed()
}

/// Refuses a schema that has lost a table.
async fn whole(client: &Client, settings: &Settings) -> Result<(), Failure> {
    let sql = "SELECT wanted.name FROM unnest($2::text[]) AS wanted (name)
               WHERE NOT EXISTS (SELECT FROM pg_class c
                 JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = $1 AND c.relname = wanted.name)";
    let tables: &[&str] = &TABLES;
    let missing = client
        .query(sql, &[&settings.schema, &tables])
        .await
        .map_err(|error| told(&error))?;
    match missing.first() {
        None => Ok(()),
        Some(row) => {
            let table: String = row.get(0);
            let detail = format!("table {}.{table} is missing", settings.schema);
            Err(refused(Code::NotAStore, detail))
        }
    }
}

async fn value(client: &Client, names: &Names, name: &str) -> Result<Option<String>, Failure> {
    let sql = names.fill("SELECT value FROM @schema.meta WHERE name = $1");
    let row = client
        .query_opt(&sql, &[&name])
        .await
        .map_err(|error| told(&error))?;
    Ok(row.map(|row| row.get(0)))
}

fn told(error: &tokio_postgres::Error) -> Failure {
    failure(Part::Sink, error, Progress::Harmless)
}

fn refused(code: Code, detail: impl Into<String>) -> Failure {
    Failure::new(Part::Sink, code).with_detail(detail)
}
