//! The settlement: what becomes of a delivery after an attempt.
//!
//! One function, from values to a value. `attempts` counts what was tried; `failures`
//! counts what spends the budget, and only it and the age end an event that may still
//! succeed. A sink outage and a fenced shard change neither: the delivery waits as it
//! is.

use crate::cause::{Cause, Code, Destination, Scope};
use crate::draw::Draw;
use crate::retry_after::RetryAfter;
use crate::schedule::{RetryPolicy, Wait};
use hexlane_core::{FailureClass, Outcome, Stage};

/// What is stored about a delivery between its attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryState {
    /// What was tried.
    pub attempts: u32,
    /// What spent the budget.
    pub failures: u32,
    /// When the first attempt ended, µs since 1970; none before it.
    pub first_attempt_at_us: Option<i64>,
    /// The delay drawn last.
    pub previous_delay_ms: u64,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// The sink recorded an outcome.
    Ended(Outcome),
    /// It did not.
    Failed(Cause),
}

/// The decision about a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Settlement {
    /// The outcome is recorded: acknowledge.
    Ack(Outcome),
    /// Try again, not before `due_at_us`.
    Defer {
        /// µs since 1970.
        due_at_us: i64,
        /// The wait drawn.
        delay_ms: u64,
        /// To be stored with the delivery.
        state: RetryState,
    },
    /// Record as dead, then acknowledge.
    DeadLetter {
        /// Which of the two.
        destination: Destination,
        /// The class of the last failure.
        class: FailureClass,
        /// Where it failed.
        stage: Stage,
        /// The code of the last failure.
        code: Code,
        /// What was tried, this attempt included.
        attempts: u32,
    },
    /// Not this event's fault: it keeps its place and spends nothing.
    Hold(Hold),
}

/// What an event waits for when it is not its fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// The sink's return.
    Sink,
    /// An operator, or the shard's next holder.
    Shard,
}

/// Decides what becomes of a delivery; `state` is as it was before the attempt.
pub fn settle(
    attempted: &Attempted,
    state: RetryState,
    policy: &RetryPolicy,
    now_us: i64,
    draw: Draw,
) -> Settlement {
    match attempted {
        Attempted::Ended(outcome) => Settlement::Ack(*outcome),
        Attempted::Failed(cause) => match cause.scope() {
            Scope::Sink => Settlement::Hold(Hold::Sink),
            Scope::Shard => Settlement::Hold(Hold::Shard),
            Scope::Event => settle_failed(cause, state.after(cause, now_us), policy, now_us, draw),
        },
    }
}

impl RetryState {
    fn after(mut self, cause: &Cause, now_us: i64) -> Self {
        self.attempts = self.attempts.saturating_add(1);
        self.failures = self
            .failures
            .saturating_add(u32::from(cause.spends_budget()));
        self.first_attempt_at_us = self.first_attempt_at_us.or(Some(now_us));
        self
    }

    fn is_spent(&self, policy: &RetryPolicy, now_us: i64) -> bool {
        let first_us = self.first_attempt_at_us.unwrap_or(now_us);
        let age_us = u64::try_from(now_us.saturating_sub(first_us)).unwrap_or(0);
        self.failures >= policy.failures_max || age_us / 1_000 >= policy.age_ms_max
    }
}

fn settle_failed(
    cause: &Cause,
    mut state: RetryState,
    policy: &RetryPolicy,
    now_us: i64,
    draw: Draw,
) -> Settlement {
    if cause.is_deterministic() || state.is_spent(policy, now_us) {
        return Settlement::DeadLetter {
            destination: cause.destination(),
            class: cause.class(),
            stage: cause.stage(),
            code: cause.code(),
            attempts: state.attempts,
        };
    }
    let Wait { delay_ms, drawn_ms } = policy.wait(
        state.attempts,
        state.previous_delay_ms,
        asked_ms(cause),
        draw,
    );
    state.previous_delay_ms = drawn_ms;
    let due_at_us = now_us.saturating_add_unsigned(delay_ms.saturating_mul(1_000));
    Settlement::Defer {
        due_at_us,
        delay_ms,
        state,
    }
}

