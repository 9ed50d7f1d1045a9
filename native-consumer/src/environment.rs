//! The one place where the program reads its environment; everything else gets it handed
//! in as [`Environment`]. Values that are not UTF-8 count as not set.

use std::collections::BTreeMap;

/// Environment variables, as they were when they were read.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// The variables of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self {
            variables: variables.collect(),
        }
    }

    /// Those variables and no others.
    #[must_use]
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let owned = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            variables: owned.collect(),
        }
    }

    /// The variable's value; an empty one counts as not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty())
    }
}
