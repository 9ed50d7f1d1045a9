//! One settings file: read as far as it can be, every mistake noted with its place.

use super::layers::Layers;
use super::origin::{Mistake, Origin};
use super::section::{Section, told};
use super::sources;
use crate::place::Places;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

/// A settings file under reading.
pub(super) struct File<'a> {
    name: Option<&'a str>,
    text: &'a str,
    mistakes: Vec<(usize, Mistake)>,
}

impl<'a> File<'a> {
    /// Lays the built-in defaults.
    pub(super) fn lay_defaults(text: &'a str, layers: &mut Layers) -> Vec<Mistake> {
        Self::lay(None, text, layers)
    }

    /// Lays what a file says over what is there. Its sources are all there are.
    pub(super) fn lay_over(name: &'a str, text: &'a str, layers: &mut Layers) -> Vec<Mistake> {
        layers.forget("sources");
        Self::lay(Some(name), text, layers)
    }

    fn lay(name: Option<&'a str>, text: &'a str, layers: &mut Layers) -> Vec<Mistake> {
        let mut file = Self {
            name,
            text,
            mistakes: Vec::new(),
        };
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            file.note("", error, 0..0);
        }
        for (key, value) in root.into_inner() {
            file.table(&key, value, layers);
        }
        let mut mistakes = file.mistakes;
        mistakes.sort_by_key(|(start, _)| *start);
        mistakes.into_iter().map(|(_, mistake)| mistake).collect()
    }

    fn table(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: Spanned<DeValue<'a>>,
        layers: &mut Layers,
    ) {
        let (name, span) = (key.get_ref().as_ref(), key.span());
        match (name, value.get_ref().is_table()) {
            ("sources", true) => self.sources(value, layers),
            (name, true) => match Section::from_name(name) {
                Some(section) => self.section(section, value, layers),
                None => self.mistake(span, format!("there is no table `{name}`")),
            },
            (name, false) if name == "sources" || Section::from_name(name).is_some() => {
                let found = value.get_ref().type_str();
                self.mistake(span, format!("`{name}` is a table, not {found}"));
            }
            (name, false) => self.setting(Section::Root, &Spanned::new(span, name), value, layers),
        }
    }

    fn section(&mut self, section: Section, table: Spanned<DeValue<'a>>, layers: &mut Layers) {
        let DeValue::Table(table) = table.into_inner() else {
            return;
        };
        for (key, value) in table {
            let key = Spanned::new(key.span(), key.get_ref().as_ref());
            self.setting(section, &key, value, layers);
        }
    }

    fn setting(
        &mut self,
        section: Section,
        key: &Spanned<&str>,
        value: Spanned<DeValue<'a>>,
        layers: &mut Layers,
    ) {
        // The defaults are what a value is checked over; a test checks them themselves.
        if self.name.is_some() {
            let checked = section.check(key.clone(), value.clone());
            if let Err(error) = checked {
                return self.note(key.get_ref(), &error, key.span());
            }
        }
        self.take(section.path(key.get_ref()), key.span(), value, layers);
    }

    fn sources(&mut self, table: Spanned<DeValue<'a>>, layers: &mut Layers) {
        let DeValue::Table(table) = table.into_inner() else {
            return;
        };
        for (name, value) in table {
            let (span, name) = (name.span(), name.into_inner().into_owned());
            let found = value.get_ref().type_str();
            if let DeValue::Table(source) = value.into_inner() {
                self.source(&name, span, source, layers);
            } else {
                self.mistake(span, format!("source `{name}` is a table, not {found}"));
            }
        }
    }

    fn source(&mut self, name: &str, span: Range<usize>, source: DeTable<'a>, layers: &mut Layers) {
        if name.contains('.') {
            let message = format!("source `{name}`: a name is 1 to 64 of a-z, 0-9, `-`, `_`");
            return self.mistake(span, message);
        }
        if !source.contains_key("auth") {
            let message = "has no `auth`; say `auth = \"none\"` to let everybody in";
            self.mistake(span, format!("source `{name}` {message}"));
        }
        for (key, value) in source {
            let (span, key) = (key.span(), key.into_inner());
            match sources::check(&Spanned::new(span.clone(), &key), value.clone()) {
                Ok(()) => self.take(format!("sources.{name}.{key}"), span, value, layers),
                Err(error) => self.note(&key, &error, span),
            }
        }
    }

    fn take(
        &mut self,
        path: String,
        span: Range<usize>,
        value: Spanned<DeValue<'a>>,
        layers: &mut Layers,
    ) {
        match toml::Value::deserialize(ValueDeserializer::from(value)) {
            Ok(value) => layers.lay(path, value, self.origin(span.start)),
            Err(error) => self.note("", &error, span),
        }
    }

    fn note(&mut self, key: &str, error: &Error, fallback: Range<usize>) {
        let span = error.span().unwrap_or(fallback);
        self.mistake(span, told(key, error));
    }

    fn mistake(&mut self, span: Range<usize>, message: String) {
        let origin = self.origin(span.start);
        self.mistakes
            .push((span.start, Mistake::new(origin, message)));
    }

    fn origin(&self, offset: usize) -> Origin {
        let Some(name) = self.name else {
            return Origin::Default;
        };
        let (line, column) = Places::new(self.text.as_bytes()).of(offset);
        Origin::File {
            file: name.to_owned(),
            line,
            column,
        }
    }
}
