//! HTTP: intake, relay, health, metrics, status. A small router over the door.
//!
//! | path | job |
//! |---|---|
//! | `POST /v1/events/{source}` | the door, as in the Worker |
//! | `POST /v1/relay` | envelopes from the Worker |
//! | `GET /livez` `/readyz` | whether it runs, whether it takes events, and why not |
//! | `GET /metrics` | Prometheus text |
//! | `GET /v1/status` | counts, for `hexlane status`; loopback only |
//!
//! Another method at the paths of GET is 405 with the door's document.
//!
//! HTTP/1.1 alone; TLS and HTTP/2 end at a proxy. What is answered to events is decided in
//! `hexlane-door`; no 202 exists before the queue has said that it is durable.

mod answer;
mod app;
mod body;
mod health;
mod intake;
mod refusals;
mod relay;
mod router;
mod server;
mod starting;
mod status;

pub use app::App;
pub use health::Readiness;
pub(crate) use router::STATUS_PATH;
pub use router::router;
pub(crate) use server::serve_meanwhile;
pub use server::{Server, serve};
pub(crate) use starting::{Starting, starting};
pub(crate) use status::StatusDocument;

#[cfg(test)]
mod tests;
