//! What the doors answered.

use super::label::{AnswerLabels, CodeLabels, Counters, ResultLabels};
use hexlane_core::code::Code;
use hexlane_door::{Answer, Enqueued};
use prometheus_client::registry::Registry;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct IntakeMetrics {
    answers: Counters<AnswerLabels>,
    relay_answers: Counters<AnswerLabels>,
    violations: Counters<CodeLabels>,
    enqueued: Counters<ResultLabels>,
}

/// What a problem document says of itself.
#[derive(Default, Deserialize)]
struct Told {
    code: String,
    #[serde(default)]
    totals: BTreeMap<String, u64>,
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
        let told = told(answer);
        for (code, total) in &told.totals {
            if let Some(code) = Code::from_name(code) {
                let code = code.as_str().to_owned();
                self.violations
                    .get_or_create(&CodeLabels { code })
                    .inc_by(*total);
            }
        }
        self.answers.get_or_create(&labels(answer, told)).inc();
    }

    pub(super) fn relay_answered(&self, answer: &Answer) {
        self.relay_answers
            .get_or_create(&labels(answer, told(answer)))
            .inc();
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

fn labels(answer: &Answer, told: Told) -> AnswerLabels {
    AnswerLabels {
        status: answer.status,
        code: told.code,
    }
}

/// The code of a problem; `accepted` for what is none, `unreadable` for one that tells none.
fn told(answer: &Answer) -> Told {
    let only = |code: &str| Told {
        code: code.to_owned(),
        totals: BTreeMap::new(),
    };
    if answer.status < 400 {
        return only("accepted");
    }
    serde_json::from_slice(&answer.body).unwrap_or_else(|_| only("unreadable"))
}
