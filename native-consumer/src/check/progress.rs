//! Progress, on a terminal alone, and only where there is something to wait for.

use super::inputs::Input;
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::time::Duration;

/// Elapsed, bar, bytes, files.
const TEMPLATE: &str = "{elapsed_precise} {wide_bar} {bytes}/{total_bytes}, {msg}";
/// Less is judged before anybody reads a bar.
const BYTES_MIN: u64 = 4 << 20;
/// Between two drawings while a large file is judged.
const TICK: Duration = Duration::from_millis(200);

/// A bar over the bytes of every input.
pub(super) struct Progress {
    bar: ProgressBar,
    files: usize,
    done: Cell<usize>,
}

impl Progress {
    pub(super) fn over(inputs: &[Input]) -> Self {
        let bytes: u64 = inputs.iter().filter_map(|input| input.bytes).sum();
        let watched = output::stderr_is_terminal() && bytes >= BYTES_MIN;
        let target = if watched {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let mut bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar = bar.with_style(style);
        }
        if watched {
            bar.enable_steady_tick(TICK);
        }
        let progress = Self {
            bar,
            files: inputs.len(),
            done: Cell::new(0),
        };
        progress.tell();
        progress
    }

    /// Does what may write to the terminal, with the bar out of its way.
    pub(super) fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    pub(super) fn advance(&self, input: &Input) {
        self.done.set(self.done.get() + 1);
        self.bar.inc(input.bytes.unwrap_or(0));
        self.tell();
    }

    fn tell(&self) {
        let (done, files) = (self.done.get(), self.files);
        self.bar.set_message(format!("{done} of {files} files"));
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
