//! The relay's secret on a developer's machine: made once, kept out of git.
//!
//! It lives in `.dev.vars` beside `wrangler.toml`, where `wrangler dev` reads the
//! Worker's secrets, readable by the owner only, and reaches the consumer by
//! environment. It is never printed. A production secret is set with
//! `wrangler secret put` and never touches this file.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::failure::Failure;

/// The name under which Worker and consumer both read it.
pub(crate) const NAME: &str = "HEXLANE_RELAY_SECRET";

/// Standard Webhooks takes 24 to 64 bytes.
const SECRET_BYTES: usize = 32;

/// The secret of `.dev.vars` in `root`, made there if it has none.
pub(crate) fn ensure(root: &Path) -> Result<String, Failure> {
    let path = root.join(".dev.vars");
    let text = if path.exists() {
        fs::read_to_string(&path).map_err(Failure::file("read", &path))?
    } else {
        String::new()
    };
    if let Some(secret) = find(&text) {
        return Ok(secret.to_owned());
    }
    let secret = generate()?;
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| writeln!(file, "{gap}{NAME}=\"{secret}\""))
        .map_err(Failure::file("write", &path))?;
    Ok(secret)
}

fn find(text: &str) -> Option<&str> {
    text.lines()
        .filter_map(|line| line.trim().split_once('='))
        .find(|(name, _)| name.trim() == NAME)
        .map(|(_, value)| value.trim().trim_matches('"'))
        .filter(|value| !value.is_empty())
}

/// A new secret in the form `whsec_<base64>`.
pub(crate) fn generate() -> Result<String, Failure> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; SECRET_BYTES];
    File::open(source)
        .and_then(|mut random| random.read_exact(&mut bytes))
        .map_err(Failure::file("read", source))?;
    Ok(format!("whsec_{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::{find, generate};

    #[test]
    fn a_secret_already_in_the_file_is_kept() {
        let text = "OTHER=1\nHEXLANE_RELAY_SECRET=\"whsec_AAAA\"\n";
        assert_eq!(find(text), Some("whsec_AAAA"));
        assert_eq!(find("HEXLANE_RELAY_SECRET=\n"), None);
    }

    #[test]
    fn two_secrets_differ_and_have_the_standard_webhooks_form() {
        let (one, two) = (generate().unwrap(), generate().unwrap());
        assert_ne!(one, two);
        assert!(
            one.starts_with("whsec_") && one.len() == 6 + 44,
            "{}",
            one.len()
        );
    }
}
