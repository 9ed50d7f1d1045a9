//! JSON as the reader needs it: one strict pass over the bytes that knows where every
//! container ends, then views into it. Never a tree of values: numbers and members stay
//! the bytes they were.

mod fields;
mod number;
mod space;
mod table;
mod text;
mod validate;
mod value;

pub(crate) use fields::Fields;
pub(crate) use table::Table;
pub(crate) use text::plain_end;
pub(crate) use validate::{Index, SyntaxFault, SyntaxKind, validate};
pub(crate) use value::{Elements, Kind, Value};
