//! What was found in GeoJSON files, and how it is told.
//!
//! A file's bytes are judged by `hexlane-core` with no cap on bytes or features
//! ([`Survey`]), under no source: geometry and form alone. The findings are then told in one
//! of the [`Format`]s:
//!
//! | format | what it is |
//! |---|---|
//! | [`Text`](Format::Text) | a line a violation, as compilers write them; drawings for a terminal |
//! | [`Lines`](Format::Lines) | JSON, one line a feature |
//! | [`Points`](Format::Points) | a `FeatureCollection` of the violations as points |
//! | [`Sarif`](Format::Sarif) | SARIF 2.1.0, for editors and code hosts |
//! | [`Svg`](Format::Svg) | the outlines with every fault marked |
//!
//! [`Fix`] makes a repaired copy of a file, judges it again, and says what it did.
//!
//! A file is told by itself ([`Format::tell`]), so that many can be at once; [`Whole`] puts
//! what they gave into one output. The same files give the same bytes.
//!
//! It opens no file, knows no terminal, clock or environment, and changes nothing. What a
//! file says is a stranger's text and is shown with escapes ([`printable`]).

mod drawing;
mod file;
mod finding;
mod fix;
mod form;
mod line;
mod outline;
mod places;
mod points;
mod printable;
mod region;
#[cfg(test)]
mod sample;
mod sarif;
mod survey;
mod svg;
mod telling;
mod text;
mod uri;

pub use file::File;
pub use fix::Fix;
pub use form::{Form, is_geojson};
pub use places::Places;
pub use printable::printable;
pub use survey::{State, Survey};
pub use telling::{Format, Told, Whole};
pub use text::Drawings;
pub use uri::file_uri;
