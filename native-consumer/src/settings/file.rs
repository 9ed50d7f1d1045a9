//! One settings file: read as far as it can be, every mistake noted with its place.

use super::layers::Layers;
use super::origin::{Mistake, Origin};
use super::section::{Section, told};
use super::{reference, sources};
use hexlane_findings::Places;
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
            ("sources", true) => self.named(Named::Source, value, layers),
            ("layers", true) => self.named(Named::Layer, value, layers),
            (name, true) => match Section::from_name(name) {
                Some(section) => self.section(section, value, layers),
                None => self.mistake(span, format!("there is no table `{name}`")),
            },
            (name, false)
                if ["sources", "layers"].contains(&name) || Section::from_name(name).is_some() =>
            {
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

    /// Tables of a name that a person chose.
    fn named(&mut self, kind: Named, table: Spanned<DeValue<'a>>, layers: &mut Layers) {
        let DeValue::Table(table) = table.into_inner() else {
            return;
        };
        for (name, value) in table {
            let (span, name) = (name.span(), name.into_inner().into_owned());
            let found = value.get_ref().type_str();
            if let DeValue::Table(table) = value.into_inner() {
                self.named_one(kind, &name, span, table, layers);
            } else {
                let noun = kind.noun();
                self.mistake(span, format!("{noun} `{name}` is a table, not {found}"));
            }
        }
    }

    fn named_one(
        &mut self,
        kind: Named,
        name: &str,
        span: Range<usize>,
        keys: DeTable<'a>,
        layers: &mut Layers,
    ) {
        if name.contains('.') {
            let (noun, rule) = (kind.noun(), kind.name_rule());
            return self.mistake(span, format!("{noun} `{name}`: {rule}"));
        }
        if let Some(missing) = kind.missing(&keys) {
            self.mistake(span, format!("{} `{name}` {missing}", kind.noun()));
        }
        for (key, value) in keys {
            let (span, key) = (key.span(), key.into_inner());
            match kind.check(&Spanned::new(span.clone(), &key), value.clone()) {
                Ok(()) => self.take(
                    format!("{}.{name}.{key}", kind.table()),
                    span,
                    value,
                    layers,
                ),
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

/// Tables of names that a person chose.
#[derive(Clone, Copy)]
enum Named {
    Source,
    Layer,
}

impl Named {
    const fn table(self) -> &'static str {
        match self {
            Self::Source => "sources",
            Self::Layer => "layers",
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Layer => "layer",
        }
    }

    const fn name_rule(self) -> &'static str {
        match self {
            Self::Source => "a name is 1 to 64 of a-z, 0-9, `-`, `_`",
            Self::Layer => reference::NAME_RULE,
        }
    }

    /// What a table lacks.
    fn missing(self, keys: &DeTable<'_>) -> Option<&'static str> {
        match self {
            Self::Source if !keys.contains_key("auth") => {
                Some("has no `auth`; say `auth = \"none\"` to let everybody in")
            }
            Self::Layer if !["file", "table"].iter().any(|key| keys.contains_key(*key)) => {
                Some("has neither a `file` nor a `table`")
            }
            Self::Source | Self::Layer => None,
        }
    }

    fn check(
        self,
        key: &Spanned<&std::borrow::Cow<'_, str>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<(), Error> {
        match self {
            Self::Source => sources::check(key, value),
            Self::Layer => reference::check(key, value),
        }
    }
}
