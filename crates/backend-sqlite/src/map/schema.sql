-- What commits together with the features, schema version 4 with `tally.sql`. Tables with the prefix are
-- ours alone; `dead_letters` is shown as an attribute table.
CREATE TABLE hexlane_meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Leases, and the fence that each batch is checked against.
CREATE TABLE hexlane_leases (
  shard INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  holder TEXT,
  expires_at_us INTEGER NOT NULL
);

-- One row an idempotency key: what became of it, and of which payload.
CREATE TABLE hexlane_claims (
  key_id BLOB PRIMARY KEY,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  event_id TEXT NOT NULL,
  payload_sha256 BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('applied', 'stale', 'dead')),
  version BLOB,
  claimed_at_us INTEGER NOT NULL
) WITHOUT ROWID;

-- The newest version of each entity, also of those that were deleted (tombstones).
CREATE TABLE hexlane_entities (
  source TEXT NOT NULL,
  entity TEXT NOT NULL,
  version BLOB NOT NULL,
  deleted INTEGER NOT NULL,
  PRIMARY KEY (source, entity)
) WITHOUT ROWID;

-- Who is to be told; filled once fan-out exists.
CREATE TABLE hexlane_outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id BLOB NOT NULL,
  outcome TEXT NOT NULL,
  written_at_us INTEGER NOT NULL
);

-- Dead letters in the fields of dlq.v1. `envelope` goes without its payload, which stands
-- in `raw_payload` byte for byte.
CREATE TABLE dead_letters (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  schema_version TEXT NOT NULL DEFAULT 'dlq.v1',
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'superseded')),
  destination TEXT NOT NULL,
  source TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  event_id TEXT,
  failure_class TEXT NOT NULL,
  code TEXT NOT NULL,
  failed_stage TEXT NOT NULL,
  error_message TEXT NOT NULL,
  geometry_error TEXT,
  geometry_error_x REAL,
  geometry_error_y REAL,
  geometry_error_epsg INTEGER,
  source_crs TEXT,
  violations TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  history TEXT NOT NULL,
  first_seen_at DATETIME,
  dead_lettered_at DATETIME,
  first_seen_at_us INTEGER NOT NULL,
  dead_lettered_at_us INTEGER NOT NULL,
  entry_ids TEXT NOT NULL,
  shard INTEGER,
  lane_key TEXT,
  traceparent TEXT,
  body TEXT NOT NULL CHECK (body IN ('event', 'unreadable', 'lost')),
  raw_payload BLOB,
  payload_sha256 BLOB NOT NULL,
  envelope BLOB,
  key_id BLOB NOT NULL,
  CONSTRAINT dead_letters_event UNIQUE (key_id, payload_sha256)
);
CREATE INDEX dead_letters_open ON dead_letters (state, destination, failure_class);
INSERT INTO gpkg_contents (table_name, data_type, identifier, description)
  VALUES ('dead_letters', 'attributes', 'dead_letters', 'Events that could not be delivered');
