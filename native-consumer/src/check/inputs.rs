//! From what stands on the command line to files, in a fixed order: that of the command line,
//! and by name within a folder or a glob.
//!
//! A name that exists is that file or folder, whatever is in it; another one with `*`, `?`,
//! `[` or `{` is a glob. Folders are searched to the bottom; links to files count as files,
//! links to folders are not followed, so that a loop of them ends and no file is judged
//! twice. A file that two inputs name is judged once. An input that gives no file is a
//! problem: a check of nothing must not pass for a good one.

use globset::{Glob, GlobBuilder, GlobMatcher};
use hexlane_findings::is_geojson;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The name of stdin.
pub(super) const STDIN: &str = "-";

/// A file to judge, or what is wrong with an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// Its size as the system told it, for the progress; none where it is not known.
    pub(super) bytes: Option<u64>,
    /// Why there is no file to judge.
    pub(super) problem: Option<String>,
}

/// Every file that the arguments name.
pub(super) fn expand(arguments: &[PathBuf]) -> Vec<Input> {
    let mut found = Found::default();
    for argument in arguments {
        found.take(argument);
    }
    found.inputs
}

#[derive(Default)]
struct Found {
    inputs: Vec<Input>,
    known: HashSet<PathBuf>,
}

impl Found {
    fn take(&mut self, argument: &Path) {
        if argument == Path::new(STDIN) {
            return self.file(argument.to_owned(), None);
        }
        match fs::metadata(argument) {
            Ok(metadata) if metadata.is_dir() => self.folder(argument),
            Ok(metadata) => self.file(argument.to_owned(), Some(metadata.len())),
            Err(error) => match pattern(argument) {
                Some(pattern) if error.kind() == io::ErrorKind::NotFound => {
                    self.glob(argument, pattern);
                }
                _ => self.problem(argument.to_owned(), error.to_string()),
            },
        }
    }

    fn file(&mut self, path: PathBuf, bytes: Option<u64>) {
        let path = match path.strip_prefix(".") {
            Ok(plain) if !plain.as_os_str().is_empty() => plain.to_owned(),
            Ok(_) | Err(_) => path,
        };
        if self.known.insert(path.clone()) {
            self.inputs.push(Input {
                path,
                bytes,
                problem: None,
            });
        }
    }

    fn problem(&mut self, path: PathBuf, problem: String) {
        self.inputs.push(Input {
            path,
            bytes: None,
            problem: Some(problem),
        });
    }

    fn folder(&mut self, folder: &Path) {
        let walk = WalkDir::new(folder);
        if self.walk(walk, is_geojson) == 0 {
            let problem = "no GeoJSON file in it (.geojson, .json, .geojsonl, .ndjson, .geojsons)";
            self.problem(folder.to_owned(), problem.to_owned());
        }
    }

    fn glob(&mut self, argument: &Path, pattern: &str) {
        let (base, depth) = walked(pattern);
        let matcher = match matcher(pattern) {
            Ok(matcher) => matcher,
            Err(error) => return self.problem(argument.to_owned(), error.to_string()),
        };
        let is_match = |path: &Path| matcher.is_match(path.strip_prefix(".").unwrap_or(path));
        let walk = WalkDir::new(base).max_depth(depth);
        if self.walk(walk, is_match) == 0 {
            self.problem(argument.to_owned(), "no file matches".to_owned());
        }
    }

    /// Takes the files of that kind, and says how many things there were to tell of.
    fn walk(&mut self, walk: WalkDir, is_wanted: impl Fn(&Path) -> bool) -> usize {
        let mut told = 0;
        for entry in walk.sort_by_file_name() {
            match entry {
                Ok(entry) if !is_wanted(entry.path()) => {}
                Ok(entry) => match size(&entry) {
                    Ok(Some(bytes)) => {
                        self.file(entry.into_path(), Some(bytes));
                        told += 1;
                    }
                    Ok(None) => {}
                    Err(error) => {
                        self.problem(entry.into_path(), error.to_string());
                        told += 1;
                    }
                },
                Err(error) => {
                    let path = error.path().unwrap_or(Path::new("")).to_owned();
                    let reason = error.into_io_error();
                    let reason = reason.map_or("a loop".to_owned(), |error| error.to_string());
                    self.problem(path, reason);
                    told += 1;
                }
            }
        }
        told
    }
}

