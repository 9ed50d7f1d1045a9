//! A data folder is read as it stands, stopped or running. Nothing in it changes.

use super::StatusDocument;
use crate::clock::SystemClock;
use hexlane_backend::Clock as _;
use std::path::Path;

/// What the folder says.
pub(super) fn ask(data: &Path) -> Result<StatusDocument, String> {
    let now_us = SystemClock::start().now_us();
    let view = hexlane_backend_sqlite::look(data, now_us).map_err(|failure| failure.to_string())?;
    Ok(StatusDocument::of(
        &view.backlog,
        &view.dead_letters,
        view.tally,
    ))
}
