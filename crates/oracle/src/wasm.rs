//! The same function, for JavaScript; and a body in chunks, so that its memory can be told.

use hexlane_core::judge;
use hexlane_core::limits::Limits;
use hexlane_core::violation::Report;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// See [`answer`](crate::answer).
#[wasm_bindgen]
pub fn answer(task: &str, input: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(crate::answer(task, input)?)
}

/// How much linear memory there is; it never shrinks.
#[wasm_bindgen]
#[must_use]
pub fn linear_memory_bytes() -> usize {
    const PAGE_BYTES: usize = 1 << 16;
    core::arch::wasm32::memory_size::<0>() * PAGE_BYTES
}

/// No body is refused here for its size.
const LIMITS: Limits = Limits {
    violations_max: 100,
    ..Limits::for_files()
};

/// A body in chunks, judged under no source.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Chunks(judge::Chunks<'static>);

#[wasm_bindgen]
impl Chunks {
    /// Of so many bytes.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(bytes: u32) -> Self {
        Self(judge::Chunks::new(&LIMITS, Some(u64::from(bytes))))
    }

    /// The next bytes.
    pub fn push(&mut self, chunk: &[u8]) {
        self.0.push(chunk);
    }

    /// `valid`, or how many errors; `whole` when the body must be read whole.
    #[must_use]
    pub fn verdict(self) -> String {
        let mut errors = 0;
        let mut count = |report: &Report| errors += report.errors();
        match self.0.survey(|_, report| count(report)) {
            None => "whole".to_owned(),
            Some(report) => {
                count(&report);
                match errors {
                    0 => "valid".to_owned(),
                    errors => format!("{errors} errors"),
                }
            }
        }
    }
}
