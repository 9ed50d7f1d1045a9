//! `cargo xtask size`: what the Worker weighs when it is uploaded.
//!
//! Measures the modules of the `--dry-run` bundle, gzipped, against the budget.
//! Source maps and the read-me beside them are not uploaded and not counted.

use std::{cmp::Reverse, ffi::OsStr, fs, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use crate::{
    bench::report::{self, Row},
    edge,
    failure::Failure,
    workspace::Workspace,
};

/// The budget for the gzipped bundle. The smallest platform plan takes 3 MB;
/// ours is tighter, because every byte is parsed at each cold start.
const BUDGET_GZ_BYTES: u64 = 600_000;

/// One uploaded module.
struct Module {
    name: String,
    raw_bytes: u64,
    gz_bytes: u64,
}

/// Measures, prints, writes `size.json`, and fails over the budget.
pub(crate) fn size(workspace: &Workspace) -> Result<(), Failure> {
    let modules = modules(&edge::bundle(workspace)?)?;
    let gz_bytes: u64 = modules.iter().map(|module| module.gz_bytes).sum();
    print(&modules, gz_bytes);
    let row = Row {
        name: "gzipped bundle against its budget".to_owned(),
        ours: as_f64(gz_bytes),
        peer: as_f64(BUDGET_GZ_BYTES),
        unit: "bytes",
        ratio: as_f64(BUDGET_GZ_BYTES) / as_f64(gz_bytes.max(1)),
    };
    let value = json!({
        "gz_bytes": gz_bytes,
        "budget_gz_bytes": BUDGET_GZ_BYTES,
        "rows": report::rows(&[row]),
    });
    report::write(&workspace.bench(), "size.json", &value)?;
    if gz_bytes > BUDGET_GZ_BYTES {
        return Err(Failure::Refused(format!(
            "the gzipped bundle has {gz_bytes} bytes, the budget is {BUDGET_GZ_BYTES}"
        )));
    }
    Ok(())
}

fn modules(bundle: &Path) -> Result<Vec<Module>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(bundle).map_err(Failure::file("list", bundle))? {
        let path = entry.map_err(Failure::file("list", bundle))?.path();
        if path
            .extension()
            .is_some_and(|kind| kind == "js" || kind == "wasm")
        {
            found.push(weigh(&path)?);
        }
    }
    found.sort_by_key(|module| Reverse(module.gz_bytes));
    Ok(found)
}

fn weigh(path: &Path) -> Result<Module, Failure> {
    let bytes = fs::read(path).map_err(Failure::file("read", path))?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let packed = gzip
        .write_all(&bytes)
        .and_then(|()| gzip.finish())
        .map_err(Failure::file("compress", path))?;
    Ok(Module {
        name: path
            .file_name()
            .map(OsStr::to_string_lossy)
            .unwrap_or_default()
            .into_owned(),
        raw_bytes: bytes.len() as u64,
        gz_bytes: packed.len() as u64,
    })
}

fn print(modules: &[Module], gz_bytes: u64) {
    println!("{:>10}  {:>10}  module", "bytes", "gzipped");
    for module in modules {
        println!(
            "{:>10}  {:>10}  {}",
            module.raw_bytes, module.gz_bytes, module.name
        );
    }
    println!(
        "{:>10}  {gz_bytes:>10}  together, budget {BUDGET_GZ_BYTES}",
        ""
    );
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a bundle is far below 2^52 bytes"
)]
fn as_f64(bytes: u64) -> f64 {
    bytes as f64
}
