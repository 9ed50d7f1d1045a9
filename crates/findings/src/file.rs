//! A file with what was found in it: what every form of output is written from.

use crate::form::Form;
use crate::outline::Outlines;
use crate::places::Places;
use crate::survey::Survey;
use hexlane_core::violation::Violation;
use std::cell::OnceCell;
use std::path::Path;

/// A file, judged.
#[derive(Debug)]
pub struct File<'a> {
    /// Its name, as the user gave it or as it was found.
    pub(crate) name: &'a str,
    /// Its name as a URI reference.
    pub(crate) uri: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) form: Form,
    pub(crate) places: Places<'a>,
    pub(crate) survey: Survey,
    outlines: OnceCell<Outlines>,
}

impl<'a> File<'a> {
    /// Judges the bytes of a file. `path` says what form it has, `name` and `uri` are what
    /// it is called in the output; `crs` is the system of its coordinates where somebody says
    /// so beside the file.
    #[must_use]
    pub fn judge(
        path: &Path,
        name: &'a str,
        uri: &'a str,
        body: &'a [u8],
        crs: Option<&str>,
    ) -> Self {
        let form = Form::of(path, body);
        Self {
            name,
            uri,
            body,
            form,
            places: Places::new(body),
            survey: Survey::of(body, form, crs),
            outlines: OnceCell::new(),
        }
    }

    /// What was found.
    #[must_use]
    pub const fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Line and column of an offset.
    pub(crate) fn place(&self, offset: u64) -> (usize, usize) {
        self.places
            .of(usize::try_from(offset).unwrap_or(usize::MAX))
    }

    /// Everything in it that can be drawn, read when it is first asked for.
    pub(crate) fn outlines(&self) -> &Outlines {
        self.outlines
            .get_or_init(|| Outlines::of(self.body, self.form))
    }

    /// The same, without the file.
    pub(crate) fn into_outlines(self) -> Outlines {
        let Self {
            outlines,
            body,
            form,
            ..
        } = self;
        outlines
            .into_inner()
            .unwrap_or_else(|| Outlines::of(body, form))
    }

    /// Where on the map a violation lies: its own location, or the position that it names.
    pub(crate) fn position(&self, violation: &Violation) -> Option<[f64; 2]> {
        if let Some(location) = violation.location {
            let finite = location.iter().all(|number| number.is_finite());
            return finite.then_some(location);
        }
        violation.place?;
        let (vertex, _) = self.outlines().at(violation.byte_offset?)?;
        Some(self.outlines().vertices().get(vertex)?.xy)
    }
}
