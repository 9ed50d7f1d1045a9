//! What holds in every session before anything is asked in it.

use crate::settings::Settings;
use std::time::Duration;

/// The statements that make a session ours. `remote_apply` is stronger than `on` and stays.
/// The search path is the system's alone: names are written out.
pub(crate) fn statements(settings: &Settings) -> String {
    format!(
        "SET search_path = pg_catalog;
         SET client_min_messages = warning;
         SET TimeZone = 'UTC';
         SET standard_conforming_strings = on;
         SET statement_timeout = {};
         SET lock_timeout = {};
         SET idle_in_transaction_session_timeout = {};
         SELECT set_config('synchronous_commit', 'on', false)
           WHERE current_setting('synchronous_commit') <> 'remote_apply'",
        millis(settings.statement_timeout),
        millis(settings.lock_timeout),
        millis(settings.call_timeout),
    )
}

/// As the server takes it. Zero would mean without end.
pub(crate) fn millis(wait: Duration) -> i32 {
    i32::try_from(wait.as_millis()).unwrap_or(i32::MAX).max(1)
}
