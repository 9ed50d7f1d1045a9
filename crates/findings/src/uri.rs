//! File names as URI references (RFC 3986), as SARIF asks for: relative to the folder that
//! the program was started in, where the file lies below it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use std::path::{Component, Path};

/// What RFC 3986 section 2.3 leaves as it is.
const SEGMENT: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The reference to a file. Without a base, or for a file that lies elsewhere, it is a
/// `file:` URI.
#[must_use]
pub fn file_uri(file: &Path, base: Option<&Path>) -> String {
    let base = base.map(segments);
    let all = match &base {
        Some(base) if file.is_relative() => plain(base.clone(), file),
        _ => segments(file),
    };
    if let Some(base) = &base
        && let Some(below) = all.strip_prefix(base.as_slice())
        && !below.is_empty()
    {
        return below.join("/");
    }
    format!("file:///{}", all.join("/"))
}

fn segments(path: &Path) -> Vec<String> {
    plain(Vec::new(), path)
}

/// Segments with those of a path behind them; `.` and `..` are resolved by name alone.
fn plain(mut segments: Vec<String>, path: &Path) -> Vec<String> {
    for component in path.components() {
        match component {
            Component::Normal(name) => {
                let bytes = name.as_encoded_bytes();
                segments.push(percent_encode(bytes, &SEGMENT).to_string());
            }
            // A drive keeps its colon, as in `file:///C:/data`.
            Component::Prefix(prefix) => {
                segments.push(prefix.as_os_str().to_string_lossy().into_owned());
            }
            Component::ParentDir => {
                segments.pop();
            }
            Component::CurDir | Component::RootDir => {}
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_base_are_relative_and_others_are_not() {
        let uri = |file: &str| file_uri(Path::new(file), Some(Path::new("/srv/maps")));
        assert_eq!(uri("a.json"), "a.json");
        assert_eq!(uri("./in/../in/a b.json"), "in/a%20b.json");
        assert_eq!(uri("/srv/maps/in/a.json"), "in/a.json");
        assert_eq!(uri("/srv/mapsx/a.json"), "file:///srv/mapsx/a.json");
        assert_eq!(uri("../a.json"), "file:///srv/a.json");
        assert_eq!(uri("c:d\n%é"), "c%3Ad%0A%25%C3%A9");
        assert_eq!(file_uri(Path::new("/a"), None), "file:///a");
    }
}
