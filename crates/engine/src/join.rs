//! What reference layers say of an event's place.
//!
//! A seam beside the reader: the engine knows when to ask and what a failure means, not
//! what a layer is. Joins may be heavy and run third-party geometry code, so they are asked
//! off the engine's threads, and a panic in one costs its event alone.

use hexlane_core::effect::Effect;

/// Why an effect could not be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinFailure {
    /// A layer is not there: not loaded yet, or not readable. Nobody's event is at fault; it
    /// waits and spends nothing.
    #[error("layer `{layer}` is not loaded")]
    Away {
        /// Its name.
        layer: String,
    },
    /// This very geometry could not be joined.
    #[error("layer `{layer}`: {message}")]
    Failed {
        /// The layer's name.
        layer: String,
        /// The sentence for a person.
        message: String,
    },
}

/// Joins effects with reference layers.
pub trait Join: Send + Sync + 'static {
    /// Whether events of that source are joined. The claims of those that are not are not
    /// looked up before the apply.
    fn wants(&self, source: &str) -> bool;

    /// What the layers of its source say of it: JSON object text by layer.
    ///
    /// # Errors
    /// When a layer is not there, or this geometry cannot be joined.
    fn join(&self, effect: &Effect) -> Result<String, JoinFailure>;
}

/// Nothing is joined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unjoined;

impl Join for Unjoined {
    fn wants(&self, _source: &str) -> bool {
        false
    }

    fn join(&self, _effect: &Effect) -> Result<String, JoinFailure> {
        Ok("{}".to_owned())
    }
}
