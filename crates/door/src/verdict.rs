//! What a verdict comes to under its source's policy and the sender's wish: all of it
//! enqueued, the good of it, the whole of it quarantined, or a refusal.

use crate::document;
use crate::enqueue::{Decision, Enqueue};
use crate::prefer::Preferences;
use crate::problem::Problem;
use hexlane_core::Envelope;
use hexlane_core::judge::{Judged, Request, quarantine};
use hexlane_core::lane::ShardMap;

/// What beside the verdict decides.
pub(crate) struct Policy<'a> {
    pub(crate) request: &'a Request<'a>,
    /// The media type of the body.
    pub(crate) content_type: &'a str,
    pub(crate) shard_map: ShardMap,
    /// Bytes of the largest envelope.
    pub(crate) envelope_bytes_max: u64,
    /// What the sender prefers.
    pub(crate) preferences: &'a Preferences,
}

/// Decides.
pub(crate) fn decide(judged: Judged, policy: &Policy<'_>) -> Decision {
    if judged.is_good() {
        return Decision::Enqueue(Enqueue::new(judged, policy.preferences.clone(), None));
    }
    let quarantined = policy.quarantined(&judged);
    let some = policy.preferences.lenient && judged.has_good();
    if some || quarantined.is_some() {
        let judged = if some {
            judged
        } else {
            judged.without_events()
        };
        return Decision::Enqueue(Enqueue::new(
            judged,
            policy.preferences.clone(),
            quarantined,
        ));
    }
    let problem = Problem::Refused {
        features: judged.refused(),
        each: policy.preferences.lenient && !judged.whole,
        report: judged.report,
    };
    Decision::Answer(problem.answer().preferring(policy.preferences))
}

impl Policy<'_> {
    /// The refused body as an envelope, when the source keeps it and it is not too large.
    fn quarantined(&self, judged: &Judged) -> Option<Box<Envelope>> {
        let bytes_max = u64::from(self.request.source.quarantine_bytes_max?);
        let bytes_max = bytes_max.min(self.envelope_bytes_max);
        if self.request.body.len() as u64 > bytes_max {
            return None;
        }
        let report = document::violations(&judged.report);
        let envelope = quarantine(self.request, self.content_type, report, self.shard_map);
        let fits = envelope.encoded_len() as u64 <= bytes_max;
        fits.then(|| Box::new(envelope))
    }
}
