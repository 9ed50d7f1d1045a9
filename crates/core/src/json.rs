//! JSON as the reader needs it: one strict pass over the bytes that knows where every
//! container ends, then views into it. Never a tree of values: numbers and members stay
//! the bytes they were.

mod index;
mod number;
mod sieve;
mod space;
mod table;
mod text;
mod validate;
mod value;

pub(crate) use index::Index;
pub(crate) use sieve::{Sieve, Sieved};
pub(crate) use table::{Table, Tables};
pub(crate) use text::plain_end;
pub(crate) use validate::{SyntaxFault, SyntaxKind, validate, validate_sieved};
pub(crate) use value::{Elements, Kind, Value};
