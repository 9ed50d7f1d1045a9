-- queue.db, schema version 1. Sequence numbers are never given twice (AUTOINCREMENT):
-- receipts outlive their entries.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- What waits. Written once, never updated, deleted by the ack.
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  shard INTEGER NOT NULL,
  enqueued_at_us INTEGER NOT NULL,
  envelope BLOB NOT NULL
) STRICT;
CREATE INDEX entries_by_shard ON entries (shard);

-- What was tried, of entries that were deferred. Apart, so that a deferral does not
-- write the envelope again.
CREATE TABLE retries (
  seq INTEGER PRIMARY KEY,
  attempts INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  due_at_us INTEGER NOT NULL,
  previous_delay_ms INTEGER NOT NULL,
  first_attempt_at_us INTEGER,
  last_code TEXT,
  history TEXT NOT NULL
) STRICT;

-- Keys seen, for `Duplicate` and `Conflict`; kept for a while after the ack.
CREATE TABLE keys (
  key_id BLOB PRIMARY KEY,
  payload_sha256 BLOB NOT NULL,
  seen_at_us INTEGER NOT NULL,
  last_seq INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX keys_by_seen ON keys (seen_at_us);

-- The highest epoch seen per shard.
CREATE TABLE epochs (
  shard INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL
) STRICT;
