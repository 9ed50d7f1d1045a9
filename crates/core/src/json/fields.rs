//! The members of an object, found once and looked up often.

use super::value::Value;
use std::borrow::Cow;

/// Members kept; an object of more is searched in the text. Four kilobytes at most.
const MEMBERS_MAX: usize = 64;

/// The first members of an object.
pub(crate) struct Fields<'a> {
    object: Value<'a>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Fields<'a> {
    /// Those of an object; none of anything else.
    pub(crate) fn of(object: Value<'a>) -> Self {
        Self {
            object,
            members: object.members().take(MEMBERS_MAX).collect(),
        }
    }

    /// The member of that name.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let known = self.members.iter().find(|(member, _)| *member == name);
        match known {
            Some((_, value)) => Some(*value),
            None if self.members.len() < MEMBERS_MAX => None,
            None => self.object.member(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;

    #[test]
    fn members_beyond_those_kept_are_found_in_the_text() {
        let members: Vec<String> = (0..200).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{{}}}", members.join(","));
        let index = validate(&text, 8).unwrap();
        let fields = Fields::of(Value::root(&text, &index));
        for n in [0, 63, 64, 199] {
            assert_eq!(fields.get(&format!("k{n}")).unwrap().raw(), n.to_string());
        }
        assert!(fields.get("k200").is_none());
    }
}