/// The size of a file, or of the file that a link leads to; none for what is neither.
fn size(entry: &DirEntry) -> io::Result<Option<u64>> {
    let kind = entry.file_type();
    if !kind.is_file() && !kind.is_symlink() {
        return Ok(None);
    }
    let metadata = fs::metadata(entry.path())?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// The argument as a pattern, if it looks like one.
fn pattern(argument: &Path) -> Option<&str> {
    let text = argument.to_str()?;
    let text = text.strip_prefix("./").unwrap_or(text);
    is_pattern(text).then_some(text)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn matcher(pattern: &str) -> Result<GlobMatcher, globset::Error> {
    let glob: Glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
    Ok(glob.compile_matcher())
}

/// The folder above everything that can match, and how deep below it that can lie.
fn walked(pattern: &str) -> (PathBuf, usize) {
    let mut base = String::new();
    let mut rest = pattern;
    while let Some((name, below)) = rest.split_once('/')
        && !is_pattern(name)
    {
        base.push_str(name);
        base.push('/');
        rest = below;
    }
    let unbounded = rest.contains("**") || rest.contains('{');
    let depth = if unbounded {
        usize::MAX
    } else {
        rest.split('/').count()
    };
    let base = if base.is_empty() { "." } else { &base };
    (PathBuf::from(base), depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::{TempDir, tempdir};

    fn folder(names: &[&str]) -> TempDir {
        let folder = tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        folder
    }

    /// What the arguments give, below the folder; problems have an exclamation mark.
    fn found(folder: &TempDir, arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<_> = arguments
            .iter()
            .map(|name| folder.path().join(name))
            .collect();
        let name = |input: Input| {
            let path = input
                .path
                .strip_prefix(folder.path())
                .unwrap_or(&input.path);
            let mark = if input.problem.is_some() { "!" } else { "" };
            format!("{mark}{}", path.display())
        };
        expand(&arguments).into_iter().map(name).collect()
    }

    #[test]
    fn folders_are_searched_in_the_order_of_names() {
        let folder = folder(&[
            "b.json",
            "a/z.geojson",
            "a/c.NDJSON",
            "a/note.txt",
            "c.geojsons",
            ".x/d.geojsonl",
        ]);
        let expected = [
            ".x/d.geojsonl",
            "a/c.NDJSON",
            "a/z.geojson",
            "b.json",
            "c.geojsons",
        ];
        assert_eq!(found(&folder, &["."]), expected);
        assert_eq!(
            found(&folder, &["c.geojsons", "a", "b.json"]),
            ["c.geojsons", "a/c.NDJSON", "a/z.geojson", "b.json"]
        );
        assert_eq!(found(&folder, &["a/note.txt"]), ["a/note.txt"]);
    }

    #[test]
    fn globs_match_within_folders_and_across_them() {
        let folder = folder(&["a1.json", "a2.txt", "d/a3.json", "d/e/a4.json"]);
        assert_eq!(found(&folder, &["*.json"]), ["a1.json"]);
        assert_eq!(
            found(&folder, &["**/a*.json"]),
            ["a1.json", "d/a3.json", "d/e/a4.json"]
        );
        assert_eq!(
            found(&folder, &["d/{a3,e/a4}.json"]),
            ["d/a3.json", "d/e/a4.json"]
        );
        assert_eq!(
            found(&folder, &["a[!1].txt", "a?.json"]),
            ["a2.txt", "a1.json"]
        );
        assert_eq!(found(&folder, &["*/*.json", "d/a3.json"]), ["d/a3.json"]);
    }

    #[test]
    fn an_input_that_gives_no_file_is_a_problem() {
        let folder = folder(&["a.json"]);
        fs::create_dir(folder.path().join("empty")).unwrap();
        let names = ["empty", "gone.json", "*.geojson", "[a", "{a", "a.json"];
        let expected = ["!empty", "!gone.json", "!*.geojson", "![a", "!{a", "a.json"];
        assert_eq!(found(&folder, &names), expected);
    }

    #[test]
    fn a_name_that_exists_is_no_glob() {
        let folder = folder(&["[a].json", "a.json"]);
        assert_eq!(found(&folder, &["[a].json"]), ["[a].json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_count_and_loops_of_links_end() {
        use std::os::unix::fs::symlink;
        let folder = folder(&["a/a.json"]);
        let at = |name: &str| folder.path().join(name);
        symlink("..", at("a/up")).unwrap();
        symlink("a.json", at("a/link.json")).unwrap();
        symlink("self.json", at("a/self.json")).unwrap();
        symlink("gone.json", at("a/torn.json")).unwrap();
        symlink("gone", at("a/torn")).unwrap();
        let expected = ["a/a.json", "a/link.json", "!a/self.json", "!a/torn.json"];
        assert_eq!(found(&folder, &["."]), expected);
        assert_eq!(found(&folder, &["**/*.json"]), expected);
    }

    #[test]
    fn stdin_and_files_named_twice_are_judged_once() {
        let inputs = expand(&["-", "gone", "-"].map(PathBuf::from));
        let paths: Vec<_> = inputs
            .iter()
            .map(|input| input.path.to_str().unwrap())
            .collect();
        assert_eq!(paths, ["-", "gone"]);
    }
}
