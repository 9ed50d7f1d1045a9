-- Recording dead letters, as one statement too.

-- Where the geometry is at fault, in EPSG:4326; none when that cannot be told. A dead
-- letter is never refused for its place.
CREATE FUNCTION @schema.place_v1(x float8, y float8, epsg bigint)
RETURNS @postgis.geometry LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  place @postgis.geometry;
BEGIN
  IF x IS NULL OR y IS NULL OR epsg IS NULL OR epsg NOT BETWEEN 1 AND 998999 THEN
    RETURN NULL;
  END IF;
  place := @postgis.ST_SetSRID(@postgis.ST_MakePoint(x, y), epsg::int);
  IF epsg <> 4326 THEN
    place := @postgis.ST_Transform(place, 4326);
  END IF;
  IF @postgis.ST_X(place) BETWEEN -180 AND 180 AND @postgis.ST_Y(place) BETWEEN -90 AND 90
  THEN
    RETURN place;
  END IF;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- Records dead letters: one element of each array a letter, `entry_ids` as JSON arrays.
-- Answers with the numbers of the letters, from 1, whose event had its effect already.
CREATE FUNCTION @schema.record_v1(
  this_shard smallint, this_epoch bigint, entry_ids_max bigint,
  key_ids uuid[], shas bytea[], sources text[], keys text[], event_ids text[],
  destinations text[], classes text[], codes text[], stages text[], messages text[],
  reasons text[], xs float8[], ys float8[], epsgs bigint[], source_crss text[],
  violations text[], attempts bigint[], histories text[], first_seen_us bigint[],
  dead_us bigint[], entry_ids text[], shards smallint[], lane_keys text[],
  traceparents text[], bodies text[], raw_payloads bytea[], envelopes bytea[],
  OUT fenced_by bigint, OUT duplicates bigint[])
LANGUAGE plpgsql
SET search_path = pg_catalog SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  letter record;
  claim record;
  told text[];
  earlier text[];
  added text[];
  dead bigint := 0;
BEGIN
  duplicates := '{}';
  fenced_by := @schema.fence_v1(this_shard, this_epoch);
  IF fenced_by IS NOT NULL OR cardinality(key_ids) = 0 THEN
    RETURN;
  END IF;

  INSERT INTO @schema.claims (key_id, payload_sha256, state, source, key, event_id)
  SELECT l.key_id, l.sha, 'dead', l.source, l.key, coalesce(l.event_id, '')
  FROM (SELECT DISTINCT ON (g.key_id) g.*
      FROM unnest(key_ids, shas, sources, keys, event_ids) WITH ORDINALITY
        AS g (key_id, sha, source, key, event_id, ord)
      ORDER BY g.key_id, g.ord) l
  ORDER BY l.key_id
  ON CONFLICT (key_id) DO NOTHING;
  PERFORM 1 FROM @schema.claims c
    WHERE c.key_id = ANY (key_ids) AND c.state = 'dead' ORDER BY c.key_id FOR UPDATE;

  FOR letter IN
    SELECT * FROM unnest(key_ids, shas, sources, keys, event_ids, destinations, classes,
        codes, stages, messages, reasons, xs, ys, epsgs, source_crss, violations, attempts,
        histories, first_seen_us, dead_us, entry_ids, shards, lane_keys, traceparents,
        bodies, raw_payloads, envelopes) WITH ORDINALITY
      AS g (key_id, sha, source, key, event_id, destination, class, code, stage, message,
        reason, x, y, epsg, source_crs, violations, attempts, history, first_seen_us,
        dead_us, entry_ids, shard, lane_key, traceparent, body, raw_payload, envelope, ord)
    ORDER BY g.ord
  LOOP
    SELECT c.state, c.payload_sha256 INTO claim
      FROM @schema.claims c WHERE c.key_id = letter.key_id;
    IF claim.state <> 'dead' AND claim.payload_sha256 = letter.sha THEN
      duplicates := duplicates || letter.ord;
      CONTINUE;
    END IF;
    told := ARRAY(SELECT json_array_elements_text(letter.entry_ids::json));
    LOOP
      SELECT d.entry_ids INTO earlier FROM @schema.dead_letters d
        WHERE d.key_id = letter.key_id AND d.payload_sha256 = letter.sha FOR UPDATE;
      IF FOUND THEN
        added := ARRAY(SELECT t.id FROM unnest(told) WITH ORDINALITY AS t (id, ord)
          WHERE t.id <> ALL (earlier) GROUP BY t.id ORDER BY min(t.ord));
        dead := dead + (cardinality(added) > 0)::int;
        earlier := earlier || added;
        UPDATE @schema.dead_letters d SET destination = letter.destination,
          failure_class = letter.class, code = letter.code, failed_stage = letter.stage,
          error_message = letter.message, geometry_error = letter.reason,
          geometry_error_x = letter.x, geometry_error_y = letter.y,
          geometry_error_epsg = letter.epsg,
          error_point = @schema.place_v1(letter.x, letter.y, letter.epsg),
          violations = letter.violations, attempts = letter.attempts,
          history = letter.history,
          first_seen_at = least(d.first_seen_at, @schema.at_v1(letter.first_seen_us)),
          first_seen_at_us = least(d.first_seen_at_us, letter.first_seen_us),
          dead_lettered_at = @schema.at_v1(letter.dead_us),
          dead_lettered_at_us = letter.dead_us,
          entry_ids = earlier[greatest(1, cardinality(earlier) - entry_ids_max + 1):],
          shard = letter.shard, lane_key = letter.lane_key,
          traceparent = letter.traceparent, body = letter.body,
          raw_payload = letter.raw_payload, envelope = letter.envelope
        WHERE d.key_id = letter.key_id AND d.payload_sha256 = letter.sha;
        EXIT;
      END IF;
      INSERT INTO @schema.dead_letters (destination, source, idempotency_key, event_id,
        failure_class, code, failed_stage, error_message, geometry_error, geometry_error_x,
        geometry_error_y, geometry_error_epsg, error_point, source_crs, violations,
        attempts, history, first_seen_at, dead_lettered_at, first_seen_at_us,
        dead_lettered_at_us, entry_ids, shard, lane_key, traceparent, body, raw_payload,
        payload_sha256, envelope, key_id)
      VALUES (letter.destination, letter.source, letter.key, letter.event_id, letter.class,
        letter.code, letter.stage, letter.message, letter.reason, letter.x, letter.y,
        letter.epsg, @schema.place_v1(letter.x, letter.y, letter.epsg), letter.source_crs,
        letter.violations, letter.attempts, letter.history,
        @schema.at_v1(letter.first_seen_us), @schema.at_v1(letter.dead_us),
        letter.first_seen_us, letter.dead_us, told, letter.shard, letter.lane_key,
        letter.traceparent, letter.body, letter.raw_payload, letter.sha, letter.envelope,
        letter.key_id)
      ON CONFLICT (key_id, payload_sha256) DO NOTHING;
      IF FOUND THEN
        dead := dead + 1;
        EXIT;
      END IF;
    END LOOP;
  END LOOP;
  PERFORM @schema.count_v1(this_shard, 0::bigint, 0::bigint,
    cardinality(duplicates)::bigint, dead);
END $$;
