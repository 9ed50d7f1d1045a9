//! Makes the bodies of `cargo xtask bench intake` and times what takes them in, as told by lines on standard input.
//!
//! | in | does | out |
//! |---|---|---|
//! | `make NAME SEED FILE` | makes a body and writes it to the file | its bytes, then its positions |
//! | `time SIDE TIMES` | takes it in so often | the least time in nanoseconds, then what came of it |
//!
//! Sides: `ours`, bytes to encoded envelopes; `value`, a `serde_json::Value` and nothing else; `geojson`, the crate of
//! that name with `geo`'s shapes and validation; `parsed`, the same without the validation. Bodies stand in `bodies`.

mod bodies;
mod sides;

use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let source = sides::source()?;
    let mut body = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = stdout().lock();
        match words[..] {
            ["make", name, seed, file] => {
                let (text, positions) = bodies::make(name, seed.parse()?)?;
                body = text.into_bytes();
                std::fs::write(file, &body)?;
                writeln!(out, "{} {positions}", body.len())?;
            }
            ["time", side, times] => {
                let take_in: fn(&_, &[u8]) -> _ = match side {
                    "ours" => sides::ours,
                    "value" => sides::value,
                    "geojson" => sides::geojson,
                    "parsed" => sides::parsed,
                    _ => return Err(format!("no such side: {side}").into()),
                };
                let (least, came) = time(times.parse()?, || take_in(&source, &body))?;
                writeln!(out, "{least} {came}")?;
            }
            _ => return Err(format!("not understood: {line}").into()),
        }
        out.flush()?;
    }
    Ok(())
}

#[allow(
    clippy::disallowed_methods,
    reason = "a benchmark measures time; nothing decides by it"
)]
fn time(
    times: u32,
    mut take_in: impl FnMut() -> Result<usize, Box<dyn Error>>,
) -> Result<(u128, usize), Box<dyn Error>> {
    let (mut least, mut came) = (u128::MAX, 0);
    for _ in 0..times {
        let start = Instant::now();
        came = take_in()?;
        least = least.min(start.elapsed().as_nanos());
    }
    Ok((least, came))
}
