-- What one call does, as one statement: the client is never between two of them with locks
-- in hand. A later build adds functions of a later version and leaves these, so that
-- processes of both builds run side by side.
--
-- Locks are taken in one order everywhere: fence, claims by key, entities by id, the rest.

-- µs since 1970 as a time; what no calendar shows is cut to the years 1 to 9999.
CREATE FUNCTION @schema.at_v1(us bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT timestamptz 'epoch' + least(greatest(us, -62135596800000000), 253402300799999999)
    * interval '1 microsecond'
$$;

-- Holds the shard's fence until the commit, with this epoch in it. Tells the higher epoch
-- that stands there instead, when one does.
CREATE FUNCTION @schema.fence_v1(this_shard smallint, this_epoch bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  stored bigint;
BEGIN
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    RAISE EXCEPTION 'synchronous_commit is %', current_setting('synchronous_commit')
      USING ERRCODE = 'HX001';
  END IF;
  LOOP
    SELECT epoch INTO stored FROM @schema.fences WHERE shard = this_shard;
    IF stored > this_epoch THEN
      RETURN stored;
    ELSIF stored = this_epoch THEN
      PERFORM 1 FROM @schema.fences
        WHERE shard = this_shard AND epoch = this_epoch FOR SHARE;
      IF FOUND THEN
        RETURN NULL;
      END IF;
    ELSE
      INSERT INTO @schema.fences AS f (shard, epoch) VALUES (this_shard, this_epoch)
        ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch
          WHERE f.epoch < excluded.epoch;
      IF FOUND THEN
        RETURN NULL;
      END IF;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION @schema.count_v1(this_shard smallint, applied bigint, stale bigint,
  duplicate bigint, dead bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog AS $$
  INSERT INTO @schema.tally AS t VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (shard) DO UPDATE SET applied = t.applied + excluded.applied,
    stale = t.stale + excluded.stale, duplicate = t.duplicate + excluded.duplicate,
    dead = t.dead + excluded.dead
$$;

-- Lands a batch: one element of each array a row, in the order of the rows. Answers with
-- the numbers of the rows, from 1, that did not apply. Plans are made for the index, once:
-- a table that is empty now will not stay so.
CREATE FUNCTION @schema.apply_v1(
  this_shard smallint, this_epoch bigint,
  key_ids uuid[], sources text[], keys text[], event_ids text[], shas bytea[],
  entity_ids uuid[], entities text[], versions bytea[], version_values bigint[],
  accepted_us bigint[], deletes boolean[], cells text[], properties text[], joineds text[],
  wkbs bytea[],
  OUT fenced_by bigint, OUT conflicts bigint[], OUT duplicates bigint[], OUT stales bigint[])
LANGUAGE plpgsql
SET search_path = pg_catalog SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  fresh uuid[];
  landing bigint[];
  revived bigint[] := '{}';
  winning bigint[];
BEGIN
  conflicts := '{}';
  duplicates := '{}';
  stales := '{}';
  fenced_by := @schema.fence_v1(this_shard, this_epoch);
  IF fenced_by IS NOT NULL OR cardinality(key_ids) = 0 THEN
    RETURN;
  END IF;

  -- Claims, in key order: `applied` until it turns out otherwise.
  WITH foremost AS (
    SELECT DISTINCT ON (g.key_id) g.*
    FROM unnest(key_ids, sources, keys, event_ids, shas, versions) WITH ORDINALITY
      AS g (key_id, source, key, event_id, sha, version, ord)
    ORDER BY g.key_id, g.ord
  ), made AS (
    INSERT INTO @schema.claims
      (key_id, payload_sha256, state, version, source, key, event_id)
    SELECT l.key_id, l.sha, 'applied', l.version, l.source, l.key, l.event_id
    FROM foremost l ORDER BY l.key_id
    ON CONFLICT (key_id) DO NOTHING RETURNING key_id
  )
  SELECT coalesce(array_agg(m.key_id), '{}') INTO fresh FROM made m;

  IF cardinality(fresh) = cardinality(key_ids) THEN
    SELECT array_agg(n) INTO landing FROM generate_series(1, cardinality(key_ids)::bigint) n;
  ELSE
    -- Some key is claimed, or comes twice. Of the rows with the claimed payload the first
    -- lands when the claim is new or dead.
    PERFORM 1 FROM @schema.claims c
      WHERE c.key_id = ANY (key_ids) AND c.state = 'dead' ORDER BY c.key_id FOR UPDATE;
    WITH judged AS (
      SELECT g.ord, g.sha = c.payload_sha256 AS same, c.state = 'dead' AS was_dead,
        f.key_id IS NOT NULL AS is_fresh,
        row_number() OVER (PARTITION BY g.key_id, g.sha ORDER BY g.ord) = 1 AS leads
      FROM unnest(key_ids, shas) WITH ORDINALITY AS g (key_id, sha, ord)
        JOIN @schema.claims c ON c.key_id = g.key_id
        LEFT JOIN unnest(fresh) AS f (key_id) ON f.key_id = g.key_id
    ), placed AS (
      SELECT j.*, j.same AND j.leads AND (j.is_fresh OR j.was_dead) AS lands FROM judged j
    )
    SELECT coalesce(array_agg(p.ord) FILTER (WHERE p.lands), '{}'),
      coalesce(array_agg(p.ord) FILTER (WHERE p.lands AND p.was_dead), '{}'),
      coalesce(array_agg(p.ord) FILTER (WHERE p.same AND NOT p.lands), '{}'),
      coalesce(array_agg(p.ord) FILTER (WHERE NOT p.same), '{}')
    INTO landing, revived, duplicates, conflicts FROM placed p;
  END IF;

  -- Versions: the newest row of each entity, when it is newer than what stands. A row
  -- before it applies when it is newer than what stood and than every row before.
  WITH given AS (
    SELECT g.*, encode(g.version, 'hex') COLLATE "C" AS version_text
    FROM unnest(entity_ids, sources, entities, versions, deletes) WITH ORDINALITY
      AS g (entity_id, source, entity, version, deleted, ord)
      JOIN unnest(landing) AS l (ord) ON l.ord = g.ord
  ), newest AS (
    SELECT DISTINCT ON (g.entity_id) g.* FROM given g
    ORDER BY g.entity_id, g.version DESC, g.ord
  ), put AS (
    INSERT INTO @schema.entities AS e (entity_id, version, deleted, source, entity)
    SELECT n.entity_id, n.version, n.deleted, n.source, n.entity
    FROM newest n ORDER BY n.entity_id
    ON CONFLICT (entity_id) DO UPDATE SET version = excluded.version,
      replaced = e.version, deleted = excluded.deleted
      WHERE e.version < excluded.version
    RETURNING entity_id, version, replaced
  ), judged AS (
    SELECT g.ord, g.version = p.version AS wins,
      p.entity_id IS NOT NULL AND (p.replaced IS NULL OR g.version > p.replaced)
      AND g.version_text > coalesce(max(g.version_text) OVER (PARTITION BY g.entity_id
        ORDER BY g.ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '') AS applies
    FROM given g LEFT JOIN put p ON p.entity_id = g.entity_id
  )
  SELECT coalesce(array_agg(j.ord) FILTER (WHERE NOT j.applies), '{}'),
    coalesce(array_agg(j.ord) FILTER (WHERE j.applies AND j.wins), '{}')
  INTO stales, winning FROM judged j;

  -- The map. The entities' rows are ours until the commit.
  INSERT INTO @schema.features AS f
    (entity_id, source, entity, event_id, cell, version, accepted_at, properties, joined, geom)
  SELECT g.entity_id, g.source, g.entity, g.event_id, g.cell, g.version,
    @schema.at_v1(g.accepted_us), g.properties::json, g.joined::json, @geometry
  FROM unnest(entity_ids, sources, entities, event_ids, cells, version_values, accepted_us,
      properties, joineds, wkbs, deletes) WITH ORDINALITY
    AS g (entity_id, source, entity, event_id, cell, version, accepted_us, properties, joined,
      wkb, deleted, ord)
    JOIN unnest(winning) AS w (ord) ON w.ord = g.ord
  WHERE NOT g.deleted
  ON CONFLICT (entity_id) DO UPDATE SET event_id = excluded.event_id, cell = excluded.cell,
    version = excluded.version, accepted_at = excluded.accepted_at,
    applied_at = excluded.applied_at, properties = excluded.properties,
    joined = excluded.joined, geom = excluded.geom;
  IF true = ANY (deletes) THEN
    DELETE FROM @schema.features f
      USING unnest(entity_ids, deletes) WITH ORDINALITY AS g (entity_id, deleted, ord)
        JOIN unnest(winning) AS w (ord) ON w.ord = g.ord
      WHERE g.deleted AND f.entity_id = g.entity_id;
  END IF;

  -- Claims that are not simply new and applied.
  IF cardinality(stales) + cardinality(revived) > 0 THEN
    UPDATE @schema.claims c SET version = g.version, claimed_at = clock_timestamp(),
      state = CASE WHEN s.ord IS NULL THEN 'applied' ELSE 'stale' END
    FROM unnest(key_ids, versions) WITH ORDINALITY AS g (key_id, version, ord)
      JOIN (SELECT unnest(stales) UNION SELECT unnest(revived)) AS t (ord) ON t.ord = g.ord
      LEFT JOIN unnest(stales) AS s (ord) ON s.ord = g.ord
    WHERE c.key_id = g.key_id;
  END IF;
  IF cardinality(revived) > 0 THEN
    UPDATE @schema.dead_letters d SET state = 'superseded'
    FROM unnest(key_ids, shas) WITH ORDINALITY AS g (key_id, sha, ord)
      JOIN unnest(revived) AS r (ord) ON r.ord = g.ord
    WHERE d.key_id = g.key_id AND d.payload_sha256 = g.sha;
  END IF;
  PERFORM @schema.count_v1(this_shard, cardinality(landing) - cardinality(stales),
    cardinality(stales)::bigint, cardinality(duplicates)::bigint, 0::bigint);
END $$;
