//! A `Cargo.toml` as written.

use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// A manifest.
pub struct Manifest {
    table: Table,
}

impl Manifest {
    /// Reads one.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let table = text
            .parse()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { table }
    }

    /// Whether the member takes the workspace's lints.
    #[must_use]
    pub fn inherits_lints(&self) -> bool {
        let lints = self
            .table
            .get("lints")
            .and_then(|lints| lints.get("workspace"));
        lints.and_then(Value::as_bool) == Some(true)
    }

    /// Each dependency of each kind, as written.
    #[must_use]
    pub fn dependencies(&self) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            found.extend(entries(self.table.get(kind)));
            for (_, target) in entries(self.table.get("target")) {
                found.extend(entries(target.get(kind)));
            }
        }
        found
    }

    /// `[workspace.dependencies]`.
    #[must_use]
    pub fn workspace_dependencies(&self) -> Vec<(String, Value)> {
        entries(
            self.table
                .get("workspace")
                .and_then(|inner| inner.get("dependencies")),
        )
    }
}

fn entries(table: Option<&Value>) -> Vec<(String, Value)> {
    let table = table.and_then(Value::as_table).into_iter().flatten();
    table
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
