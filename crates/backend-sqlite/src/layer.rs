//! A reference layer kept in a GeoPackage of anybody's: read only, whole, in the order of its
//! rows. The file may be written by others meanwhile; a read sees one state.

use crate::failure::Stop;
use crate::geopackage::{binary, schema::SRS_ID};
use crate::read_only::snapshot;
use hexlane_backend::{
    Code, Failure, LayerContent, LayerFeature, LayerRead, LayerSource, LayerStamp, Part,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Map, Number, Value};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use tokio::sync::oneshot;

/// A feature table of a GeoPackage.
#[derive(Clone, Debug)]
pub struct SqliteLayer {
    path: PathBuf,
    table: Option<String>,
}

impl SqliteLayer {
    /// The table of that name; the only one of the file when none is named.
    #[must_use]
    pub const fn new(path: PathBuf, table: Option<String>) -> Self {
        Self { path, table }
    }

    /// SQLite sees one state of what it wrote itself; a file that is copied over this one
    /// meanwhile shows in the stamp.
    fn read_one_state(&self) -> Result<LayerRead, Failure> {
        let before = stamp(&self.path)?;
        let features = snapshot(Part::Layers, &self.path, |connection| {
            read(connection, self.table.as_deref())
        });
        if stamp(&self.path)? != before {
            let detail = format!("{}: it changed while it was read", self.path.display());
            return Err(Failure::new(Part::Layers, Code::Busy).with_detail(detail));
        }
        Ok(LayerRead {
            stamp: before,
            features: features?,
        })
    }
}

impl LayerSource for SqliteLayer {
    async fn stamp(&self) -> Result<LayerStamp, Failure> {
        let path = self.path.clone();
        off_thread(move || stamp(&path)).await
    }

    async fn read(&self) -> Result<LayerRead, Failure> {
        let layer = self.clone();
        off_thread(move || layer.read_one_state()).await
    }
}

/// SQLite and the file system block.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (reply, answer) = oneshot::channel();
    let thread = std::thread::Builder::new().name("layer-reader".to_owned());
    // Nobody waits any more: then nobody is told.
    let spawned = thread.spawn(move || drop(reply.send(work())));
    spawned.map_err(|error| {
        Failure::new(Part::Layers, Code::Unavailable).with_detail(error.to_string())
    })?;
    let died = |_| Failure::new(Part::Layers, Code::Internal);
    answer.await.map_err(died)?
}

/// The file and the log that may hold newer pages than it.
fn stamp(path: &Path) -> Result<LayerStamp, Failure> {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let file = path.metadata().map_err(|error| {
        let detail = format!("{}: {error}", path.display());
        Failure::new(Part::Layers, Code::Unavailable).with_detail(detail)
    })?;
    let wal = Path::new(&wal).metadata().ok();
    let text = |found: std::fs::Metadata| {
        let changed = found.modified().ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let since = changed.map_or(0, |since| since.as_nanos());
        format!("{since}/{}", found.len())
    };
    let wal = wal.map(text).unwrap_or_default();
    Ok(LayerStamp::new(format!("{}+{wal}", text(file))))
}

fn read(connection: &Connection, named: Option<&str>) -> Result<Vec<LayerFeature>, Stop> {
    let table = table(connection, named)?;
    let geometry = geometry_column(connection, &table)?;
    let sql = format!("SELECT rowid, * FROM {} ORDER BY rowid", quoted(&table));
    let mut statement = connection.prepare(&sql)?;
    let names: Vec<String> = statement
        .column_names()
        .skip(1)
        .map(str::to_owned)
        .collect();
    let mut content = LayerContent::default();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        content.push(feature(row, &names, &geometry)?)?;
    }
    Ok(content.into_features())
}

fn table(connection: &Connection, named: Option<&str>) -> Result<String, Stop> {
    let listed = "SELECT table_name FROM gpkg_contents WHERE data_type = 'features' ORDER BY 1";
    let mut statement = connection.prepare(listed)?;
    let tables = statement.query_map([], |row| row.get(0))?;
    let tables = tables.collect::<rusqlite::Result<Vec<String>>>()?;
    match (named, &tables[..]) {
        (Some(named), tables) if tables.iter().any(|table| table == named) => Ok(named.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (_, tables) => {
            let which = named.map_or_else(
                || "name one of its layers".to_owned(),
                |named| format!("it has no layer `{named}`"),
            );
            Err(refused(format!("{which}: `{}`", tables.join("`, `"))))
        }
    }
}

/// The column with the geometry, which must be in degrees.
fn geometry_column(connection: &Connection, table: &str) -> Result<String, Stop> {
    let sql = "SELECT c.column_name, s.organization, s.organization_coordsys_id
               FROM gpkg_geometry_columns AS c
               LEFT JOIN gpkg_spatial_ref_sys AS s ON s.srs_id = c.srs_id
               WHERE c.table_name = ?1";
    let found = connection
        .query_row(sql, [table], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((column, organization, code)): Option<(String, Option<String>, Option<i32>)> = found
    else {
        return Err(refused(format!(
            "the layer `{table}` has no geometry column"
        )));
    };
    let organization = organization.unwrap_or_default();
    if organization.eq_ignore_ascii_case("EPSG") && code == Some(SRS_ID) {
        return Ok(column);
    }
    let code = code.map_or_else(|| "?".to_owned(), |code| code.to_string());
    let detail = format!("the layer `{table}` is in {organization}:{code}, not EPSG:{SRS_ID}");
    Err(refused(detail))
}

fn refused(detail: String) -> Stop {
    Failure::new(Part::Layers, Code::Settings)
        .with_detail(detail)
        .into()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn feature(row: &Row<'_>, names: &[String], geometry: &str) -> Result<LayerFeature, Stop> {
    let fid: i64 = row.get(0)?;
    let mut feature = LayerFeature {
        place: format!("fid {fid}"),
        wkb: None,
        properties: String::new(),
    };
    let mut properties = Map::new();
    for (index, name) in names.iter().enumerate() {
        let value = row.get_ref(index + 1)?;
        match value {
            ValueRef::Blob(bytes) if name == geometry => {
                // What is no geometry is told by whoever judges it.
                feature.wkb = Some(binary::well_known(bytes).unwrap_or(bytes).to_vec());
            }
            ValueRef::Blob(_) => {}
            ValueRef::Null if name == geometry => {}
            ValueRef::Null => drop(properties.insert(name.clone(), Value::Null)),
            ValueRef::Integer(number) => drop(properties.insert(name.clone(), number.into())),
            ValueRef::Real(number) => {
                let number = Number::from_f64(number).map_or(Value::Null, Value::Number);
                properties.insert(name.clone(), number);
            }
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text).into_owned();
                properties.insert(name.clone(), text.into());
            }
        }
    }
    feature.properties = Value::Object(properties).to_string();
    Ok(feature)
}
