//! Any bytes as a file: a repaired copy reads as the repairs promised, features that were not
//! repaired keep their bytes, and a second repair finds nothing to do.
#![no_main]

use hexlane_core::repair::Step;
use hexlane_findings::{File, Fix};
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fn repaired(name: &str, body: &[u8], steps: &[Step]) -> Option<Vec<u8>> {
    let file = File::judge(Path::new(name), name, name, body, None);
    match Fix::of(&file, steps, None) {
        Ok(fix) => Some(fix.bytes().to_vec()),
        // The one reason that is not a mistake of ours.
        Err(reason) => {
            assert_eq!(reason, "it is no JSON text that can be read");
            None
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, body)) = bytes.split_first() else {
        return;
    };
    let name = if choice & 1 == 1 { "a.ndjson" } else { "a.json" };
    let all = Step::NAMES.map(|(_, step)| step);
    let steps: Vec<Step> = all
        .into_iter()
        .enumerate()
        .filter(|(at, step)| *step != Step::SwapAxes && choice >> (at % 7 + 1) & 1 == 1)
        .map(|(_, step)| step)
        .collect();
    let Some(copy) = repaired(name, body, &steps) else {
        return;
    };
    let idempotent = steps.len() == 1 && steps[0] != Step::SplitAntimeridian;
    if steps.is_empty() {
        assert_eq!(copy, body);
    } else if idempotent {
        assert_eq!(repaired(name, &copy, &steps).as_deref(), Some(&*copy));
    }
});
