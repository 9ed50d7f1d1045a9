//! `cargo xtask edge-build`: the `[build]` command of `wrangler.toml`.
//!
//! Compiles the Worker with profile `edge`, makes the glue, shrinks the wasm and
//! puts all of it into `worker/build`. When the compiled wasm has not changed the
//! rest is skipped, because wrangler runs this command on every start. Files are
//! swapped in by rename, so that a running `wrangler dev` never reads half a file.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::{glue, lock};
use crate::{
    command::{cargo, program, run},
    failure::Failure,
    tools,
    workspace::Workspace,
};

/// The entry module: the Worker's own, in place of the one of `worker-build`.
const ENTRY: &str = "worker/js/entry.js";

/// What rustc's wasm32 target and the glue use. Named one by one, so that
/// wasm-opt never emits an encoding that workerd does not read yet.
const WASM_FEATURES: [&str; 7] = [
    "--enable-mutable-globals",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-reference-types",
    "--enable-exception-handling",
];

/// Builds the Worker into `worker/build`.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    lock::check(workspace)?;
    tools::ensure_node(workspace)?;
    tools::ensure_wasm_target(workspace)?;
    let wasm = compile(workspace, &[])?.join("hexlane_worker.wasm");
    let out = workspace.edge_build();
    let entry = workspace.root().join(ENTRY);
    let entry = fs::read_to_string(&entry).map_err(Failure::file("read", &entry))?;
    let stamp = stamp(&wasm, &entry)?;
    if fs::read_to_string(out.join(".stamp")).is_ok_and(|done| done == stamp) {
        return Ok(());
    }
    let stage = workspace.target().join("edge/stage");
    empty(&stage)?;
    glue::generate(&wasm, &stage)?;
    shrink(workspace, &stage.join(glue::WASM))?;
    write(&stage.join("index.js"), entry.as_bytes())?;
    install(&stage, &out)?;
    write(&out.join(".stamp"), stamp.as_bytes())
}

/// Builds the hello-world Worker of `worker/examples` into `out`, by the same steps and under
/// the thinnest entry: what it costs is what the `worker` crate costs.
pub(crate) fn hello(workspace: &Workspace, out: &Path) -> Result<(), Failure> {
    const ENTRY: &str = "import * as glue from \"./glue.js\";\n\
        export default { fetch: (request, env, context) => glue.fetch(request, env, context) };\n";
    let wasm = compile(workspace, &["--example", "hello"])?.join("examples/hello.wasm");
    empty(out)?;
    glue::generate(&wasm, out)?;
    shrink(workspace, &out.join(glue::WASM))?;
    write(&out.join("index.js"), ENTRY.as_bytes())
}

/// Names features of the Worker that this build is to have, as `repair`. By the environment,
/// because it is wrangler that starts the build.
const FEATURES_VARIABLE: &str = "HEXLANE_EDGE_FEATURES";

/// Compiles the Worker, or another target of its package, and gives the folder it is in.
fn compile(workspace: &Workspace, target: &[&str]) -> Result<PathBuf, Failure> {
    let features = std::env::var(FEATURES_VARIABLE).unwrap_or_default();
    run(cargo(workspace)
        .args(["build", "--package", "hexlane-worker", "--profile", "edge"])
        .args(["--target", tools::WASM_TARGET])
        .args(["--features", &features])
        .args(target))?;
    let folder = workspace.target().join(tools::WASM_TARGET);
    Ok(folder.join("edge"))
}

/// Names everything the output depends on: the wasm, the entry, this program's steps.
fn stamp(wasm: &Path, entry: &str) -> Result<String, Failure> {
    let bytes = fs::read(wasm).map_err(Failure::file("read", wasm))?;
    let mut hasher = DefaultHasher::new();
    (&bytes, entry, WASM_FEATURES, glue::VERSION).hash(&mut hasher);
    Ok(format!("{:016x}\n", hasher.finish()))
}

fn shrink(workspace: &Workspace, wasm: &Path) -> Result<(), Failure> {
    let small = wasm.with_extension("small");
    run(program(workspace, workspace.npm_bin("node"))
        .arg(workspace.npm_bin("wasm-opt"))
        .args(["-O3", "--strip-debug", "--strip-producers"])
        .args(WASM_FEATURES)
        .arg(wasm)
        .arg("-o")
        .arg(&small))?;
    fs::rename(&small, wasm).map_err(Failure::file("replace", wasm))
}

/// Moves every staged file over its old one, snippets included.
fn install(stage: &Path, out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out).map_err(Failure::file("create", out))?;
    let entries = fs::read_dir(stage).map_err(Failure::file("list", stage))?;
    for entry in entries {
        let from = entry.map_err(Failure::file("list", stage))?.path();
        let to = out.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            install(&from, &to)?;
        } else {
            fs::rename(&from, &to).map_err(Failure::file("replace", &to))?;
        }
    }
    Ok(())
}

fn empty(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::file("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(Failure::file("create", folder))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(Failure::file("write", path))
}
