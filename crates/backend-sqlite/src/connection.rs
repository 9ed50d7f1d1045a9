//! Connections: opened with pragmas that are read back, because SQLite ignores the ones it
//! cannot honour without a word.

use crate::failure::failure;
use hexlane_backend::{Code, Failure, Part};
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a statement waits for another process' lock (QGIS editing the map).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pages in the WAL before a commit checkpoints: 16 MiB of 4 KiB pages.
const WAL_AUTOCHECKPOINT_PAGES: i64 = 4_096;
/// What a checkpoint leaves of the WAL file at most.
const WAL_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// Page cache of a connection, in KiB; negative is SQLite's sign for that unit.
const CACHE_KIB: i64 = -16 * 1024;
/// Statements kept prepared per connection: more than there are.
const STATEMENTS_MAX: usize = 64;

/// Makes or checks the schema on a writer's fresh connection.
pub(crate) type Prepare = dyn Fn(&Connection) -> Result<(), Failure> + Send + Sync;

/// A database file and what its connections need.
#[derive(Clone)]
pub(crate) struct Database {
    pub(crate) part: Part,
    pub(crate) path: PathBuf,
    /// Registers functions; on every connection.
    pub(crate) functions: fn(&Connection) -> rusqlite::Result<()>,
    /// On the writer's.
    pub(crate) prepare: Arc<Prepare>,
}

impl Database {
    /// The connection that writes.
    pub(crate) fn open_writer(&self) -> Result<Connection, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = self.open(flags)?;
        (self.prepare)(&connection)?;
        Ok(connection)
    }

    /// A connection that reads what the writer committed.
    pub(crate) fn open_reader(&self) -> Result<Connection, Failure> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = self.open(flags)?;
        self.assert_pragma(&connection, "query_only", &"1", "1")?;
        Ok(connection)
    }

    /// The writer's connection again, after a failure of the medium. The file is checked,
    /// and the WAL emptied: after an fsync that failed once its pages may pass for clean
    /// without being on disk, so nothing more may be appended to it.
    pub(crate) fn reopen_writer(&self) -> Result<Connection, Failure> {
        let connection = self.open_writer()?;
        let check: String = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(|error| self.failure(&error))?;
        if check != "ok" {
            return Err(Failure::new(self.part, Code::Corrupt).with_detail(check));
        }
        self.empty_wal(&connection)?;
        Ok(connection)
    }

    fn empty_wal(&self, connection: &Connection) -> Result<(), Failure> {
        let busy: i64 = connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| self.failure(&error))?;
        if busy == 0 {
            return Ok(());
        }
        let detail = format!("{}: a reader keeps the WAL", self.path.display());
        Err(Failure::new(self.part, Code::Busy).with_detail(detail))
    }

    fn open(&self, flags: OpenFlags) -> Result<Connection, Failure> {
        let connection =
            Connection::open_with_flags(&self.path, flags).map_err(|error| self.failure(&error))?;
        self.tune(&connection)?;
        (self.functions)(&connection).map_err(|error| self.failure(&error))?;
        Ok(connection)
    }

    fn tune(&self, connection: &Connection) -> Result<(), Failure> {
        connection
            .busy_timeout(BUSY_TIMEOUT)
            .map_err(|error| self.failure(&error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        let autocheckpoint = WAL_AUTOCHECKPOINT_PAGES.to_string();
        let wal_bytes = WAL_BYTES_MAX.to_string();
        let cache = CACHE_KIB.to_string();
        self.assert_pragma(connection, "journal_mode", &"WAL", "wal")?;
        self.assert_pragma(connection, "synchronous", &"FULL", "2")?;
        self.assert_pragma(
            connection,
            "wal_autocheckpoint",
            &autocheckpoint,
            &autocheckpoint,
        )?;
        self.assert_pragma(connection, "journal_size_limit", &wal_bytes, &wal_bytes)?;
        self.assert_pragma(connection, "cache_size", &cache, &cache)?;
        // What a statement that fails half-way takes back is kept in memory: it is of no use
        // after a crash, and in a file it costs a fifth of a drain.
        self.assert_pragma(connection, "temp_store", &"MEMORY", "2")?;
        self.assert_pragma(connection, "recursive_triggers", &"OFF", "0")
    }

    /// Sets a pragma and reads it back.
    fn assert_pragma(
        &self,
        connection: &Connection,
        name: &str,
        value: &dyn std::fmt::Display,
        expected: &str,
    ) -> Result<(), Failure> {
        let set = format!("PRAGMA {name} = {value}");
        connection
            .execute_batch(&set)
            .map_err(|error| self.failure(&error))?;
        let found = pragma(connection, name).map_err(|error| self.failure(&error))?;
        if found == expected {
            return Ok(());
        }
        let detail = format!(
            "{}: {name} is {found}, must be {expected}",
            self.path.display()
        );
        Err(Failure::new(self.part, Code::Settings).with_detail(detail))
    }

    /// The failure, naming the file.
    pub(crate) fn failure(&self, error: &rusqlite::Error) -> Failure {
        let told = failure(self.part, error);
        let detail = format!("{}: {error}", self.path.display());
        told.with_detail(detail)
    }

    /// Ends with one file that can be copied alone: no WAL beside it.
    pub(crate) fn close_alone(&self, connection: Connection) -> Result<(), Failure> {
        self.empty_wal(&connection)?;
        connection.flush_prepared_statement_cache();
        self.assert_pragma(&connection, "journal_mode", &"DELETE", "delete")?;
        connection
            .close()
            .map_err(|(_, error)| self.failure(&error))
    }
}

/// A pragma's value as text, whatever its type.
fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<String> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| {
        let value: rusqlite::types::Value = row.get(0)?;
        Ok(match value {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            rusqlite::types::Value::Real(number) => number.to_string(),
            rusqlite::types::Value::Null | rusqlite::types::Value::Blob(_) => String::new(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(path: &str) -> Database {
        Database {
            part: Part::Queue,
            path: path.into(),
            functions: |_| Ok(()),
            prepare: Arc::new(|_| Ok(())),
        }
    }

    #[test]
    fn a_pragma_that_sqlite_ignored_is_found() {
        let failure = database(":memory:").open_writer().unwrap_err();
        assert_eq!(failure.code, Code::Settings);
        assert!(
            failure
                .detail
                .unwrap()
                .contains("journal_mode is memory, must be wal")
        );
    }

    #[test]
    fn every_pragma_reads_back_on_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let database = database(path.to_str().unwrap());
        let connection = database.open_writer().unwrap();
        assert_eq!(pragma(&connection, "synchronous").unwrap(), "2");
        database.close_alone(connection).unwrap();
        assert!(!folder.path().join("a.db-wal").exists());
    }
}
