//! SQL texts with the names of this installation in them. `@schema` stands for the map's
//! schema, `@postgis` for that of the extension, both quoted: nothing is found by a search
//! path, so a table of the same name elsewhere is never met.

/// Puts the names into SQL.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    schema: String,
    postgis: String,
}

impl Names {
    /// The names of schemas, as they stand in the catalog.
    pub(crate) fn new(schema: &str, postgis: &str) -> Self {
        Self {
            schema: quoted(schema),
            postgis: quoted(postgis),
        }
    }

    /// The text with names.
    pub(crate) fn fill(&self, sql: &str) -> String {
        sql.replace("@schema", &self.schema)
            .replace("@postgis", &self.postgis)
    }
}

/// A name as SQL takes it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        let names = Names::new("odd\"; drop", "public");
        assert_eq!(
            names.fill("TABLE @schema.claims, @postgis.x"),
            "TABLE \"odd\"\"; drop\".claims, \"public\".x"
        );
    }
}
