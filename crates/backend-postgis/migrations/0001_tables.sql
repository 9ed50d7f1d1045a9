-- What a map holds. `@schema` and `@postgis` stand for quoted schema names, `@srid` for the
-- EPSG code of the map.

-- The authority's clock: every lease is given and ends by it.
CREATE FUNCTION @schema.authority_now() RETURNS timestamptz
  LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp()';

-- Who has which shard. Apart from the fences, so that a renewal never waits for an apply.
CREATE TABLE @schema.leases (
  shard smallint PRIMARY KEY,
  epoch bigint NOT NULL,
  holder text,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- The highest epoch seen per shard; each batch holds its row while it lands.
CREATE TABLE @schema.fences (
  shard smallint PRIMARY KEY,
  epoch bigint NOT NULL
) WITH (fillfactor = 50);

-- One row an idempotency key: what became of it, and of which payload.
CREATE TABLE @schema.claims (
  key_id uuid PRIMARY KEY,
  payload_sha256 bytea NOT NULL,
  state text NOT NULL CHECK (state IN ('applied', 'stale', 'dead')),
  version bytea,
  claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  source text NOT NULL,
  key text NOT NULL,
  event_id text NOT NULL
);

-- The newest version of each entity, also of those that were deleted (tombstones), and
-- the version that it replaced.
CREATE TABLE @schema.entities (
  entity_id uuid PRIMARY KEY,
  version bytea NOT NULL,
  replaced bytea,
  deleted boolean NOT NULL,
  source text NOT NULL,
  entity text NOT NULL
) WITH (fillfactor = 80);

-- The map. `properties` is json, not jsonb: as the sender wrote it, and never refused for
-- a \u0000 in a string. Index `(properties::jsonb)` to search in it. No dimension is
-- declared for `geom`, because a layer may hold both 2D and 3D.
CREATE TABLE @schema.features (
  entity_id uuid PRIMARY KEY,
  source text NOT NULL,
  entity text NOT NULL,
  event_id text NOT NULL,
  cell text,
  version bigint NOT NULL,
  accepted_at timestamptz NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  properties json NOT NULL,
  -- Layer name to what the event met there; null for an event that is not joined.
  joined json,
  geom @postgis.geometry,
  CONSTRAINT features_srid CHECK (@postgis.ST_SRID(geom) = @srid)
);
CREATE INDEX features_geom ON @schema.features USING gist (geom);

-- Dead letters in the fields of dlq.v1. `envelope` goes without its payload, which stands
-- in `raw_payload` byte for byte. The point of the error is in EPSG:4326 whatever the
-- map's CRS; x, y and their EPSG code stand beside it as they were told.
CREATE TABLE @schema.dead_letters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schema_version text NOT NULL DEFAULT 'dlq.v1',
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'superseded')),
  destination text NOT NULL,
  source text NOT NULL,
  idempotency_key text NOT NULL,
  event_id text,
  failure_class text NOT NULL,
  code text NOT NULL,
  failed_stage text NOT NULL,
  error_message text NOT NULL,
  geometry_error text,
  geometry_error_x float8,
  geometry_error_y float8,
  geometry_error_epsg bigint,
  error_point @postgis.geometry(Point, 4326),
  source_crs text,
  violations text NOT NULL,
  attempts bigint NOT NULL,
  history text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  dead_lettered_at timestamptz NOT NULL,
  first_seen_at_us bigint NOT NULL,
  dead_lettered_at_us bigint NOT NULL,
  entry_ids text[] NOT NULL,
  shard smallint,
  lane_key text,
  traceparent text,
  body text NOT NULL CHECK (body IN ('event', 'unreadable', 'lost')),
  raw_payload bytea,
  payload_sha256 bytea NOT NULL,
  envelope bytea,
  key_id uuid NOT NULL,
  CONSTRAINT dead_letters_event UNIQUE (key_id, payload_sha256)
);
CREATE INDEX dead_letters_open ON @schema.dead_letters (destination, failure_class, code)
  WHERE state = 'open';
CREATE INDEX dead_letters_error_point ON @schema.dead_letters USING gist (error_point)
  WHERE error_point IS NOT NULL;

-- How many deliveries ended how, each counted in the commit of its outcome. By shard: one
-- row for all would make every commit wait for the one before.
CREATE TABLE @schema.tally (
  shard smallint PRIMARY KEY,
  applied bigint NOT NULL,
  stale bigint NOT NULL,
  duplicate bigint NOT NULL,
  dead bigint NOT NULL
) WITH (fillfactor = 50);
