//! Settings: written, then resolved.
//!
//! Four layers, the stronger over the weaker: flag, environment, file, default. Each value
//! is checked where it is written, strictly, so that every mistake is told with its place
//! and not only the first; then all of them become [`Settings`], which cannot be half
//! valid. Unknown keys are mistakes. Secrets are written by the name of an environment
//! variable and never shown.
//!
//! It opens nothing but the settings file and the PEM files it names, and decides nothing about events.

mod args;
mod file;
mod layers;
mod loaded;
mod name;
mod origin;
mod reference;
mod resolve;
mod resolved;
mod section;
mod servers;
mod sources;
mod written;

pub use args::SettingsArgs;
pub use layers::{Layered, Layers};
pub use loaded::{Loaded, load};
pub use name::{OwnEnvironment, SettingName};
pub use origin::{Mistake, Origin};
pub use reference::{LayerPlace, LayerSettings, ReferenceSettings};
pub(crate) use resolve::queue_limits;
pub use resolved::{
    DeliverySettings, LogFormat, LogSettings, RunSettings, Settings, SqliteSettings,
};
pub use sources::is_variable;

/// Every setting with its default; built in, and the documentation of them all.
pub const DEFAULT_TOML: &str = include_str!("../hexlane.default.toml");
