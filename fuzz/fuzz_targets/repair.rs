//! Any polygons: repaired they are valid, refused they have a reason, and a second repair finds nothing to do. Lines and
//! polygons cut at the antimeridian lie between -180° and 180°.
#![no_main]

use hexlane_repair::{Limits, Refusal, Rule, Step, repair};
use libfuzzer_sys::fuzz_target;
use ogc_validity::{OwnedShape, ShapeKind, is_valid};

/// A byte of flags, then positions of two bytes, or of sixteen; a position of zeros ends a ring, two end a part.
fn read(bytes: &[u8]) -> Option<(OwnedShape, u8)> {
    let (flags, rest) = bytes.split_first()?;
    let wide = flags & 1 == 1;
    let is_line = flags & 2 == 2;
    let mut geometry = OwnedShape {
        kind: if is_line { ShapeKind::MultiLineString } else { ShapeKind::MultiPolygon },
        coordinates: Vec::new(),
        stride: 2,
        ring_ends: Vec::new(),
        part_ends: Vec::new(),
    };
    let count = |len: usize| u32::try_from(len).expect("an input of libFuzzer is short");
    for position in rest.chunks_exact(if wide { 16 } else { 2 }) {
        if position.iter().all(|byte| *byte == 0) {
            let vertices = count(geometry.coordinates.len() / 2);
            if geometry.ring_ends.last() == Some(&vertices) {
                geometry.part_ends.push(count(geometry.ring_ends.len()));
            } else {
                geometry.ring_ends.push(vertices);
            }
        } else if let (true, Some((x, y))) = (wide, position.split_at_checked(8)) {
            let number = |bytes: &[u8]| bytes.try_into().ok().map(f64::from_le_bytes);
            geometry.coordinates.extend([number(x)?, number(y)?]);
        } else {
            let [x, y] = [position[0], position[1]].map(|byte| f64::from(byte.cast_signed()));
            geometry.coordinates.extend([x * 3.0, y]);
        }
    }
    geometry.ring_ends.push(count(geometry.coordinates.len() / 2));
    geometry.part_ends.push(count(geometry.ring_ends.len()));
    Some((geometry, *flags))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((geometry, flags)) = read(bytes) else { return };
    let limits = Limits { vertices_max: 2_000, crossings_max: 20_000, work_max: 2_000_000 };
    let rule = if flags & 4 == 4 { Rule::Structure } else { Rule::EvenOdd };
    let steps = [Step::DropRepeats, Step::CloseRing, Step::MakeValid(rule)];
    match repair(&geometry.as_shape(), &steps, &limits) {
        Ok(repaired) => {
            assert_ne!(is_valid(&repaired.geometry.as_shape()), Ok(Some(false)));
            let again = repair(&repaired.geometry.as_shape(), &steps[2..], &limits);
            assert!(again.is_ok_and(|again| again.changes.is_empty()));
        }
        Err(Refusal::Shape(error)) => panic!("{error}"),
        Err(_) => {}
    }
    if let Ok(split) = repair(&geometry.as_shape(), &[Step::SplitAntimeridian], &limits) {
        assert!(split.geometry.coordinates.chunks(2).all(|each| each[0].abs() <= 180.0));
    }
});
