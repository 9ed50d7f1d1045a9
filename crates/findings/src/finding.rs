//! What was found in one feature, or in the document as a whole.

use hexlane_core::code::Severity;
use hexlane_core::violation::Violation;

/// The violations of one feature; `feature` is none for the document.
#[derive(Debug, Default)]
pub(crate) struct Finding {
    pub(crate) feature: Option<u32>,
    pub(crate) violations: Vec<Violation>,
}

impl Finding {
    /// Valid: nothing worse than a warning.
    pub(crate) fn is_valid(&self) -> bool {
        let mut severities = self.violations.iter().map(|each| each.code.severity());
        severities.all(|severity| severity != Severity::Error)
    }
}
