//! Where repaired copies go, and how they are written.
//!
//! A file that is there is never replaced unless `--overwrite` says so: then what is written
//! takes its place as a whole, so that no reader and no kill finds half of it.

use super::inputs::{Input, STDIN};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// The copy of each input, or why it has none.
pub(super) type Copies = Vec<Result<PathBuf, String>>;

/// Finds the copy of each input. `path` is a file for one file, and a folder for several or
/// where it is one: there each copy has the name of its input, with the folders of a relative
/// one.
pub(super) fn copies(path: &Path, inputs: &[Input]) -> Copies {
    let ends_in_slash = path.to_string_lossy().ends_with(std::path::is_separator);
    let is_folder = inputs.len() > 1 || ends_in_slash || path.is_dir();
    if !is_folder {
        return vec![Ok(path.to_owned()); inputs.len()];
    }
    let mut taken = BTreeSet::new();
    let copy = |input: &Input| {
        let below = below(&input.path)?;
        let copy = path.join(below);
        if taken.insert(copy.clone()) {
            Ok(copy)
        } else {
            Err(format!("{} is the copy of another input", copy.display()))
        }
    };
    inputs.iter().map(copy).collect()
}

/// The name of an input in the folder of copies.
fn below(input: &Path) -> Result<PathBuf, String> {
    if input == Path::new(STDIN) {
        return Err("stdin has no name in a folder of copies".to_owned());
    }
    let plain = input
        .components()
        .filter(|component| *component != Component::CurDir);
    let is_relative = plain
        .clone()
        .all(|component| matches!(component, Component::Normal(_)));
    if is_relative {
        return Ok(plain.collect());
    }
    let name = input.file_name().map(PathBuf::from);
    name.ok_or_else(|| "it has no name in a folder of copies".to_owned())
}

/// Writes a copy.
pub(super) fn write(copy: &Path, bytes: &[u8], overwrite: bool) -> Result<(), String> {
    let told = |error: io::Error| {
        let name = copy.display();
        if error.kind() == io::ErrorKind::AlreadyExists {
            format!("{name} is there already; --overwrite replaces it")
        } else {
            format!("{name}: {error}")
        }
    };
    if let Some(folder) = copy.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    let written = if overwrite {
        replace(copy, bytes)
    } else {
        create(copy, bytes)
    };
    written.map_err(told)
}

/// Writes a file that is not there yet.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    fill(file, bytes).inspect_err(|_| drop(fs::remove_file(path)))
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes a file beside the one it replaces, and moves it there. A link stays one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(name) = path.file_name() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(beside);
    create(&beside, bytes)?;
    let moved = keep_rights(&path, &beside).and_then(|()| fs::rename(&beside, &path));
    moved.inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn keep_rights(from: &Path, to: &Path) -> io::Result<()> {
    match fs::metadata(from) {
        Ok(metadata) => fs::set_permissions(to, metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    fn named(path: &str, inputs: &[&str]) -> Vec<Result<String, String>> {
        let inputs: Vec<Input> = inputs.iter().map(|name| input(name)).collect();
        let shown = |copy: Result<PathBuf, String>| copy.map(|copy| copy.display().to_string());
        copies(Path::new(path), &inputs)
            .into_iter()
            .map(shown)
            .collect()
    }

    fn input(name: &str) -> Input {
        Input {
            path: PathBuf::from(name),
            bytes: None,
            problem: None,
        }
    }

    #[test]
    fn one_file_goes_to_a_file_and_several_into_a_folder() {
        assert_eq!(
            named("gone/x.json", &["a.json"]),
            [Ok("gone/x.json".to_owned())]
        );
        assert_eq!(
            named("gone/", &["d/a.json"]),
            [Ok("gone/d/a.json".to_owned())]
        );
        assert_eq!(
            named("gone", &["./d/a.json", "/tmp/b.json", "../c.json"]),
            ["gone/d/a.json", "gone/b.json", "gone/c.json"].map(|name| Ok(name.to_owned()))
        );
    }

    #[test]
    fn two_inputs_never_share_a_copy() {
        let copies = named("gone", &["a.json", "/x/a.json", "-"]);
        assert!(
            copies[0].is_ok() && copies[1].is_err() && copies[2].is_err(),
            "{copies:?}"
        );
    }

    #[test]
    fn what_is_there_is_replaced_only_when_that_is_said() {
        let folder = tempdir().unwrap();
        let copy = folder.path().join("new/a.json");
        write(&copy, b"1", false).unwrap();
        assert!(
            write(&copy, b"2", false)
                .unwrap_err()
                .contains("--overwrite")
        );
        assert_eq!(fs::read(&copy).unwrap(), b"1");
        write(&copy, b"2", true).unwrap();
        assert_eq!(fs::read(&copy).unwrap(), b"2");
        let left = fs::read_dir(copy.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing lies beside it");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_rights_stay_as_they_were() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.json"), "1").unwrap();
        fs::set_permissions(at("a.json"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a.json", at("link.json")).unwrap();
        write(&at("link.json"), b"2", true).unwrap();
        assert!(at("link.json").is_symlink());
        assert_eq!(fs::read(at("a.json")).unwrap(), b"2");
        let mode = fs::metadata(at("a.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
