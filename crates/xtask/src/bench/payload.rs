//! The requests of `bench edge`: a 300-byte point and a 10 KB polygon, good and bad.
//!
//! Every request carries an event id of its own, written into the same bytes, so
//! that the consumer stores each accepted one instead of recognising a repetition.

use std::f64::consts::TAU;

use crate::http::post;

/// Where the digits of the event id go; nothing else in a payload looks like it.
const SLOT: &[u8] = b"################";

const POINT_BYTES: usize = 300;
const POLYGON_BYTES: usize = 10_000;

/// Fits 10 KB with seven decimals.
const POLYGON_VERTICES: u32 = 350;

/// One POST request whose event id can be set.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    bytes: Vec<u8>,
    slot: usize,
}

impl Request {
    pub(crate) fn new(port: u16, path: &str, body: &str) -> Self {
        let bytes = post(port, path, "application/geo+json", body.as_bytes());
        let slot = bytes
            .windows(SLOT.len())
            .position(|window| window == SLOT)
            .unwrap_or(bytes.len());
        Self { bytes, slot }
    }

    /// The request under event id `id`.
    pub(crate) fn numbered(&mut self, id: u64) -> &[u8] {
        let digits = format!("{id:0width$}", width = SLOT.len());
        if let Some(slot) = self.bytes.get_mut(self.slot..self.slot + digits.len()) {
            slot.copy_from_slice(digits.as_bytes());
        }
        &self.bytes
    }
}

/// A point; with `broken`, its latitude is out of range.
pub(crate) fn point(broken: bool) -> String {
    let latitude = if broken { "97.516275" } else { "52.516275" };
    let geometry = format!(r#"{{"type":"Point","coordinates":[13.377704,{latitude}]}}"#);
    feature(&geometry, POINT_BYTES)
}

/// A round polygon; with `broken`, two neighbours are swapped, so that it crosses itself.
pub(crate) fn polygon(broken: bool) -> String {
    let mut ring: Vec<String> = (0..POLYGON_VERTICES).map(vertex).collect();
    if broken {
        ring.swap(100, 101);
    }
    ring.extend(ring.first().cloned());
    let ring = ring.join(",");
    let geometry = format!(r#"{{"type":"Polygon","coordinates":[[{ring}]]}}"#);
    feature(&geometry, POLYGON_BYTES)
}

fn vertex(index: u32) -> String {
    let angle = TAU * f64::from(index) / f64::from(POLYGON_VERTICES);
    // Wavy, as a real outline is: not convex, and no two edges in line.
    let radius = 0.01 + 0.0004 * (9.0 * angle).sin();
    let (longitude, latitude) = (
        13.377_704 + radius * angle.cos(),
        52.516_275 + radius * angle.sin(),
    );
    format!("[{longitude:.7},{latitude:.7}]")
}

/// A feature of exactly `length` bytes where the geometry leaves room for that.
fn feature(geometry: &str, length: usize) -> String {
    let slot = String::from_utf8_lossy(SLOT);
    let text = |note: &str| {
        format!(
            r#"{{"type":"Feature","id":"bench","geometry":{geometry},"properties":{{"event_id":"{slot}","note":"{note}"}}}}"#
        )
    };
    let room = length.saturating_sub(text("").len());
    text(&"x".repeat(room))
}

#[cfg(test)]
mod tests {
    use super::{POINT_BYTES, POLYGON_BYTES, Request, point, polygon};

    #[test]
    fn payloads_have_the_promised_sizes_and_are_json() {
        for (text, bytes) in [
            (point(false), POINT_BYTES),
            (point(true), POINT_BYTES),
            (polygon(false), POLYGON_BYTES),
            (polygon(true), POLYGON_BYTES),
        ] {
            assert_eq!(text.len(), bytes);
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
    }

    #[test]
    fn a_numbered_request_changes_its_event_id_only() {
        let mut request = Request::new(1, "/", &point(false));
        let one = request.numbered(1).to_vec();
        let two = request.numbered(2).to_vec();
        let differing = one.iter().zip(&two).filter(|(a, b)| a != b).count();
        assert_eq!((one.len(), differing), (two.len(), 1));
    }
}
