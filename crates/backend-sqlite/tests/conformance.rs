//! The embedded backend runs the conformance suite. A crash is what the files are at that
//! moment, copied without closing them.

mod support;

hexlane_backend::conformance_suite!(super::support::Folder::new());
