//! Connections that cannot write, to files that may be anybody's.

use crate::failure::{Stop, failure};
use hexlane_backend::{Code, Failure, Part, StoreError};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// How long a look waits for a process that recovers or closes the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Said of a copy that left the index behind.
const NO_INDEX: &str = "; its WAL is here without the -shm file, and none can be made";

/// Reads one snapshot of a file.
pub(crate) fn snapshot<T>(
    part: Part,
    path: &Path,
    read: impl Fn(&Connection) -> Result<T, Stop>,
) -> Result<T, Failure> {
    let told = |error: rusqlite::Error| {
        let detail = format!("{}: {error}", path.display());
        failure(part, &error).with_detail(detail)
    };
    let connection = open(path).map_err(|error| {
        let hint = if lacks_index(path) { NO_INDEX } else { "" };
        let detail = format!("{}: {error}{hint}", path.display());
        failure(part, &error).with_detail(detail)
    })?;
    match read(&connection) {
        Ok(value) => Ok(value),
        Err(Stop::Sql(error)) => Err(told(error)),
        Err(Stop::Told(StoreError::Failed(failure))) => Err(failure),
        Err(Stop::Told(StoreError::Fenced { .. })) => Err(Failure::new(part, Code::Internal)),
    }
}

/// A connection in a transaction that has begun to read. The index of a WAL is left alone
/// where SQLite can do so; see <https://www.sqlite.org/wal.html#readonly>.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    match uri(path).map(|uri| begin(uri, OpenFlags::SQLITE_OPEN_URI)) {
        Some(Ok(connection)) => Ok(connection),
        Some(Err(error)) if !wants_its_index(&error) => Err(error),
        Some(Err(_)) | None => begin(path, OpenFlags::empty()),
    }
}

fn begin(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, read_only | flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch("BEGIN; SELECT 1 FROM sqlite_schema")?;
    Ok(connection)
}

/// Whether the WAL's index is absent, or must be written to be read.
fn wants_its_index(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

fn lacks_index(path: &Path) -> bool {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        Path::new(&name).exists()
    };
    beside("-wal") && !beside("-shm")
}

/// The path with the wish to leave the index alone; none when it cannot be told as text.
fn uri(path: &Path) -> Option<String> {
    let mut uri = String::from("file:");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ => write!(uri, "%{byte:02X}").ok()?,
        }
    }
    uri.push_str("?readonly_shm=1");
    Some(uri)
}
