//! What layers say of an event, written down.

use crate::layer::Matches;
use serde_json::{Map, Value};

/// The member that tells what did not fit; layers have names that begin with a letter.
const LEFT_OUT: &str = "_left_out";

/// JSON object text: the name of each layer, and an array of the chosen properties of the
/// features that match. Where more match than are kept, `_left_out` tells by layer how many.
#[must_use]
pub fn document<'a>(answers: impl IntoIterator<Item = (&'a str, Matches<'a>)>) -> String {
    let mut text = String::from("{");
    let mut left_out = Map::new();
    for (name, matches) in answers {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&Value::from(name).to_string());
        text.push_str(":[");
        text.push_str(&matches.kept.join(","));
        text.push(']');
        let more = matches.total - matches.kept.len();
        if more > 0 {
            left_out.insert(name.to_owned(), more.into());
        }
    }
    if !left_out.is_empty() {
        text.push_str(",\"");
        text.push_str(LEFT_OUT);
        text.push_str("\":");
        text.push_str(&Value::from(left_out).to_string());
    }
    text.push('}');
    text
}
