//! The crate as a module of WebAssembly, for `tests/wasm.rs`: without glue,
//! it takes and gives numbers only.
#![allow(
    unsafe_code,
    reason = "an exported name is one; nothing else here is unsafe"
)]

use hexlane_reproject::{Lookup, Target, Transform, look_up};
use std::sync::atomic::{AtomicU64, Ordering};

static FIRST: AtomicU64 = AtomicU64::new(0);
static SECOND: AtomicU64 = AtomicU64::new(0);

/// Transforms one position; 1 when it has an image, which `first` and `second` then give.
#[unsafe(no_mangle)]
pub extern "C" fn place(code: u32, metres: u32, x: f64, y: f64) -> u32 {
    let target = if metres == 1 {
        Target::WebMercator
    } else {
        Target::LonLat
    };
    let Lookup::Supported(system) = look_up(code) else {
        return 0;
    };
    let Ok(transform) = Transform::new(&system, target) else {
        return 0;
    };
    let Ok((first, second)) = transform.point(x, y) else {
        return 0;
    };
    FIRST.store(first.to_bits(), Ordering::Relaxed);
    SECOND.store(second.to_bits(), Ordering::Relaxed);
    1
}

/// Longitude in degrees, or x in metres.
#[unsafe(no_mangle)]
pub extern "C" fn first() -> f64 {
    f64::from_bits(FIRST.load(Ordering::Relaxed))
}

/// Latitude in degrees, or y in metres.
#[unsafe(no_mangle)]
pub extern "C" fn second() -> f64 {
    f64::from_bits(SECOND.load(Ordering::Relaxed))
}
