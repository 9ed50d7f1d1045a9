//! Cloudflare Queues, the sending side: which messages go in which call, and how often a
//! call is tried. The caller makes the calls and tells the time.
//!
//! One event is one message of content type `bytes`. A call takes 100 messages and 256,000
//! bytes, the platform's own metadata of each message counted in; a refused call takes
//! none of its messages, the calls before it stand.

use std::ops::Range;

/// Messages of one call.
pub const MESSAGES_MAX: usize = 100;
/// Bytes of one call, metadata included.
pub const CALL_BYTES_MAX: usize = 256_000;
/// What the platform adds to each message.
pub const METADATA_BYTES: usize = 100;
/// The largest envelope that fits a message. The platform takes 128,000 bytes.
pub const ENVELOPE_BYTES_MAX: u64 = 127_000;
/// The largest envelope unless a setting says otherwise: room for what the platform may
/// still add.
pub const ENVELOPE_BYTES_DEFAULT: u64 = 120_000;

/// For all calls of a request: its sender waits about 30 s, and is told well before.
const DEADLINE_MS: u64 = 12_000;
/// For one call.
const CALL_MS_MAX: u64 = 5_000;
/// Before a failed call is made again; then the request is given up.
const WAITS_MS: [u32; 2] = [50, 250];

/// Which messages go together, in order: each call within both limits. A message larger
/// than a call is alone in one, and refused there.
#[must_use]
pub fn calls(sizes: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut calls: Vec<Range<usize>> = Vec::new();
    let mut bytes = 0;
    for (at, size) in sizes.into_iter().enumerate() {
        let size = size.saturating_add(METADATA_BYTES);
        match calls.last_mut() {
            Some(call) if call.len() < MESSAGES_MAX && bytes + size <= CALL_BYTES_MAX => {
                call.end = at + 1;
                bytes += size;
            }
            Some(_) | None => {
                calls.push(at..at + 1);
                bytes = size;
            }
        }
    }
    calls
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Wait, then send these messages in one call, and give it so long.
    Call {
        /// Before the call.
        wait_ms: u32,
        /// For the call.
        within_ms: u32,
        /// Which messages.
        messages: Range<usize>,
    },
    /// Every call was confirmed.
    Done,
    /// A call failed too often, or time is up. Earlier calls stand.
    GiveUp,
}

/// The calls of one request, one after another.
#[derive(Clone, Debug)]
pub struct Sending {
    calls: Vec<Range<usize>>,
    done: usize,
    failures: usize,
    ends_at_ms: u64,
}

impl Sending {
    /// Messages of these sizes, from now on.
    #[must_use]
    pub fn new(sizes: impl IntoIterator<Item = usize>, now_ms: u64) -> Self {
        Self {
            calls: calls(sizes),
            done: 0,
            failures: 0,
            ends_at_ms: now_ms.saturating_add(DEADLINE_MS),
        }
    }

    /// What to do at that time.
    #[must_use]
    pub fn step(&self, now_ms: u64) -> Step {
        let Some(messages) = self.calls.get(self.done) else {
            return Step::Done;
        };
        let wait_ms = match self.failures {
            0 => Some(0),
            failed => WAITS_MS.get(failed - 1).copied(),
        };
        let left_ms = self.ends_at_ms.saturating_sub(now_ms);
        let within = |wait_ms| {
            let left_ms = left_ms.saturating_sub(u64::from(wait_ms)).min(CALL_MS_MAX);
            u32::try_from(left_ms).unwrap_or(u32::MAX)
        };
        match wait_ms {
            Some(wait_ms) if within(wait_ms) > 0 => Step::Call {
                wait_ms,
                within_ms: within(wait_ms),
                messages: messages.clone(),
            },
            Some(_) | None => Step::GiveUp,
        }
    }

    /// The call was confirmed, or was not: refused, or without an answer in time.
    pub const fn called(&mut self, confirmed: bool) {
        if confirmed {
            self.done += 1;
            self.failures = 0;
        } else {
            self.failures += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue that refuses some calls, by number from 1, and takes its time.
    struct FakeQueue {
        refused: fn(usize) -> bool,
        call_ms: u64,
        calls: usize,
        now_ms: u64,
        taken: Vec<usize>,
    }

    impl FakeQueue {
        fn new(refused: fn(usize) -> bool, call_ms: u64) -> Self {
            Self {
                refused,
                call_ms,
                calls: 0,
                now_ms: 1_000,
                taken: Vec::new(),
            }
        }

        /// Whether all of it was confirmed.
        fn send(&mut self, sizes: &[usize]) -> bool {
            let mut sending = Sending::new(sizes.iter().copied(), self.now_ms);
            loop {
                match sending.step(self.now_ms) {
                    Step::Done => return true,
                    Step::GiveUp => return false,
                    Step::Call {
                        wait_ms,
                        within_ms,
                        messages,
                    } => {
                        self.calls += 1;
                        self.now_ms += u64::from(wait_ms) + self.call_ms.min(u64::from(within_ms));
                        let confirmed =
                            !(self.refused)(self.calls) && self.call_ms <= u64::from(within_ms);
                        if confirmed {
                            self.taken.extend(messages);
                        }
                        sending.called(confirmed);
                    }
                }
            }
        }
    }

    #[test]
    fn every_call_is_within_both_limits_and_no_message_is_left_out() {
        let sizes: Vec<usize> = (0..1_000).map(|at| (at * 7_919) % 120_001).collect();
        let calls = calls(sizes.iter().copied());
        let all: Vec<usize> = calls.iter().cloned().flatten().collect();
        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
        for call in &calls {
            let bytes: usize = sizes[call.clone()].iter().map(|size| size + 100).sum();
            assert!(call.len() <= 100 && bytes <= 256_000, "{call:?} {bytes}");
        }
    }

    #[test]
    fn calls_are_as_full_as_they_may_be() {
        assert_eq!(calls([1; 201]), [0..100, 100..200, 200..201]);
        assert_eq!(calls([127_900, 127_900, 127_900]), [0..2, 2..3]);
        assert_eq!(calls([127_900, 127_901]), [0..1, 1..2]);
        assert_eq!(calls([]), []);
        assert_eq!(calls([300_000, 1]), [0..1, 1..2]);
    }

    #[test]
    fn a_call_that_fails_once_is_made_again_and_no_other() {
        let mut queue = FakeQueue::new(|call| call == 2, 10);
        assert!(queue.send(&[120_000; 6]));
        assert_eq!((queue.calls, queue.taken), (4, vec![0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn a_second_call_that_stays_refused_is_given_up_and_the_first_stands() {
        let mut queue = FakeQueue::new(|call| call > 1, 10);
        assert!(!queue.send(&[120_000; 6]));
        assert_eq!((queue.calls, queue.taken), (4, vec![0, 1]));
    }

    #[test]
    fn a_queue_that_does_not_answer_is_given_up_within_the_deadline() {
        let mut queue = FakeQueue::new(|_| false, u64::MAX);
        assert!(!queue.send(&[10; 3]));
        assert!(queue.now_ms - 1_000 <= DEADLINE_MS, "{}", queue.now_ms);
    }

    #[test]
    fn slow_calls_together_do_not_go_over_the_deadline() {
        let mut queue = FakeQueue::new(|_| false, 4_900);
        assert!(!queue.send(&[120_000; 10]));
        assert!(queue.now_ms - 1_000 <= DEADLINE_MS, "{}", queue.now_ms);
    }
}
