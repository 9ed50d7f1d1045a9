-- The name of this map: who gives the leases of a queue elsewhere is told by it.
INSERT INTO @schema.meta
  VALUES ('authority', pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''))
  ON CONFLICT (name) DO NOTHING;
