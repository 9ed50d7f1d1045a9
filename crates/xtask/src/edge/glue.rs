//! wasm-bindgen, linked: the JavaScript between the Worker and its wasm.
//!
//! Asks for what the `worker` crate expects of its glue: an ES module that
//! instantiates on import, a function that resets the wasm after an abort, and
//! the handler through which an abort asks for it.

use std::{fs, path::Path};

use wasm_bindgen_cli_support::Bindgen;

use crate::failure::Failure;

/// The version linked here, as the workspace manifest pins it.
pub(crate) const VERSION: &str = "0.2.130";

/// The file that [`generate`] leaves beside the glue.
pub(crate) const WASM: &str = "glue_bg.wasm";

/// Writes `glue.js`, [`WASM`] and the snippets into `out`.
pub(crate) fn generate(wasm: &Path, out: &Path) -> Result<(), Failure> {
    let mut bindgen = Bindgen::new();
    bindgen
        .module(true)
        .and_then(|bindgen| {
            bindgen
                .input_path(wasm)
                .out_name("glue")
                .reset_state_function(true)
                .force_enable_abort_handler(true)
                .generate(out)
        })
        .map_err(|error| Failure::Bindgen(format!("{error:#}")))?;
    plain_imports(&out.join("glue.js"))
}

/// Writes `glue.js` for Node's `require`, and [`WASM`], into `out`: for tests of the core in wasm.
pub(crate) fn for_node(wasm: &Path, out: &Path) -> Result<(), Failure> {
    let mut bindgen = Bindgen::new();
    bindgen
        .nodejs(true)
        .and_then(|bindgen| bindgen.input_path(wasm).out_name("glue").generate(out))
        .map_err(|error| Failure::Bindgen(format!("{error:#}")))
}

/// Source-phase imports are written as plain ones: wrangler gives a compiled
/// module for `import … from "….wasm"` already and does not parse the other form.
fn plain_imports(glue: &Path) -> Result<(), Failure> {
    let text = fs::read_to_string(glue).map_err(Failure::file("read", glue))?;
    fs::write(glue, text.replace("import source ", "import ")).map_err(Failure::file("write", glue))
}
