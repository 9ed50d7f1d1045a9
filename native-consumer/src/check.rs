//! `hexlane check FILE…`: judges files on one's own machine, with no cap on bytes or
//! features, by the same core as the door.
//!
//! Inputs are files, folders, globs and stdin. Files are judged several at once, and told in
//! the order of the inputs, so that the same command gives the same output.
//!
//! A sequence is known by its extension, by record separators, or by a first line that is
//! whole; a broken record of it is told by its index and hides none.
//!
//! It judges geometry and form alone: no source, so no identity, version or lane; it
//! changes nothing and sends nothing. Ends 0 when every feature is valid, 1 when one is
//! not, 2 when an input could not be read, is not JSON at all, or named no file; the others
//! are told all the same.

mod in_order;
mod inputs;
mod progress;

use crate::environment::Environment;
use crate::exit::Exit;
use crate::output;
use hexlane_findings::{Drawings, File, Format, State, Told, Whole, file_uri, printable};
use inputs::{Input, STDIN};
use progress::Progress;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What to check.
#[derive(Debug, clap::Args)]
#[allow(
    clippy::doc_markdown,
    reason = "these texts are the help of the command line"
)]
pub struct CheckArgs {
    /// GeoJSON files, of one document, or of one a line or behind each record separator
    /// (.geojsonl, .ndjson, .geojsons); folders, searched for those and for .geojson and
    /// .json; globs as in 'data/**/*.json'; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// How to tell what was found.
    #[arg(long, value_enum, default_value_t)]
    output: CheckFormat,
    /// Files judged at once; as many as there are processors unless told otherwise. The
    /// output does not depend on it.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Forms of what was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[allow(
    clippy::doc_markdown,
    reason = "these texts are the help of the command line"
)]
pub enum CheckFormat {
    /// A line a violation, with drawings on a terminal.
    #[default]
    Text,
    /// JSON, one line a feature.
    Json,
    /// GeoJSON, each violation a point.
    Geojson,
    /// SARIF 2.1.0, for editors and code hosts.
    Sarif,
    /// A picture of the outlines with every fault marked.
    Svg,
}

impl CheckFormat {
    fn resolve(self, environment: &Environment) -> Format {
        match self {
            Self::Text if !output::stdout_is_terminal() => Format::Text(Drawings::None),
            Self::Text if environment.get("NO_COLOR").is_some() => Format::Text(Drawings::Plain),
            Self::Text => Format::Text(Drawings::Coloured),
            Self::Json => Format::Lines,
            Self::Geojson => Format::Points,
            Self::Sarif => Format::Sarif,
            Self::Svg => Format::Svg,
        }
    }
}

/// Checks every input.
///
/// # Errors
/// When stdout cannot be written.
pub fn check(args: &CheckArgs, environment: &Environment) -> io::Result<Exit> {
    let inputs = inputs::expand(&args.inputs);
    let format = args.output.resolve(environment);
    let folder = std::env::current_dir().ok();
    let progress = Progress::over(&inputs);
    let mut course = Course {
        whole: Whole::begin(format, output::stdout())?,
        exit: Exit::Good,
    };
    let judge = |input: &Input| judge(input, format, folder.as_deref());
    in_order::each(&inputs, args.jobs, judge, |input, outcome| {
        progress.beside(|| course.take(outcome))?;
        progress.advance(input);
        Ok(())
    })?;
    progress.end();
    course.whole.end()?;
    Ok(course.exit)
}

/// What became of an input: what it gave, or why it could not be read.
type Outcome = Result<Told, String>;

fn judge(input: &Input, format: Format, folder: Option<&Path>) -> Outcome {
    let Input { path, problem, .. } = input;
    let name = path.display().to_string();
    let told = || {
        if let Some(problem) = problem {
            return Err(problem.clone());
        }
        let body = read(path).map_err(|error| error.to_string())?;
        let uri = file_uri(path, folder);
        let file = File::judge(path, &name, &uri, &body);
        format.tell(file).map_err(|error| error.to_string())
    };
    told().map_err(|reason| format!("{name}: {reason}"))
}

struct Course<W> {
    whole: Whole<W>,
    exit: Exit,
}

impl<W: Write> Course<W> {
    fn take(&mut self, outcome: Outcome) -> io::Result<()> {
        let exit = match outcome {
            Ok(told) => {
                let exit = match told.state() {
                    State::Valid => Exit::Good,
                    State::Faulty => Exit::Faults,
                    State::Unreadable => Exit::Unable,
                };
                self.whole.add(told)?;
                exit
            }
            Err(reason) => {
                output::complain(&printable(&reason));
                self.whole.unread(reason);
                Exit::Unable
            }
        };
        self.exit = self.exit.max(exit);
        if output::stdout_is_terminal() {
            self.whole.flush()?;
        }
        Ok(())
    }
}

/// The bytes of a file or of stdin.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new(STDIN) {
        let mut body = Vec::new();
        io::stdin().lock().read_to_end(&mut body)?;
        return Ok(body);
    }
    std::fs::read(file)
}
