//! How an envelope becomes an effect, and why it may not.
//!
//! A seam, so that judging can move off the engine's threads and tests need no payloads.
//! A reader decides nothing about retries: it names a cause.

use hexlane_backend::GeometryError;
use hexlane_core::Envelope;
use hexlane_core::effect::Effect;
use hexlane_delivery::Cause;

/// Why an envelope gave no effect, with the story for its dead letter.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What it is filed under. [`Cause::VerdictSkew`] pauses the shard and never kills.
    pub cause: Cause,
    /// The sentence for a person.
    pub message: String,
    /// Where the geometry is at fault, when it is.
    pub geometry_error: Option<GeometryError>,
    /// Every violation, JSON array text.
    pub violations: String,
}

impl Refusal {
    /// A refusal that the code alone tells.
    #[must_use]
    pub fn bare(cause: Cause, message: impl Into<String>) -> Self {
        Self {
            cause,
            message: message.into(),
            geometry_error: None,
            violations: "[]".to_owned(),
        }
    }
}

/// Reads envelopes. The same envelope always gives the same answer.
pub trait Reader: Send + Sync + 'static {
    /// The effect of an accepted envelope. One judged under another contract is judged
    /// again; a disagreement is [`Cause::VerdictSkew`].
    fn read(&self, envelope: &Envelope) -> Result<Effect, Box<Refusal>>;

    /// Why the door refused a quarantined envelope.
    fn explain(&self, envelope: &Envelope) -> Box<Refusal>;
}
