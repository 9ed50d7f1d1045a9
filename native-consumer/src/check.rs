//! `hexlane check FILE|-`: judges files on one's own machine, with no cap on bytes or
//! features, by the same core as the door.
//!
//! A sequence is known by its extension, by record separators, or by a first line that is
//! whole; a broken record of it is told by its index and hides none.
//!
//! It judges geometry and form alone: no source, so no identity, version or lane; it
//! changes nothing and sends nothing. Ends 0 when every feature is valid, 1 when one is
//! not, 2 when a file could not be read or is not JSON at all.

mod finding;
mod form;
mod line;
mod survey;
mod text;

use crate::exit::Exit;
use crate::output::{self, Format};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What to check.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// GeoJSON files, of one document, or of one a line or behind each record separator
    /// (.geojsonl, .ndjson, .geojsons); `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// `json` writes one line a feature.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Checks each file in turn.
///
/// # Errors
/// When stdout cannot be written.
pub fn check(args: &CheckArgs) -> io::Result<Exit> {
    let mut out = output::stdout();
    let mut exit = Exit::Good;
    for file in &args.files {
        match read(file) {
            Ok(body) => exit = exit.max(check_one(file, &body, args.output, &mut out)?),
            Err(error) => {
                output::complain(&format!("{}: {error}", file.display()));
                exit = Exit::Unable;
            }
        }
    }
    out.flush()?;
    Ok(exit)
}

/// The bytes of a file or of stdin.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut body = Vec::new();
        io::stdin().lock().read_to_end(&mut body)?;
        return Ok(body);
    }
    std::fs::read(file)
}

fn check_one(file: &Path, body: &[u8], format: Format, out: &mut impl Write) -> io::Result<Exit> {
    let name = file.display().to_string();
    let survey = survey::Survey::of(body, form::Form::of(file, body));
    match format {
        Format::Text => text::write(&name, body, &survey, out)?,
        Format::Json => line::write(&name, &survey, out)?,
    }
    Ok(survey.exit())
}
