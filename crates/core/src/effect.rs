//! What an accepted event asks of the map: the event, its geometry in binary and its
//! properties as text. The consumer reads it from the envelope; it judges nothing.

use crate::envelope::Envelope;

/// One change of map state.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The event.
    pub envelope: Envelope,
    /// ISO well-known binary in the canonical CRS; none for a delete or null geometry.
    pub wkb: Option<Vec<u8>>,
    /// The feature's `properties` as received: JSON object text, or `null`.
    pub properties: String,
}
