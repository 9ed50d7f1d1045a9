//! The documents of refusals: problems (RFC 9457). Those of acceptances are beside.

mod acceptance;

pub(crate) use acceptance::acceptance;

use crate::leading::Leading;
use crate::problem::Problem;
use hexlane_core::code::{Code, Severity};
use hexlane_core::violation::{Report, Violation, ViolationView};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct ProblemDocument<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ViolationView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ViolationView<'a>>,
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    refused: &'a [u32],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    totals: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it by reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(crate) fn problem(problem: &Problem) -> Vec<u8> {
    let reused: Vec<Violation>;
    let mut document = ProblemDocument {
        r#type: format!("urn:hexlane:problem:{}", problem.code()),
        title: problem.title(),
        status: problem.status(),
        code: problem.code(),
        detail: detail(problem),
        errors: Vec::new(),
        warnings: Vec::new(),
        refused: &[],
        totals: BTreeMap::new(),
        left_out: 0,
    };
    if let Problem::Refused {
        report, features, ..
    } = problem
    {
        document.refused = features;
        document.errors = views(report, Severity::Error);
        document.warnings = views(report, Severity::Warning);
        document.totals = totals(report);
        document.left_out = report.left_out();
    }
    if let Problem::KeyReused(indices) = problem {
        reused = indices.iter().map(|index| key_reused(*index)).collect();
        document.errors = reused.iter().map(Violation::view).collect();
    }
    to_bytes(&document)
}

fn totals(report: &Report) -> BTreeMap<&'static str, u64> {
    let totals = report.totals().iter();
    totals
        .map(|(code, total)| (code.as_str(), *total))
        .collect()
}

/// Every violation that is kept, as a JSON array.
pub(crate) fn violations(report: &Report) -> String {
    let views: Vec<_> = report.violations().iter().map(Violation::view).collect();
    String::from_utf8(to_bytes(&views)).unwrap_or_default()
}

pub(crate) fn key_reused(index: u32) -> Violation {
    let message = "this idempotency key was used for another payload before";
    let mut violation = Violation::new(Code::IdempotencyKeyReused, message);
    violation.feature = Some(index);
    violation
}

fn detail(problem: &Problem) -> Option<String> {
    match problem {
        Problem::TooLarge { bytes_max } => Some(format!("at most {bytes_max} bytes are taken")),
        Problem::Refused { report, .. } => {
            let sentence = Leading::of(report)?.sentence();
            Some(match report.errors() {
                1 => sentence,
                errors => format!("{sentence}, and {} more", errors - 1),
            })
        }
        Problem::RelayMalformed(reason) => Some((*reason).to_owned()),
        Problem::QueueUnavailable { .. } => {
            Some("send it again with the same idempotency key: it has one effect".to_owned())
        }
        Problem::RouteUnknown
        | Problem::SourceUnknown
        | Problem::MethodNotAllowed { .. }
        | Problem::MediaType
        | Problem::Encoding
        | Problem::Coded(_)
        | Problem::Length
        | Problem::KeyMalformed
        | Problem::BodyCut
        | Problem::Unauthorized(_)
        | Problem::KeyReused(_)
        | Problem::Backlog { .. }
        | Problem::Misconfigured
        | Problem::Busy => None,
    }
}

fn views(report: &Report, severity: Severity) -> Vec<ViolationView<'_>> {
    let chosen = report
        .violations()
        .iter()
        .filter(|each| each.code.severity() == severity);
    chosen.map(Violation::view).collect()
}

/// Most documents fit, and none is written twice for want of room.
const DOCUMENT_BYTES_USUAL: usize = 2_048;

pub(crate) fn to_bytes(document: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(DOCUMENT_BYTES_USUAL);
    match serde_json::to_writer(&mut bytes, document) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}
