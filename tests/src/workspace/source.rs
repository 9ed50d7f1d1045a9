//! A Rust file, read as text: what a grep can hold true of it.
//!
//! Best effort: comments that fill a line are left out, strings are not.

use std::fs;
use std::path::{Path, PathBuf};

/// One file.
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Every Rust file below a folder, what cargo built apart.
pub(super) fn below(folder: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let listed =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in listed {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                let built = path.ends_with("target") || path.ends_with("worker/build");
                if !built {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

impl Source {
    /// Whether it is linked into a program: not a test, an example or a bench.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        let apart = ["tests", "examples", "benches"];
        let components = self.path.components().rev().skip(1);
        let in_src = components.clone().any(|part| part.as_os_str() == "src");
        let is_tests = self.path.file_stem().is_some_and(|stem| stem == "tests");
        let up_to_src = components.take_while(|part| part.as_os_str() != "src");
        let in_tests = up_to_src
            .into_iter()
            .any(|part| apart.iter().any(|name| part.as_os_str() == *name));
        in_src && !is_tests && !in_tests
    }

    /// The code up to the unit tests at its end, without comments that fill a line.
    #[must_use]
    pub fn code(&self) -> String {
        let lines = self
            .shipped_lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        lines.fold(String::new(), |code, line| code + line + "\n")
    }

    /// The lines up to the unit tests at its end.
    pub fn shipped_lines(&self) -> impl Iterator<Item = &str> {
        let end = self
            .text
            .find("#[cfg(test)]\nmod ")
            .unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default().lines()
    }

    /// The public items: each signature, and the whole of an enum or a trait.
    #[must_use]
    pub fn public_items(&self) -> Vec<String> {
        let code = self.code();
        let lines: Vec<&str> = code.lines().collect();
        let mut items = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let start = line.trim_start();
            if start.starts_with("pub ") {
                let whole = ["pub enum ", "pub trait "]
                    .iter()
                    .any(|kind| start.starts_with(kind));
                items.push(item(&lines[number..], whole));
            }
        }
        items
    }
}

/// From its first line to `;` or `{`, or to the brace that closes it.
fn item(lines: &[&str], whole: bool) -> String {
    let indent = lines[0].len() - lines[0].trim_start().len();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        text.push_str(line);
        text.push('\n');
        let end = line.trim_end();
        let closed =
            line.len() - line.trim_start().len() == indent && end.trim_start().starts_with('}');
        let done = if whole {
            (number > 0 && closed) || end.ends_with("{}")
        } else {
            end.ends_with([';', '{', ',', '}'])
        };
        if done && (whole || parentheses_close(&text)) {
            break;
        }
    }
    text
}

fn parentheses_close(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}
