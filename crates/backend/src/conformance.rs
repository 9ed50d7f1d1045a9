//! The conformance suite: each function is a sentence that every backend makes true. A
//! backend gives a [`Fixture`] and calls [`conformance_suite!`](crate::conformance_suite)
//! in its tests.
//!
//! The sentences hold for any store behind the seams; none looks inside one. A fixture's
//! stores are empty at first, use the fixture's clock, [`Setup`], and one shard map.
#![allow(
    clippy::missing_panics_doc,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite says what failed by panicking"
)]

pub mod append;
pub mod dead_letters;
mod fixture;
pub mod hand_over;
pub mod leases;
pub mod publish;
pub mod sample;
pub mod sink;
pub mod tally;

pub use fixture::{Fixture, Setup};

/// Every sentence as a test of its own. Takes an expression that makes a fixture; its
/// crate needs tokio with `macros` and `rt`. A backend that is a queue alone says
/// `queue` before it: sentences about other stores would start its server for nothing.
#[macro_export]
macro_rules! conformance_suite {
    (queue $make:expr) => {
        $crate::conformance_suite! { @run $make;
            publish {
                an_answered_publish_survives_a_crash
                a_key_seen_before_is_a_duplicate_and_still_enqueued
                a_key_with_another_payload_is_a_conflict_and_not_enqueued
                a_key_is_scoped_by_its_source
                a_key_is_known_after_ack_until_its_retention_ends
                a_key_of_a_waiting_entry_is_never_forgotten
                nothing_published_is_nothing_answered
                an_envelope_over_the_limit_is_refused_whole_call
                too_many_envelopes_are_refused
                an_envelope_of_another_shard_map_is_refused
                the_bell_rings_for_what_was_published
                the_backlog_counts_what_is_not_acked
                asking_whether_events_would_be_taken_changes_nothing
            }
            append {
                appended_bytes_come_as_they_are_over_a_crash
                an_appended_event_asks_for_no_key_and_leaves_none
                an_append_over_a_limit_is_refused_whole_call
                the_bell_rings_for_what_was_appended
            }
            hand_over {
                entries_of_a_shard_come_in_order_and_of_no_other
                an_entry_is_handed_out_once_per_epoch
                pending_comes_before_new
                the_next_epoch_gets_what_was_not_acked
                a_credit_bounds_events_and_bytes
                the_first_entry_comes_whatever_its_size
                an_acked_entry_never_comes_again
                acking_again_changes_nothing
                a_receipt_that_is_not_the_queues_settles_nothing
                a_deferred_entry_keeps_its_place_and_its_state_over_a_crash
                a_deferred_delivery_is_in_hand_again
                an_old_epoch_cannot_fetch_or_settle
                settling_nothing_is_fine
                an_ack_needs_the_proof_of_the_same_key
            }
        }
    };
    ($make:expr) => {
        $crate::conformance_suite! { queue $make }
        $crate::conformance_suite! { @run $make;
            leases {
                an_epoch_only_grows
                a_held_shard_is_not_given_to_another
                an_ended_lease_can_be_taken
                an_ended_lease_that_nobody_took_is_renewed
                a_renewed_lease_keeps_its_epoch
                a_released_shard_is_free_at_once
                an_old_holder_is_fenced
                an_epoch_survives_a_crash
            }
            sink {
                an_effect_lands_once
                a_newer_version_wins_whatever_the_order
                a_stale_effect_is_claimed
                a_key_twice_in_one_batch_lands_once
                an_entity_twice_in_one_batch_ends_at_the_newest
                a_reused_key_is_a_conflict_and_the_rest_lands
                a_tombstone_beats_a_late_update
                a_delete_of_an_unknown_entity_leaves_a_tombstone
                a_deleted_entity_comes_back_with_a_newer_version
                the_same_entity_of_two_sources_are_two
                a_null_geometry_lands
                what_was_joined_is_stored_and_read_back
                a_refused_row_leaves_nothing_of_its_batch
                an_old_epoch_lands_nothing
                no_effects_give_no_answers
                lookup_says_what_landed
                claims_survive_a_crash
            }
            dead_letters {
                a_dead_letter_keeps_every_byte_over_a_crash
                recording_again_is_one_record
                bytes_that_are_no_envelope_are_kept
                a_later_delivery_of_a_dead_key_lands_and_closes_the_record_once
                a_stale_replay_closes_the_record_too
                an_event_that_had_its_effect_is_not_dead
                a_conflict_is_recorded_and_the_claim_stays
                an_old_epoch_records_nothing
                open_records_are_counted_by_destination_and_class
                no_letters_give_no_answers
            }
            tally {
                every_end_is_counted_by_its_outcome
                what_did_not_commit_is_not_counted
                looking_up_counts_nothing
                a_dead_letter_counts_once_for_each_delivery
                a_dead_event_that_lands_later_is_two_ends
                counts_survive_a_crash
            }
        }
    };
    (@run $make:expr; $($module:ident { $($name:ident)* })*) => {
        $(mod $module {
            $(
                #[::tokio::test]
                async fn $name() {
                    $crate::conformance::$module::$name($make).await;
                }
            )*
        })*
    };
}
