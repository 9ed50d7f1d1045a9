-- The R-tree of `features.geom` and its triggers, as GeoPackage 1.4 has them: `update6`
-- and `update7` stand for the older `update1`, which breaks upserts; `update5` for
-- `update3`.
CREATE VIRTUAL TABLE rtree_features_geom USING rtree(id, minx, maxx, miny, maxy);

CREATE TRIGGER rtree_features_geom_insert AFTER INSERT ON features
  WHEN (NEW.geom NOT NULL AND NOT ST_IsEmpty(NEW.geom))
BEGIN
  INSERT OR REPLACE INTO rtree_features_geom VALUES (
    NEW.fid, ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom));
END;

CREATE TRIGGER rtree_features_geom_update2 AFTER UPDATE OF geom ON features
  WHEN OLD.fid = NEW.fid AND (NEW.geom ISNULL OR ST_IsEmpty(NEW.geom))
BEGIN
  DELETE FROM rtree_features_geom WHERE id = OLD.fid;
END;

CREATE TRIGGER rtree_features_geom_update4 AFTER UPDATE ON features
  WHEN OLD.fid != NEW.fid AND (NEW.geom ISNULL OR ST_IsEmpty(NEW.geom))
BEGIN
  DELETE FROM rtree_features_geom WHERE id IN (OLD.fid, NEW.fid);
END;

CREATE TRIGGER rtree_features_geom_update5 AFTER UPDATE ON features
  WHEN OLD.fid != NEW.fid AND (NEW.geom NOTNULL AND NOT ST_IsEmpty(NEW.geom))
BEGIN
  DELETE FROM rtree_features_geom WHERE id = OLD.fid;
  INSERT OR REPLACE INTO rtree_features_geom VALUES (
    NEW.fid, ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom));
END;

CREATE TRIGGER rtree_features_geom_update6 AFTER UPDATE OF geom ON features
  WHEN OLD.fid = NEW.fid
    AND (NEW.geom NOTNULL AND NOT ST_IsEmpty(NEW.geom))
    AND (OLD.geom NOTNULL AND NOT ST_IsEmpty(OLD.geom))
BEGIN
  UPDATE rtree_features_geom SET
    minx = ST_MinX(NEW.geom), maxx = ST_MaxX(NEW.geom),
    miny = ST_MinY(NEW.geom), maxy = ST_MaxY(NEW.geom)
  WHERE id = NEW.fid;
END;

CREATE TRIGGER rtree_features_geom_update7 AFTER UPDATE OF geom ON features
  WHEN OLD.fid = NEW.fid
    AND (NEW.geom NOTNULL AND NOT ST_IsEmpty(NEW.geom))
    AND (OLD.geom ISNULL OR ST_IsEmpty(OLD.geom))
BEGIN
  INSERT INTO rtree_features_geom VALUES (
    NEW.fid, ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom));
END;

CREATE TRIGGER rtree_features_geom_delete AFTER DELETE ON features
  WHEN OLD.geom NOT NULL
BEGIN
  DELETE FROM rtree_features_geom WHERE id = OLD.fid;
END;
