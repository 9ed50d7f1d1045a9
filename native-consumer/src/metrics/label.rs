//! Labels. Their values are the fixed names of enums elsewhere.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// How a request was answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct AnswerLabels {
    pub(super) status: u16,
    pub(super) code: String,
}

/// A stable code.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CodeLabels {
    pub(super) code: String,
}

/// What the queue said.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ResultLabels {
    pub(super) result: &'static str,
}

/// What became of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OutcomeLabels {
    pub(super) outcome: &'static str,
}

/// Where a dead letter went and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct DeadLabels {
    pub(super) destination: &'static str,
    pub(super) class: &'static str,
}

/// A class of failure, and where the event stood.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct DeferredLabels {
    pub(super) class: &'static str,
    pub(super) stage: &'static str,
}

/// What a shard waited for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ReasonLabels {
    pub(super) reason: &'static str,
}

/// A shard.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ShardLabels {
    pub(super) shard: u16,
}

/// A store.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct StoreLabels {
    pub(super) store: &'static str,
}

/// A counter for each set of labels.
pub(super) type Counters<L> = Family<L, Counter>;
