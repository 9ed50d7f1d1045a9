//! What the core makes of many inputs at once, for comparison with other programs.
//!
//! One function, [`answer`], in two builds: the program `oracle` reads its input from standard
//! input, and in wasm JavaScript calls it. Scripts ask both and hold the answers to each
//! other, to Python's `float` and to H3's own library. It decides nothing itself.

mod numbers;
mod verdicts;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

/// Why there is no answer. A fault of the script that asked, or of the core.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// No task has that name.
    #[error("no task is called `{0}`: numbers or verdicts")]
    Task(String),
    /// The input is not what the task reads.
    #[error("the input is not what the task reads: {0}")]
    Input(String),
}

/// The answer of a task to its input.
///
/// - `numbers`: a JSON number a line; each as the core reads it, as the eight bytes of a
///   double, little-endian.
/// - `verdicts`: the settings of a source, then a body a line; a line each, of an event's cell,
///   lane key, shard and box, or of its violations.
pub fn answer(task: &str, input: &[u8]) -> Result<Vec<u8>, OracleError> {
    match task {
        "numbers" => numbers::read(input),
        "verdicts" => verdicts::judge(input),
        other => Err(OracleError::Task(other.to_owned())),
    }
}
