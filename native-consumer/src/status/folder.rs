//! A stopped data folder is opened, asked and closed again. A folder in use is not touched.

use super::StatusDocument;
use crate::clock::SystemClock;
use crate::environment::Environment;
use crate::run::open_stores;
use crate::settings::{self, SettingsArgs};
use std::path::Path;
use std::sync::Arc;

/// What the folder says.
pub(super) fn ask(
    data: &Path,
    settings: Option<&Path>,
    environment: &Environment,
) -> Result<StatusDocument, String> {
    if !data.is_dir() {
        return Err(format!("{}: there is no such folder", data.display()));
    }
    let args = SettingsArgs {
        data: Some(data.display().to_string()),
        ..super::settings_args(settings)
    };
    let told = |mistakes: Vec<settings::Mistake>| {
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        lines.join("\n")
    };
    let settings = settings::load(&args, environment).settings.map_err(told)?;
    let cannot = |failure: hexlane_backend::Failure| format!("{}: {failure}", data.display());
    super::runtime()?.block_on(async {
        let embedded = open_stores(&settings, Arc::new(SystemClock::start())).map_err(cannot)?;
        let document = StatusDocument::of(&embedded.queue, &embedded.map).await;
        embedded.stop().await.map_err(cannot)?;
        document.map_err(cannot)
    })
}
