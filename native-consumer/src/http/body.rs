//! Bodies as they arrive, held to time as well as to bytes.

use axum::body::{Body, Bytes};
use axum::http::header::EXPECT;
use axum::http::request;
use hexlane_door::{Answer, Problem};
use http_body_util::BodyExt as _;
use std::time::Duration;
use tokio::time::{timeout, timeout_at};

/// Between two pieces of a body: a sender on a bad line pauses for seconds, not longer.
const PIECE_WAIT_MAX: Duration = Duration::from_secs(30);
/// For a whole body: 8 MiB on a line of 16 KB/s.
const BODY_WAIT_MAX: Duration = Duration::from_mins(10);
/// How long the rest of a refused body is read away, so that its sender, who writes before
/// it reads, sees the answer and not a reset.
const REST_WAIT_MAX: Duration = Duration::from_secs(2);
/// And how much of it.
const REST_BYTES_MAX: usize = 32 << 20;

/// Hands each piece of a body on.
pub(super) async fn read(
    body: &mut Body,
    mut take: impl FnMut(&[u8]) -> Result<(), Answer>,
) -> Result<(), Answer> {
    let whole = tokio::time::Instant::now() + BODY_WAIT_MAX;
    loop {
        let piece = timeout_at(whole, timeout(PIECE_WAIT_MAX, piece(body))).await;
        match piece {
            Ok(Ok(Some(Ok(bytes)))) => take(&bytes)?,
            Ok(Ok(None)) => return Ok(()),
            Ok(Ok(Some(Err(_))) | Err(_)) | Err(_) => return Err(Problem::BodyCut.answer()),
        }
    }
}

/// Reads the rest of a refused body away. A sender that waits for `100 Continue` has sent
/// nothing yet, and is not asked to.
pub(super) async fn discard_rest(parts: &request::Parts, body: &mut Body) {
    if parts.headers.contains_key(EXPECT) {
        return;
    }
    let rest = async {
        let mut left = REST_BYTES_MAX;
        while let Some(Ok(bytes)) = piece(body).await {
            match left.checked_sub(bytes.len()) {
                Some(less) => left = less,
                None => return,
            }
        }
    };
    drop(timeout(REST_WAIT_MAX, rest).await);
}

/// The next bytes; trailers are passed over.
async fn piece(body: &mut Body) -> Option<Result<Bytes, axum::Error>> {
    loop {
        match body.frame().await? {
            Ok(frame) => {
                if let Ok(bytes) = frame.into_data() {
                    return Some(Ok(bytes));
                }
            }
            Err(error) => return Some(Err(error)),
        }
    }
}
