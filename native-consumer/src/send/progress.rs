//! Progress, on a terminal alone.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Elapsed, bar, counts, rate.
const TEMPLATE: &str = "{elapsed_precise} {wide_bar} {pos}/{len} features, {per_sec}, {eta} left";

/// A bar over so many features; it draws nothing where nobody watches.
pub(super) fn bar(features: u64) -> ProgressBar {
    let target = if output::stderr_is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(features), target);
    match ProgressStyle::with_template(TEMPLATE) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