fn asked_ms(cause: &Cause) -> Option<u64> {
    let Cause::Throttled {
        retry_after: Some(RetryAfter { wait_ms, .. }),
        ..
    } = cause
    else {
        return None;
    };
    *wait_ms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW_US: i64 = 1_700_000_000_000_000;

    fn failed(cause: Cause) -> Attempted {
        Attempted::Failed(cause)
    }

    fn throttled(wait_ms: Option<u64>) -> Cause {
        let retry_after = Some(RetryAfter {
            raw: String::new(),
            wait_ms,
        });
        Cause::Throttled {
            code: "sink.throttled".into(),
            retry_after,
        }
    }

    fn any_cause() -> impl Strategy<Value = Cause> {
        prop_oneof![
            Just(Cause::Transient {
                code: "persist.lock_timeout".into()
            }),
            Just(Cause::Unknown {
                code: "persist.unknown".into()
            }),
            Just(Cause::LayerAway {
                code: "layer.away".into()
            }),
            Just(Cause::JoinFailed {
                code: "join.failed".into()
            }),
            Just(Cause::SinkAway {
                code: "sink.refused".into()
            }),
            Just(Cause::SinkMisconfigured {
                code: "sink.no_table".into()
            }),
            Just(Cause::VerdictSkew),
            Just(Cause::Fenced),
            proptest::option::of(0..10_000_000_u64).prop_map(throttled),
        ]
    }

    proptest! {
        #[test]
        fn invariant_13_failures_never_exceed_the_budget_and_waits_spend_none(
            causes in proptest::collection::vec((any_cause(), any::<u64>()), 1..60),
        ) {
            let policy = RetryPolicy::default();
            let (mut state, mut now_us) = (RetryState::default(), NOW_US);
            let (mut tried, mut spent) = (0, 0);
            for (cause, bits) in causes {
                tried += u32::from(cause.scope() == Scope::Event);
                spent += u32::from(cause.spends_budget());
                match settle(&failed(cause), state, &policy, now_us, Draw(bits)) {
                    Settlement::Ack(_) => prop_assert!(false, "a failure is never an ack"),
                    Settlement::Hold(_) => {}
                    Settlement::Defer { due_at_us, state: next, .. } => {
                        (state, now_us) = (next, due_at_us);
                        prop_assert_eq!((state.attempts, state.failures), (tried, spent));
                        prop_assert!(state.failures < policy.failures_max);
                    }
                    Settlement::DeadLetter { destination, attempts, .. } => {
                        prop_assert_eq!(destination, Destination::Retry);
                        prop_assert_eq!((attempts, spent), (tried, policy.failures_max));
                        break;
                    }
                }
            }
        }

        #[test]
        fn invariant_17_a_valid_header_is_waited_for_and_never_beyond_the_ceiling(
            asked_ms in 0..10_000_000_u64, bits: u64, attempts in 0..20_u32,
        ) {
            let policy = RetryPolicy::default();
            let state = RetryState { attempts, ..RetryState::default() };
            let settlement = settle(&failed(throttled(Some(asked_ms))), state, &policy, NOW_US, Draw(bits));
            let Settlement::Defer { delay_ms, due_at_us, .. } = settlement else {
                return Err(TestCaseError::fail("not deferred"));
            };
            prop_assert!(delay_ms >= asked_ms.min(policy.retry_after_ms_max));
            prop_assert!(delay_ms <= policy.retry_after_ms_max.max(policy.cap_ms));
            prop_assert_eq!(due_at_us, NOW_US + 1_000 * i64::try_from(delay_ms).unwrap());
        }

        #[test]
        fn invariant_17_a_malformed_header_changes_nothing(bits: u64, attempts in 0..20_u32) {
            let policy = RetryPolicy::default();
            let state = RetryState { attempts, ..RetryState::default() };
            let with = settle(&failed(throttled(None)), state, &policy, NOW_US, Draw(bits));
            let bare = Cause::Throttled { code: "sink.throttled".into(), retry_after: None };
            prop_assert_eq!(with, settle(&failed(bare), state, &policy, NOW_US, Draw(bits)));
        }
    }

    #[test]
    fn invariant_18_deterministic_causes_reach_poison_at_the_first_attempt() {
        let violation = |class, stage, code: &'static str| {
            (
                Cause::Violation {
                    class,
                    stage,
                    code: code.into(),
                },
                class,
            )
        };
        for (cause, class) in [
            violation(FailureClass::SchemaViolation, Stage::Schema, "schema.type"),
            violation(
                FailureClass::CrsMismatch,
                Stage::CrsTransform,
                "crs_mismatch",
            ),
            violation(
                FailureClass::InvalidGeometry,
                Stage::TopologyValidation,
                "geometry.self_intersection",
            ),
            (Cause::NotAnEnvelope, FailureClass::SchemaViolation),
            (Cause::KeyReused, FailureClass::SchemaViolation),
            (Cause::PersistRejected, FailureClass::Unknown),
            (Cause::CrashLoop, FailureClass::Unknown),
            (Cause::BodyLost, FailureClass::Unknown),
            (Cause::BlobCorrupt, FailureClass::Unknown),
        ] {
            let code = cause.code();
            let stage = cause.stage();
            let settlement = settle(
                &failed(cause),
                RetryState::default(),
                &RetryPolicy::default(),
                NOW_US,
                Draw(1),
            );
            let expected = Settlement::DeadLetter {
                destination: Destination::Poison,
                class,
                stage,
                code,
                attempts: 1,
            };
            assert_eq!(settlement, expected);
        }
    }

    #[test]
    fn age_ends_what_spends_no_budget() {
        let policy = RetryPolicy::default();
        let first_us = NOW_US - 1_000 * i64::try_from(policy.age_ms_max).unwrap();
        let state = RetryState {
            attempts: 90,
            first_attempt_at_us: Some(first_us),
            ..RetryState::default()
        };
        let settlement = settle(&failed(throttled(Some(1))), state, &policy, NOW_US, Draw(0));
        assert!(matches!(
            settlement,
            Settlement::DeadLetter {
                destination: Destination::Retry,
                attempts: 91,
                ..
            }
        ));
    }

    #[test]
    fn every_outcome_is_acknowledged_as_it_is() {
        for outcome in Outcome::ALL {
            let settlement = settle(
                &Attempted::Ended(outcome),
                RetryState::default(),
                &RetryPolicy::default(),
                NOW_US,
                Draw(0),
            );
            assert_eq!(settlement, Settlement::Ack(outcome));
        }
    }
}
