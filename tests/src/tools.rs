//! Where the built things and the tools are: by environment, else at the place in the
//! repository where `cargo xtask test` puts them. An absent one fails the test.

use crate::workspace::root;
use std::path::PathBuf;

/// The consumer's binary.
#[must_use]
pub fn hexlane() -> PathBuf {
    let built = ["release", "debug"].map(|profile| format!("target/{profile}/hexlane"));
    let newest = built
        .iter()
        .map(|path| root().join(path))
        .filter(|path| path.exists());
    let newest = newest.max_by_key(|path| path.metadata().and_then(|found| found.modified()).ok());
    find(
        "HEXLANE_BIN",
        newest.unwrap_or_else(|| root().join(&built[0])),
    )
}

/// The folder with the Worker's bundle.
#[must_use]
pub fn edge_bundle() -> PathBuf {
    let folder = find("HEXLANE_EDGE_DIR", root().join("target/edge/bundle"));
    present(folder.join("index.js"));
    folder
}

/// workerd.
#[must_use]
pub fn workerd() -> PathBuf {
    find("HEXLANE_WORKERD", root().join("node_modules/.bin/workerd"))
}

/// wrangler.
#[must_use]
pub fn wrangler() -> PathBuf {
    find(
        "HEXLANE_WRANGLER",
        root().join("node_modules/.bin/wrangler"),
    )
}

/// Node, of the version that wrangler wants.
#[must_use]
pub fn node() -> PathBuf {
    find("HEXLANE_NODE", root().join("node_modules/.bin/node"))
}

/// Python with shapely.
#[must_use]
pub fn python() -> PathBuf {
    find("HEXLANE_PYTHON", root().join(".tools/venv/bin/python"))
}

/// The earthquakes of npm's `vega-datasets`: 1,707 points with heights.
#[must_use]
pub fn earthquakes() -> PathBuf {
    present(root().join("node_modules/vega-datasets/data/earthquakes.json"))
}

/// The countries of npm's `@geo-maps/countries-land-10km`: 220 polygons.
#[must_use]
pub fn countries() -> PathBuf {
    present(root().join("node_modules/@geo-maps/countries-land-10km/map.geo.json"))
}

/// The countries of npm's `@geo-maps/countries-land-1km`: 248 features in 22 MB, one a line.
#[must_use]
pub fn fine_countries() -> PathBuf {
    present(root().join("node_modules/@geo-maps/countries-land-1km/map.geo.json"))
}

/// An environment variable that says something to the tests; an empty one counts as absent.
#[must_use]
#[allow(
    clippy::disallowed_methods,
    reason = "the one place where tests read the environment"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn find(name: &str, place: PathBuf) -> PathBuf {
    present(variable(name).map_or(place, PathBuf::from))
}

fn present(path: PathBuf) -> PathBuf {
    let path_shown = path.display();
    assert!(
        path.exists(),
        "{path_shown} is absent: `cargo xtask test` brings it"
    );
    path
}
