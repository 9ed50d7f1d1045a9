//! The HTTP client that `send` and `status` share: TLS by rustls with ring, no redirects (a
//! POST must not become a GET), bounded in time.

use std::error::Error as _;
use std::fmt::Write as _;
use std::time::Duration;

/// For a connection.
const CONNECT_WAIT_MAX: Duration = Duration::from_secs(10);
/// For a whole request: a large batch on a slow line, and its judgement.
const REQUEST_WAIT_MAX: Duration = Duration::from_mins(2);

/// A client.
///
/// # Errors
/// When TLS cannot be set up.
pub(crate) fn build() -> reqwest::Result<reqwest::Client> {
    // A second installation is refused, and the first one stands.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder()
        .user_agent(concat!("hexlane/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_WAIT_MAX)
        .timeout(REQUEST_WAIT_MAX)
        .build()
}

/// Why a request failed, down to the first cause.
pub(crate) fn reason(error: &reqwest::Error) -> String {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        // Writing to a String does not fail.
        let _ = write!(reason, ": {inner}");
        cause = inner.source();
    }
    reason
}
