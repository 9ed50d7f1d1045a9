//! One wasm-bindgen: the locked one and the linked one must be the same.
//!
//! The format between the two changes with any release, and the message that
//! wasm-bindgen itself gives then names neither file to change.

use std::fs;

use super::glue;
use crate::{failure::Failure, workspace::Workspace};

/// Compares `Cargo.lock` with the version linked into xtask.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let path = workspace.root().join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
    compare(&lock)
}

fn compare(lock: &str) -> Result<(), Failure> {
    let locked: Vec<&str> = versions(lock, "wasm-bindgen").collect();
    let linked: Vec<&str> = versions(lock, "wasm-bindgen-cli-support").collect();
    if locked == linked && linked == [glue::VERSION] {
        return Ok(());
    }
    Err(Failure::Bindgen(format!(
        "Cargo.lock has wasm-bindgen {locked:?} and wasm-bindgen-cli-support {linked:?}, this xtask \
         was written for {}.\n  Set both to one version in Cargo.toml and in crates/xtask/src/edge/glue.rs.",
        glue::VERSION
    )))
}

/// Every version under which `Cargo.lock` lists `package`.
fn versions<'a>(lock: &'a str, package: &'a str) -> impl Iterator<Item = &'a str> {
    lock.split("[[package]]").filter_map(move |entry| {
        let field = |key| entry.lines().find_map(|line| line.strip_prefix(key));
        let name = field("name = \"")?.trim_end_matches('"');
        let version = field("version = \"")?.trim_end_matches('"');
        (name == package).then_some(version)
    })
}

#[cfg(test)]
mod tests {
    use super::compare;

    fn lock(bindgen: &str, support: &str) -> String {
        format!(
            "[[package]]\nname = \"wasm-bindgen\"\nversion = \"{bindgen}\"\n\n\
             [[package]]\nname = \"wasm-bindgen-cli-support\"\nversion = \"{support}\"\n"
        )
    }

    #[test]
    fn the_same_version_on_both_sides_is_accepted() {
        assert!(compare(&lock("0.2.130", "0.2.130")).is_ok());
    }

    #[test]
    fn a_newer_wasm_bindgen_in_the_lock_is_refused_with_both_versions() {
        let text = compare(&lock("0.2.131", "0.2.130"))
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("0.2.131") && text.contains("0.2.130"),
            "{text}"
        );
    }
}
