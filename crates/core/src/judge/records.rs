//! Sequences of GeoJSON texts: each record is read by itself, and a broken one hides none.

use super::Judged;
use super::bench::Bench;
use crate::code::Code;
use crate::read::{Offsets, Place, Record};
use crate::violation::{Report, Violation};

/// The verdict on a body of these records.
pub(super) fn judge<'a>(mut bench: Bench<'_>, records: impl Iterator<Item = Record<'a>>) -> Judged {
    if let Some(violation) = bench.oversized() {
        bench.refuse_whole(violation);
        return bench.close();
    }
    let mut number = 0;
    for record in records {
        let place = Place {
            record: Some(number),
            pointer: String::new(),
            offsets: Offsets::From(record.start),
        };
        number += 1;
        if !record.separated {
            let message = "this stands before the first record separator";
            let mut violation = Violation::new(Code::ParseSeparator, message).at("", 0);
            place.apply(&mut violation);
            bench.broken(Report::of(violation));
        } else if !bench.part(record.bytes, &place) {
            break;
        }
    }
    if number == 0 {
        let message = "the body holds no record";
        bench.refuse_whole(Violation::new(Code::ParseEmpty, message).at("", 0));
    }
    bench.close()
}
