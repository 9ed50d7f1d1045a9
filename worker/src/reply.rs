//! The door's answer as a response of the runtime, in one call.

use hexlane_door::Answer;
use std::cell::RefCell;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/js/respond.js")]
extern "C" {
    fn know(set: usize, header_lines: &str);
    fn respond(status: u16, set: usize, body: &[u8]) -> JsValue;
}

/// Sets of headers that JavaScript keeps. Answers have a dozen, and those with `Retry-After`
/// as many as it has values; what does not fit takes the last place anew each time.
const SETS_MAX: usize = 64;

thread_local! {
    /// The header lines that JavaScript knows, by their number.
    static SETS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A `Response`.
pub(crate) fn response(answer: &Answer) -> JsValue {
    let set = SETS.with_borrow_mut(|sets| set_of(lines(answer), sets));
    respond(answer.status, set, &answer.body)
}

/// Name, tab, value, a line each.
fn lines(answer: &Answer) -> String {
    let mut lines = String::with_capacity(96);
    for (name, value) in &answer.headers {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(name);
        lines.push('\t');
        lines.push_str(value);
    }
    lines
}

fn set_of(lines: String, sets: &mut Vec<String>) -> usize {
    if let Some(set) = sets.iter().position(|known| *known == lines) {
        return set;
    }
    sets.truncate(SETS_MAX - 1);
    let set = sets.len();
    know(set, &lines);
    sets.push(lines);
    set
}
