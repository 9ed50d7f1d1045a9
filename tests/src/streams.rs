//! What stands in the streams of a Redis, past the consumer.

pub use redis::Connection;

/// The encoded envelopes of a stream, in its order.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn envelopes(connection: &mut Connection, stream: &str) -> Vec<Vec<u8>> {
    type Entry = (String, Vec<(String, Vec<u8>)>);
    let entries: Vec<Entry> = redis::cmd("XRANGE")
        .arg(stream)
        .arg("-")
        .arg("+")
        .query(connection)
        .expect("XRANGE answers");
    let envelope = |(_, fields): Entry| {
        let found = fields.into_iter().find(|(name, _)| name == "envelope");
        found.expect("a field `envelope`").1
    };
    entries.into_iter().map(envelope).collect()
}

/// How many entries a stream has.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn length(connection: &mut Connection, stream: &str) -> u64 {
    let answer = redis::cmd("XLEN").arg(stream).query(connection);
    answer.expect("XLEN answers")
}

/// The streams of all shards that a server has, as Hexlane names them.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn streams(connection: &mut Connection) -> Vec<String> {
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("spatial.events:{*}")
        .query(connection)
        .expect("KEYS answers");
    let mut streams: Vec<String> = keys.into_iter().filter(|key| key.ends_with('}')).collect();
    streams.sort();
    streams
}

/// Entries in all of them.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn entries(connection: &mut Connection) -> u64 {
    let names = streams(connection).into_iter();
    names.map(|stream| length(connection, &stream)).sum()
}
