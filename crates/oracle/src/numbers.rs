//! Numbers as they reach the map: written into a line's coordinates, read back from its
//! binary form.

use crate::{OracleError, verdicts};
use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Payload;

/// Positions of one line: a body of some 500 KB.
const POSITIONS_MAX: usize = 10_000;

/// Byte order, type and count of positions stand before the coordinates of a line in
/// well-known binary.
const HEAD_BYTES: usize = 9;

const BEFORE: &[u8] =
    br#"{"type":"Feature","id":"n","geometry":{"type":"LineString","coordinates":["#;
const AFTER: &[u8] = br#"]},"properties":{}}"#;

/// A line has two positions at least; these fill it up, and are cut off again.
const FILLER: &[u8] = b"0";

pub(crate) fn read(input: &[u8]) -> Result<Vec<u8>, OracleError> {
    let numbers: Vec<&[u8]> = input
        .split(|byte| *byte == b'\n')
        .filter(|number| !number.is_empty())
        .collect();
    let accepted = verdicts::accepted()?;
    let mut answer = Vec::with_capacity(numbers.len() * 8);
    for some in numbers.chunks(POSITIONS_MAX * 2) {
        let mut padded = some.to_vec();
        padded.resize(some.len().next_multiple_of(2).max(4), FILLER);
        let wkb = wkb(accepted.clone(), line(&padded))?;
        let coordinates = wkb.get(HEAD_BYTES..HEAD_BYTES + some.len() * 8);
        let short = || OracleError::Input("fewer coordinates came out than went in".to_owned());
        answer.extend_from_slice(coordinates.ok_or_else(short)?);
    }
    Ok(answer)
}

fn line(numbers: &[&[u8]]) -> Vec<u8> {
    let positions: Vec<Vec<u8>> = numbers
        .chunks_exact(2)
        .map(|pair| [b"[", pair[0], b",", pair[1], b"]"].concat())
        .collect();
    [BEFORE, &positions.join(&b','), AFTER].concat()
}

/// The line as a consumer reads it: of an accepted envelope, nothing is judged again, so that
/// numbers beyond ±180 are read as well.
fn wkb(mut envelope: Envelope, body: Vec<u8>) -> Result<Vec<u8>, OracleError> {
    envelope.payload_sha256 = sha256(&body);
    envelope.payload = Payload::Inline(body);
    let effect = Effect::decode(envelope).map_err(|error| OracleError::Input(error.to_string()))?;
    effect
        .wkb
        .ok_or_else(|| OracleError::Input("no geometry".to_owned()))
}
