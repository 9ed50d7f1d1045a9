//! The documents of refusals: problems (RFC 9457). Those of acceptances are beside.

mod acceptance;

pub(crate) use acceptance::acceptance;

use crate::leading::Leading;
use crate::problem::Problem;
use hexlane_core::code::{Code, Severity};
use hexlane_core::json_text::JsonText;
use hexlane_core::violation::{Report, Violation};

/// Most documents fit, and none is written twice for want of room.
const DOCUMENT_BYTES_USUAL: usize = 2_048;

/// The document of a problem. `leading` is that of its report, when it is a refusal.
pub(crate) fn problem(problem: &Problem, leading: Option<Leading<'_>>) -> Vec<u8> {
    let mut json = JsonText::with_capacity(DOCUMENT_BYTES_USUAL);
    let code = problem.code_by(leading);
    json.plain("{\"type\":\"urn:hexlane:problem:");
    json.plain(code);
    json.plain("\",\"title\":");
    json.string(problem.title());
    json.plain(",\"status\":");
    json.whole(u64::from(problem.status_by(leading)));
    json.plain(",\"code\":");
    json.name(code);
    if let Some(detail) = detail(problem, leading) {
        json.plain(",\"detail\":");
        json.string(&detail);
    }
    if let Problem::Refused {
        report, features, ..
    } = problem
    {
        violations_of(&mut json, ",\"errors\":", report, Severity::Error, &[]);
        violations_of(&mut json, ",\"warnings\":", report, Severity::Warning, &[]);
        if !features.is_empty() {
            json.plain(",\"refused\":");
            json.array(features, |json, index| json.whole(u64::from(*index)));
        }
        totals(&mut json, report);
    }
    if let Problem::KeyReused(indices) = problem
        && !indices.is_empty()
    {
        json.plain(",\"errors\":");
        json.array(indices, |json, index| key_reused(*index).tell(json));
    }
    json.plain("}");
    json.into_bytes()
}

/// The violations of that severity and `more`, when there are any.
fn violations_of(
    json: &mut JsonText,
    member: &str,
    report: &Report,
    severity: Severity,
    more: &[Violation],
) {
    let chosen = report
        .violations()
        .iter()
        .filter(|each| each.code.severity() == severity);
    let mut chosen = chosen.chain(more).peekable();
    if chosen.peek().is_some() {
        json.plain(member);
        json.array(chosen, |json, violation| violation.tell(json));
    }
}

/// How many violations there are of each code, by its name, and how many are not told.
fn totals(json: &mut JsonText, report: &Report) {
    let mut totals: Vec<_> = report.totals().iter().collect();
    totals.sort_unstable_by_key(|(code, _)| code.as_str());
    let mut before = ",\"totals\":{";
    for (code, total) in totals {
        json.plain(before);
        before = ",";
        json.name(code.as_str());
        json.plain(":");
        json.whole(total);
    }
    if before == "," {
        json.plain("}");
    }
    let left_out = report.left_out();
    if left_out > 0 {
        json.plain(",\"left_out\":");
        json.whole(left_out);
    }
}

/// Every violation that is kept, as a JSON array.
pub(crate) fn violations(report: &Report) -> String {
    let mut json = JsonText::with_capacity(DOCUMENT_BYTES_USUAL);
    json.array(report.violations(), |json, violation| violation.tell(json));
    json.into_text()
}

pub(crate) fn key_reused(index: u32) -> Violation {
    let message = "this idempotency key was used for another payload before";
    let mut violation = Violation::new(Code::IdempotencyKeyReused, message);
    violation.feature = Some(index);
    violation
}

fn detail(problem: &Problem, leading: Option<Leading<'_>>) -> Option<String> {
    match problem {
        Problem::TooLarge { bytes_max } => Some(format!("at most {bytes_max} bytes are taken")),
        Problem::Refused { report, .. } => {
            let sentence = leading?.sentence();
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
