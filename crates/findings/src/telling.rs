//! Forms of output, and how what many files gave becomes one output.

use crate::file::File;
use crate::fix::Fix;
use crate::survey::State;
use crate::svg::{self, Sketch};
use crate::text::{self, Drawings};
use crate::{line, points, sarif};
use std::io::{self, Write};

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For a person.
    Text(Drawings),
    /// JSON, one line a feature.
    Lines,
    /// GeoJSON: each violation a point.
    Points,
    /// SARIF 2.1.0.
    Sarif,
    /// A picture of the outlines.
    Svg,
}

/// What a file gave, in a form of output.
#[derive(Debug)]
pub struct Told {
    state: State,
    features: usize,
    valid: usize,
    piece: Piece,
}

#[derive(Debug)]
enum Piece {
    Written(Vec<u8>),
    Drawn(Sketch),
}

impl Format {
    /// Tells what was found in a file.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn tell(self, file: File<'_>) -> io::Result<Told> {
        let (state, features, valid) = {
            let survey = file.survey();
            (survey.state(), survey.features.len(), survey.valid())
        };
        let mut out = Vec::new();
        match self {
            Self::Text(drawings) => text::write(&file, drawings, &mut out)?,
            Self::Lines => line::write(file.name, &file.survey, &mut out)?,
            Self::Points => points::write(&file, &mut out)?,
            Self::Sarif => sarif::write(&file, &mut out)?,
            Self::Svg => {}
        }
        let piece = match self {
            Self::Svg => Piece::Drawn(Sketch::of(file)),
            Self::Text(_) | Self::Lines | Self::Points | Self::Sarif => Piece::Written(out),
        };
        Ok(Told {
            state,
            features,
            valid,
            piece,
        })
    }
}

impl Told {
    /// What there is to say of the file as a whole.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }
}

/// One output of many files, in the order in which they are added.
#[derive(Debug)]
pub struct Whole<W> {
    format: Format,
    out: W,
    files: usize,
    features: usize,
    valid: usize,
    /// Why a file could not be read, for each.
    unread: Vec<String>,
    sketches: Vec<Sketch>,
    /// Whether something stands in the list that a comma must part from the next.
    begun: bool,
}

impl<W: Write> Whole<W> {
    /// Begins an output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(format: Format, mut out: W) -> io::Result<Self> {
        match format {
            Format::Points => out.write_all(points::HEAD.as_bytes())?,
            Format::Sarif => sarif::write_head(&mut out)?,
            Format::Text(_) | Format::Lines | Format::Svg => {}
        }
        Ok(Self {
            format,
            out,
            files: 0,
            features: 0,
            valid: 0,
            unread: Vec::new(),
            sketches: Vec::new(),
            begun: false,
        })
    }

    /// Adds what a file gave.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, told: Told) -> io::Result<()> {
        self.files += 1;
        self.features += told.features;
        self.valid += told.valid;
        match told.piece {
            Piece::Written(text) => {
                let listed = matches!(self.format, Format::Points | Format::Sarif);
                if listed && self.begun && !text.is_empty() {
                    self.out.write_all(b",")?;
                }
                self.begun |= !text.is_empty();
                self.out.write_all(&text)
            }
            Piece::Drawn(sketch) => {
                self.sketches.push(sketch);
                Ok(())
            }
        }
    }

    /// Adds what was repaired of the file that was added last. Forms that are not read line by
    /// line have no room for it: what they would say is given back, for another stream.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_fix(&mut self, fix: &Fix, name: &str, copy: &str) -> io::Result<Vec<String>> {
        match self.format {
            Format::Text(_) => {
                for line in fix.lines(name, copy) {
                    writeln!(self.out, "{line}")?;
                }
            }
            Format::Lines => fix.write_json(name, copy, &mut self.out)?,
            Format::Points | Format::Sarif | Format::Svg => return Ok(fix.lines(name, copy)),
        }
        Ok(Vec::new())
    }

    /// Notes a file that could not be read, and why.
    pub fn unread(&mut self, reason: String) {
        self.unread.push(reason);
    }

    /// Hands over what was written up to here.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what stands at the end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(mut self) -> io::Result<()> {
        match self.format {
            Format::Text(_) => self.sum()?,
            Format::Lines => {}
            Format::Points => self.out.write_all(points::TAIL.as_bytes())?,
            Format::Sarif => sarif::write_tail(&self.unread, &mut self.out)?,
            Format::Svg => svg::write(&self.sketches, &mut self.out)?,
        }
        self.out.flush()
    }

    /// Of several files, how many features there are in all.
    fn sum(&mut self) -> io::Result<()> {
        let unread = self.unread.len();
        if self.files + unread < 2 {
            return Ok(());
        }
        let (all, valid) = (self.features, self.valid);
        write!(
            self.out,
            "{} files: {all} features, {valid} valid, {} not",
            self.files,
            all - valid
        )?;
        if unread > 0 {
            write!(self.out, "; {unread} could not be read")?;
        }
        writeln!(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{BOWTIE, OPEN, told};

    #[test]
    fn several_files_have_a_sum_and_one_has_none() {
        let text = told(Format::Text(Drawings::None), &[("a", BOWTIE), ("b", OPEN)]);
        assert!(
            text.ends_with("\n2 files: 2 features, 0 valid, 2 not\n"),
            "{text}"
        );
        let text = told(Format::Text(Drawings::None), &[("a", BOWTIE)]);
        assert!(text.ends_with("\na: 1 feature, 0 valid, 1 not\n"), "{text}");
    }

    #[test]
    fn a_file_that_could_not_be_read_is_counted() {
        let mut out = Vec::new();
        let mut whole = Whole::begin(Format::Text(Drawings::None), &mut out).unwrap();
        whole.unread("gone".to_owned());
        whole.unread("gone too".to_owned());
        whole.end().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "0 files: 0 features, 0 valid, 0 not; 2 could not be read\n"
        );
    }

    #[test]
    fn the_json_form_is_a_line_a_feature() {
        let text = told(
            Format::Lines,
            &[
                ("a", BOWTIE),
                ("b\n", "{\"type\":\"Point\",\"coordinates\":[1,2]}"),
            ],
        );
        insta::assert_snapshot!(text);
    }
}
