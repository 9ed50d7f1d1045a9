//! How far this crate lies from points that PROJ made: what `data/generate.py` asks.
//! Reads lines of `definition <tab> x y lon lat ...` and prints, for each, the distance in
//! metres at each point (`inf` where there is no result), or `error`.
#![allow(
    clippy::print_stdout,
    reason = "a line a definition is what the generator reads"
)]

use hexlane_reproject::{Target, Transform};
use std::io::BufRead;

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (definition, points) = line.split_once('\t').unwrap_or((&line, ""));
        let numbers: Vec<f64> = points
            .split(' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        match Transform::from_definition(definition, Target::LonLat) {
            Ok(transform) => {
                let distances: Vec<String> = numbers
                    .chunks_exact(4)
                    .map(|point| distance_m(&transform, point).to_string())
                    .collect();
                println!("{}", distances.join(" "));
            }
            Err(error) => println!("error {error}"),
        }
    }
    Ok(())
}

/// Metres between the result and the point that was expected, on a sphere.
fn distance_m(transform: &Transform, point: &[f64]) -> f64 {
    let Ok((lon, lat)) = transform.point(point[0], point[1]) else {
        return f64::INFINITY;
    };
    let metres_per_degree = 111_319.5;
    let turn = (lon - point[2] + 540.0).rem_euclid(360.0) - 180.0;
    let east = turn * lat.to_radians().cos() * metres_per_degree;
    let north = (lat - point[3]) * metres_per_degree;
    east.hypot(north)
}
