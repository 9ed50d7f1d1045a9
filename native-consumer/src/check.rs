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
//! sends nothing, and changes nothing unless `--fix` asks for a repaired copy. Ends 0 when every feature is valid, 1 when one is
//! not, 2 when an input could not be read, is not JSON at all, or named no file, or its copy
//! could not be written; the others are told all the same. With `--fix` it is the copy whose
//! features count.

mod fix;
mod in_order;
mod inputs;
mod progress;

use crate::environment::Environment;
use crate::exit::Exit;
use crate::output;
use fix::Copies;
use hexlane_core::crs::{self, Support};
use hexlane_core::repair::Step;
use hexlane_findings::{Drawings, File, Fix, Format, State, Told, Whole, file_uri, printable};
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
    /// The system of the coordinates, as EPSG:25832, whatever the files say. They are judged as
    /// they stand, and reprojected to see that all of them have a place, where the system is in
    /// the list.
    #[arg(long, value_name = "CODE", value_parser = system)]
    crs: Option<String>,
    /// Write a repaired copy there: a file for one input, a folder for several. Only what a
    /// repair changes has other bytes; what cannot be repaired stays, and is told.
    #[arg(long, value_name = "PATH")]
    fix: Option<PathBuf>,
    /// The repairs of --fix, in the order in which they are done: close-ring, drop-repeats,
    /// rewind, make-valid, make-valid:structure, swap-axes, split-antimeridian.
    #[arg(
        long,
        value_name = "STEPS",
        value_delimiter = ',',
        default_value = "close-ring,make-valid",
        value_parser = step,
        requires = "fix"
    )]
    repair: Vec<Step>,
    /// Let --fix replace files that are there already, the inputs among them.
    #[arg(long, requires = "fix")]
    overwrite: bool,
}

/// The name of a system; a number alone is an EPSG code.
fn system(text: &str) -> Result<String, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = if is_number {
        format!("EPSG:{text}")
    } else {
        text.to_owned()
    };
    match crs::support(&name) {
        Support::NoName => Err("this names no system; EPSG:25832 would".to_owned()),
        Support::Degrees | Support::Reprojected | Support::NeedsGrid | Support::NotListed => {
            Ok(name)
        }
    }
}

fn step(name: &str) -> Result<Step, String> {
    Step::by_name(name).ok_or_else(|| {
        let names = Step::NAMES.map(|(name, _)| name).join(", ");
        format!("no repair is called so: {names}")
    })
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
    if let Err(reason) = args.agree() {
        output::complain(&reason);
        return Ok(Exit::Unable);
    }
    let inputs = inputs::expand(&args.inputs);
    let copies = args.fix.as_ref().map(|path| fix::copies(path, &inputs));
    let format = args.output.resolve(environment);
    let folder = std::env::current_dir().ok();
    let progress = Progress::over(&inputs);
    let mut course = Course {
        whole: Whole::begin(format, output::stdout())?,
        exit: Exit::Good,
    };
    let work: Vec<Work<'_>> = works(&inputs, copies.as_ref());
    let judge = |work: &Work<'_>| judge(work, args, format, folder.as_deref());
    in_order::each(&work, args.jobs, judge, |work, outcome| {
        progress.beside(|| course.take(outcome))?;
        progress.advance(work.input);
        Ok(())
    })?;
    progress.end();
    course.whole.end()?;
    Ok(course.exit)
}

impl CheckArgs {
    /// Refuses what cannot be done together, and says what `--crs` comes to.
    fn agree(&self) -> Result<(), String> {
        let Some(crs) = &self.crs else {
            return Ok(());
        };
        let support = crs::support(crs);
        let why = match support {
            Support::NeedsGrid => "needs a datum grid",
            Support::NotListed => "is not in the list of systems",
            Support::Degrees | Support::Reprojected | Support::NoName => "",
        };
        if !why.is_empty() {
            output::complain(&printable(&format!(
                "{crs} {why}: judged in its own coordinates, not reprojected"
            )));
        }
        let splits = self.fix.is_some() && self.repair.contains(&Step::SplitAntimeridian);
        if splits && support != Support::Degrees {
            return Err("split-antimeridian needs degrees: not beside that --crs".to_owned());
        }
        Ok(())
    }
}

/// An input, and where its repaired copy goes.
struct Work<'a> {
    input: &'a Input,
    copy: Option<&'a Result<PathBuf, String>>,
}

fn works<'a>(inputs: &'a [Input], copies: Option<&'a Copies>) -> Vec<Work<'a>> {
    let copy = |index| copies.and_then(|copies| copies.get(index));
    let works = inputs.iter().enumerate().map(|(index, input)| Work {
        input,
        copy: copy(index),
    });
    works.collect()
}

/// What became of an input: what it gave, or why it could not be read.
type Outcome = Result<Given, String>;

/// What an input gave.
struct Given {
    name: String,
    told: Told,
    /// Its repaired copy, with its name, or why there is none.
    fixed: Option<Result<(Fix, String), String>>,
}

fn judge(work: &Work<'_>, args: &CheckArgs, format: Format, folder: Option<&Path>) -> Outcome {
    let Input { path, problem, .. } = work.input;
    let name = path.display().to_string();
    let given = || {
        if let Some(problem) = problem {
            return Err(problem.clone());
        }
        let body = read(path).map_err(|error| error.to_string())?;
        let uri = file_uri(path, folder);
        let file = File::judge(path, &name, &uri, &body, args.crs.as_deref());
        let fixed = work.copy.map(|copy| fixed(&file, copy, args));
        let told = format.tell(file).map_err(|error| error.to_string())?;
        Ok(Given {
            name: name.clone(),
            told,
            fixed,
        })
    };
    given().map_err(|reason| format!("{name}: {reason}"))
}

/// Repairs a file and writes the copy.
fn fixed(
    file: &File<'_>,
    copy: &Result<PathBuf, String>,
    args: &CheckArgs,
) -> Result<(Fix, String), String> {
    let copy = copy.as_ref().map_err(Clone::clone)?;
    let fix = Fix::of(file, &args.repair, args.crs.as_deref())?;
    fix::write(copy, fix.bytes(), args.overwrite)?;
    Ok((fix, copy.display().to_string()))
}

const fn exit_of(state: State) -> Exit {
    match state {
        State::Valid => Exit::Good,
        State::Faulty => Exit::Faults,
        State::Unreadable => Exit::Unable,
    }
}

struct Course<W> {
    whole: Whole<W>,
    exit: Exit,
}

impl<W: Write> Course<W> {
    fn take(&mut self, outcome: Outcome) -> io::Result<()> {
        let exit = match outcome {
            Ok(given) => self.take_given(given)?,
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

impl<W: Write> Course<W> {
    fn take_given(&mut self, given: Given) -> io::Result<Exit> {
        let Given { name, told, fixed } = given;
        let exit = exit_of(told.state());
        self.whole.add(told)?;
        Ok(match fixed {
            None => exit,
            Some(Ok((fix, copy))) => {
                for line in self.whole.add_fix(&fix, &name, &copy)? {
                    output::complain(&line);
                }
                exit_of(fix.state())
            }
            Some(Err(reason)) => {
                output::complain(&printable(&format!("{name}: no repaired copy: {reason}")));
                Exit::Unable
            }
        })
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
