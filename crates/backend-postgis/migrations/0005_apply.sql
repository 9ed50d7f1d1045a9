-- The batch in less work. The client tells what it knows of the rows themselves: which is
-- the newest of each entity, the version that came first, and which rows are not newer than
-- one before. A batch in which every key is new and every entity moves on needs no more;
-- any other is judged row by row, as `apply_v1` does. Both may run side by side: tables and
-- the order of locks are the same.
--
-- `newest` holds row numbers in the order of their entity ids; `firsts` beside it the
-- version of the first row of that entity; `behind` row numbers.
CREATE FUNCTION @schema.apply_v2(
  this_shard smallint, this_epoch bigint,
  key_ids uuid[], sources text[], keys text[], event_ids text[], shas bytea[],
  entity_ids uuid[], entities text[], versions bytea[], version_values bigint[],
  accepted_us bigint[], deletes boolean[], cells text[], properties text[], joineds text[],
  wkbs bytea[], newest bigint[], firsts bytea[], behind bigint[],
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
  put_ids uuid[];
  put_replaced bytea[];
  plain boolean;
  -- Copies are taken apart once; a parameter would be walked through at each look.
  of_entity uuid[] := entity_ids;
  of_source text[] := sources;
  of_name text[] := entities;
  of_version bytea[] := versions;
  of_value bigint[] := version_values;
  of_accepted bigint[] := accepted_us;
  of_event text[] := event_ids;
  of_delete boolean[] := deletes;
  of_cell text[] := cells;
  of_properties text[] := properties;
  of_joined text[] := joineds;
  of_wkb bytea[] := wkbs;
BEGIN
  conflicts := '{}';
  duplicates := '{}';
  stales := '{}';
  fenced_by := @schema.fence_v1(this_shard, this_epoch);
  IF fenced_by IS NOT NULL OR cardinality(key_ids) = 0 THEN
    RETURN;
  END IF;

  -- Claims, in key order: `applied` until it turns out otherwise. Of a key that comes
  -- twice the first row claims.
  WITH made AS (
    INSERT INTO @schema.claims
      (key_id, payload_sha256, state, version, source, key, event_id)
    SELECT g.key_id, g.sha, 'applied', g.version, g.source, g.key, g.event_id
    FROM unnest(key_ids, sources, keys, event_ids, shas, versions) WITH ORDINALITY
      AS g (key_id, source, key, event_id, sha, version, ord)
    ORDER BY g.key_id, g.ord
    ON CONFLICT (key_id) DO NOTHING RETURNING key_id
  )
  SELECT coalesce(array_agg(m.key_id), '{}') INTO fresh FROM made m;

  IF cardinality(fresh) < cardinality(key_ids) THEN
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
    SELECT coalesce(array_agg(n.ord ORDER BY n.entity_id), '{}') INTO newest
    FROM (SELECT DISTINCT ON (g.entity_id) g.entity_id, g.ord
      FROM unnest(entity_ids, versions) WITH ORDINALITY AS g (entity_id, version, ord)
        JOIN unnest(landing) AS l (ord) ON l.ord = g.ord
      ORDER BY g.entity_id, g.version DESC, g.ord) n;
  END IF;

  -- Versions: the newest row of each entity, when it is newer than what stands.
  WITH put AS (
    INSERT INTO @schema.entities AS e (entity_id, version, deleted, source, entity)
    SELECT of_entity[n.ord], of_version[n.ord], of_delete[n.ord], of_source[n.ord],
      of_name[n.ord]
    FROM unnest(newest) AS n (ord)
    ON CONFLICT (entity_id) DO UPDATE SET version = excluded.version,
      replaced = e.version, deleted = excluded.deleted
      WHERE e.version < excluded.version
    RETURNING entity_id, replaced
  )
  SELECT coalesce(array_agg(p.entity_id), '{}'), coalesce(array_agg(p.replaced), '{}')
  INTO put_ids, put_replaced FROM put p;

  plain := landing IS NULL AND cardinality(put_ids) = cardinality(newest);
  IF plain THEN
    -- Nothing that stood is newer than a first row.
    SELECT NOT EXISTS (
      SELECT FROM unnest(put_ids, put_replaced) AS p (entity_id, replaced)
        JOIN unnest(newest, firsts) AS n (ord, version) ON of_entity[n.ord] = p.entity_id
      WHERE p.replaced >= n.version)
    INTO plain;
  END IF;
  IF plain THEN
    stales := behind;
    winning := newest;
  ELSE
    -- A row applies when it is newer than what stood and than every row before.
    WITH given AS (
      SELECT g.*, encode(g.version, 'hex') COLLATE "C" AS version_text
      FROM unnest(entity_ids, versions) WITH ORDINALITY AS g (entity_id, version, ord)
      WHERE landing IS NULL OR g.ord = ANY (landing)
    ), judged AS (
      SELECT g.ord, w.ord IS NOT NULL AS wins,
        p.entity_id IS NOT NULL AND (p.replaced IS NULL OR g.version > p.replaced)
        AND g.version_text > coalesce(max(g.version_text) OVER (PARTITION BY g.entity_id
          ORDER BY g.ord ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), '') AS applies
      FROM given g
        LEFT JOIN unnest(put_ids, put_replaced) AS p (entity_id, replaced)
          ON p.entity_id = g.entity_id
        LEFT JOIN unnest(newest) AS w (ord) ON w.ord = g.ord
    )
    SELECT coalesce(array_agg(j.ord) FILTER (WHERE NOT j.applies), '{}'),
      coalesce(array_agg(j.ord) FILTER (WHERE j.applies AND j.wins), '{}')
    INTO stales, winning FROM judged j;
  END IF;

  -- The map. The entities' rows are ours until the commit.
  INSERT INTO @schema.features AS f
    (entity_id, source, entity, event_id, cell, version, accepted_at, properties, joined, geom)
  SELECT of_entity[g.ord], of_source[g.ord], of_name[g.ord], of_event[g.ord],
    of_cell[g.ord], of_value[g.ord], @schema.at_v1(of_accepted[g.ord]),
    of_properties[g.ord]::json, of_joined[g.ord]::json, @geometry
  FROM (SELECT w.ord, of_wkb[w.ord] AS wkb FROM unnest(winning) AS w (ord)
    WHERE NOT of_delete[w.ord]) g
  ON CONFLICT (entity_id) DO UPDATE SET event_id = excluded.event_id, cell = excluded.cell,
    version = excluded.version, accepted_at = excluded.accepted_at,
    applied_at = excluded.applied_at, properties = excluded.properties,
    joined = excluded.joined, geom = excluded.geom;
  IF true = ANY (deletes) THEN
    DELETE FROM @schema.features f USING unnest(winning) AS w (ord)
      WHERE of_delete[w.ord] AND f.entity_id = of_entity[w.ord];
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
  PERFORM @schema.count_v1(this_shard,
    coalesce(cardinality(landing), cardinality(key_ids)) - cardinality(stales),
    cardinality(stales)::bigint, cardinality(duplicates)::bigint, 0::bigint);
END $$;
