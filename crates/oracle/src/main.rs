//! `oracle TASK`: the answer to standard input, on standard output.
#![allow(
    clippy::disallowed_methods,
    reason = "a program for scripts: its streams are its business"
)]

use std::error::Error;
use std::io::{Read as _, Write as _, stdin, stdout};

fn main() -> Result<(), Box<dyn Error>> {
    let task = std::env::args().nth(1).unwrap_or_default();
    let mut input = Vec::new();
    stdin().lock().read_to_end(&mut input)?;
    let answer = hexlane_oracle::answer(&task, &input)?;
    Ok(stdout().lock().write_all(&answer)?)
}
