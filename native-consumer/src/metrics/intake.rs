//! What the doors answered.

use super::label::{AnswerLabels, CodeLabels, Counters, ResultLabels};
use hexlane_door::{Answer, Enqueued};
use prometheus_client::registry::Registry;
use serde::Deserialize;

#[derive(Debug, Default)]
pub(super) struct IntakeMetrics {
    answers: Counters<AnswerLabels>,
    relay_answers: Counters<AnswerLabels>,
    violations: Counters<CodeLabels>,
    enqueued: Counters<ResultLabels>,
}

/// What a problem document says of itself.
#[derive(Deserialize)]
struct Told {
    code: String,
}

impl IntakeMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        let (answers, relay) = (metrics.answers.clone(), metrics.relay_answers.clone());
        let (violations, enqueued) = (metrics.violations.clone(), metrics.enqueued.clone());
        registry.register(
            "intake_requests_answered",
            "Answers to POST /v1/events",
            answers,
        );
        registry.register("relay_batches_answered", "Answers to POST /v1/relay", relay);
        registry.register(
            "intake_violations_found",
            "Violations told, by code",
            violations,
        );
        registry.register("queue_events_enqueued", "What the queue said", enqueued);
        metrics
    }

    pub(super) fn answered(&self, answer: &Answer) {
        for (code, total) in answer.totals.iter() {
            let code = code.as_str().to_owned();
            self.violations
                .get_or_create(&CodeLabels { code })
                .inc_by(total);
        }
        self.answers.get_or_create(&labels(answer)).inc();
    }

    pub(super) fn relay_answered(&self, answer: &Answer) {
        self.relay_answers.get_or_create(&labels(answer)).inc();
    }

    pub(super) fn enqueued(&self, said: &[Enqueued]) {
        for each in said {
            let result = match each {
                Enqueued::New => "new",
                Enqueued::Duplicate => "duplicate",
                Enqueued::Conflict => "conflict",
            };
            self.enqueued.get_or_create(&ResultLabels { result }).inc();
        }
    }
}

fn labels(answer: &Answer) -> AnswerLabels {
    AnswerLabels {
        status: answer.status,
        code: code(answer),
    }
}

/// The code of a problem; `accepted` for what is none, `unreadable` for one that tells none.
fn code(answer: &Answer) -> String {
    if answer.status < 400 {
        return "accepted".to_owned();
    }
    let told = serde_json::from_slice(&answer.body);
    told.map_or_else(|_| "unreadable".to_owned(), |told: Told| told.code)
}
