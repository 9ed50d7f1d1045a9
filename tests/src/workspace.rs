//! The workspace as cargo and the file system see it.

mod manifest;
mod source;

pub use manifest::Manifest;
pub use source::Source;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("tests/ lies in the repository")
        .to_path_buf()
}

/// What `cargo metadata` says of the members.
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Reads it, without the network.
    #[must_use]
    pub fn read() -> Self {
        let mut command = MetadataCommand::new();
        let offline = vec!["--offline".to_owned()];
        let command = command.manifest_path(root().join("Cargo.toml")).no_deps();
        let metadata = command
            .other_options(offline)
            .exec()
            .expect("`cargo metadata --offline`");
        Self { metadata }
    }

    /// Every member.
    #[must_use]
    pub fn members(&self) -> Vec<Member<'_>> {
        self.metadata
            .workspace_packages()
            .into_iter()
            .map(|package| Member { package })
            .collect()
    }
}

/// One member of the workspace.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    package: &'a Package,
}

impl Member<'_> {
    /// The package's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.package.name.as_str()
    }

    /// The package's folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        let manifest = self.package.manifest_path.as_std_path();
        manifest
            .parent()
            .expect("a manifest lies in a folder")
            .to_path_buf()
    }

    /// Names of the packages it is linked with: normal and build dependencies.
    #[must_use]
    pub fn linked(&self) -> BTreeSet<String> {
        let all = self.package.dependencies.iter();
        let linked = all.filter(|each| each.kind != DependencyKind::Development);
        linked.map(|each| each.name.clone()).collect()
    }

    /// Names of its normal dependencies.
    #[must_use]
    pub fn normal(&self) -> BTreeSet<String> {
        let all = self.package.dependencies.iter();
        let normal = all.filter(|each| each.kind == DependencyKind::Normal);
        normal.map(|each| each.name.clone()).collect()
    }

    /// Whether users run it: not the developers' commands, not the tests and their programs.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        !matches!(
            self.name(),
            "hexlane-oracle" | "hexlane-servers" | "hexlane-tests" | "hexlane-xtask"
        )
    }

    /// Its Rust files.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        source::below(&self.folder())
    }

    /// Its manifest as written.
    #[must_use]
    pub fn manifest(&self) -> Manifest {
        Manifest::read(&self.folder().join("Cargo.toml"))
    }
}

/// Packages in the normal, non-proc-macro tree of the Worker on wasm32, each as
/// `name version`, with the features that are on.
#[must_use]
pub fn edge_tree() -> BTreeSet<(String, BTreeSet<String>)> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(root())
        .args(["tree", "--offline", "--package", "hexlane-worker"]);
    cargo.args([
        "--target",
        "wasm32-unknown-unknown",
        "--edges",
        "normal,no-proc-macro",
    ]);
    cargo.args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{f}"]);
    let output = cargo.output().expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{cargo:?} failed; `cargo xtask edge-build` first\n{errors}"
    );
    let text = String::from_utf8(output.stdout).expect("cargo tree prints UTF-8");
    let packages = text.lines().filter_map(|line| line.split_once('|'));
    packages
        .map(|(package, features)| {
            let name = package.split(' ').next().unwrap_or_default().to_owned();
            let features = features.split(',').map(str::to_owned);
            (name, features.filter(|each| !each.is_empty()).collect())
        })
        .collect()
}
