//! The same function, for JavaScript.

use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// See [`answer`](crate::answer).
#[wasm_bindgen]
pub fn answer(task: &str, input: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(crate::answer(task, input)?)
}
