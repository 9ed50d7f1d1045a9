//! Small files for the tests of every form of output.

use crate::file::File;
use crate::telling::{Format, Whole};
use crate::uri::file_uri;
use std::path::Path;

/// Crosses itself at 0.5 0.5.
pub(crate) const BOWTIE: &str =
    r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;
/// Its last position is not its first.
pub(crate) const OPEN: &str =
    "{\"type\":\"Polygon\",\n \"name\":\"É😀\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,1]]]}";
/// Valid, with a warning that has a place in the geometry and no location.
pub(crate) const CLOCKWISE: &str =
    r#"{"type":"Polygon","coordinates":[[[3,4],[3,5],[4,5],[3,4]]]}"#;

/// What those files give in that form.
pub(crate) fn told(format: Format, files: &[(&str, &str)]) -> String {
    let mut out = Vec::new();
    let mut whole = Whole::begin(format, &mut out).unwrap();
    for (name, body) in files {
        let path = Path::new(name);
        let uri = file_uri(path, Some(Path::new("/work")));
        let told = format.tell(File::judge(path, name, &uri, body.as_bytes(), None));
        whole.add(told.unwrap()).unwrap();
    }
    whole.end().unwrap();
    String::from_utf8(out).unwrap()
}
