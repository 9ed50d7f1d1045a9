//! The reader of this build's core.

use crate::reader::{Reader, Refusal};
use hexlane_backend::GeometryError;
use hexlane_core::code::{Code, Severity};
use hexlane_core::effect::{Effect, Undecodable, judge_again, judged_elsewhere, verified_payload};
use hexlane_core::json_text::JsonText;
use hexlane_core::violation::{Report, Violation};
use hexlane_core::{Envelope, FailureClass, Stage};
use hexlane_delivery::Cause;

/// Reads with `hexlane-core`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoreReader;

impl Reader for CoreReader {
    fn read(&self, envelope: &Envelope) -> Result<Effect, Box<Refusal>> {
        if judged_elsewhere(envelope)
            && verified_payload(envelope).is_ok()
            && let Some(violation) = judge_again(envelope)
        {
            return Err(Box::new(Refusal {
                cause: Cause::VerdictSkew,
                ..refusal_of(&violation, std::slice::from_ref(&violation))
            }));
        }
        Effect::decode(envelope.clone()).map_err(|reason| Box::new(undecodable(&reason)))
    }

    fn explain(&self, envelope: &Envelope) -> Box<Refusal> {
        if let Some(refusal) = envelope.report.as_deref().and_then(reported) {
            return Box::new(refusal);
        }
        Box::new(match judge_again(envelope) {
            Some(violation) => refusal_of(&violation, std::slice::from_ref(&violation)),
            None => Refusal::bare(
                violated(
                    FailureClass::SchemaViolation,
                    Stage::Schema,
                    "door.quarantined",
                ),
                "the door kept this payload for poison",
            ),
        })
    }
}

/// What the door wrote of a violation; the first error is why it refused.
#[derive(serde::Deserialize)]
struct Reported {
    code: String,
    message: String,
    reason: Option<String>,
    location: Option<[f64; 2]>,
    epsg: Option<u32>,
}

/// The door's own words; none when they are of no code that this build knows.
fn reported(report: &str) -> Option<Refusal> {
    let all: Vec<Reported> = serde_json::from_str(report).ok()?;
    let mut errors = all.into_iter().filter_map(|each| {
        let code = Code::from_name(&each.code)?;
        (code.severity() == Severity::Error).then_some((code, each))
    });
    let (code, first) = errors.next()?;
    Some(Refusal {
        cause: violated(code.class(), code.stage(), code.as_str()),
        message: first.message,
        geometry_error: first.reason.map(|reason| GeometryError {
            reason,
            location: first.location,
            epsg: first.epsg,
        }),
        violations: report.to_owned(),
    })
}

fn undecodable(reason: &Undecodable) -> Refusal {
    match reason {
        Undecodable::Elsewhere => Refusal::bare(
            Cause::Unknown {
                code: "payload.elsewhere".into(),
            },
            reason.to_string(),
        ),
        Undecodable::Lost => Refusal::bare(Cause::BodyLost, reason.to_string()),
        Undecodable::Digest => Refusal::bare(Cause::BlobCorrupt, reason.to_string()),
        Undecodable::Unreadable(report) => unreadable(report, reason),
    }
}

fn unreadable(report: &Report, reason: &Undecodable) -> Refusal {
    report.first_error().map_or_else(
        || {
            let cause = violated(
                FailureClass::SchemaViolation,
                Stage::Parse,
                "payload.unreadable",
            );
            Refusal::bare(cause, reason.to_string())
        },
        |first| refusal_of(first, report.violations()),
    )
}

fn refusal_of(first: &Violation, all: &[Violation]) -> Refusal {
    let mut violations = JsonText::default();
    violations.array(all, |json, violation| violation.tell(json));
    Refusal {
        cause: violated(first.code.class(), first.code.stage(), first.code.as_str()),
        message: first.message.clone(),
        geometry_error: first.reason().map(|reason| GeometryError {
            reason,
            location: first.location,
            epsg: first.epsg,
        }),
        violations: violations.into_text(),
    }
}

fn violated(class: FailureClass, stage: Stage, code: &'static str) -> Cause {
    Cause::Violation {
        class,
        stage,
        code: code.into(),
    }
}
