//! A running process is asked over HTTP.

use super::StatusDocument;
use crate::client;
use crate::http::STATUS_PATH;

/// What the process says.
pub(super) fn ask(url: &str) -> Result<StatusDocument, String> {
    let address = format!("{}{STATUS_PATH}", url.trim_end_matches('/'));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let cannot = |error: reqwest::Error| format!("{url}: {}", client::reason(&error));
        let client = client::build().map_err(cannot)?;
        let answer = client.get(&address).send().await.map_err(cannot)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(cannot)?;
        if !status.is_success() {
            return Err(format!(
                "{url} answered {status}: {}",
                String::from_utf8_lossy(&body)
            ));
        }
        serde_json::from_slice(&body).map_err(|error| format!("{url}: no status: {error}"))
    })
}
