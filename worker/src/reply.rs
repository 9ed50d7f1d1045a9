//! The door's answer as a response of the runtime, in one call.

use hexlane_door::Answer;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/js/respond.js")]
extern "C" {
    fn respond(status: u16, header_lines: &str, body: &[u8]) -> JsValue;
}

/// A `Response`.
pub(crate) fn response(answer: &Answer) -> JsValue {
    let mut lines = String::with_capacity(96);
    for (name, value) in &answer.headers {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(name);
        lines.push('\t');
        lines.push_str(value);
    }
    respond(answer.status, &lines, &answer.body)
}
