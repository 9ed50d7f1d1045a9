//! What is to be put on the queue, and the answer once the queue has spoken.

use crate::answer::Answer;
use crate::document;
use crate::large::{self, LargePayload};
use crate::prefer::Preferences;
use crate::problem::Problem;
use hexlane_core::Envelope;
use hexlane_core::judge::{Entry, Judged};

/// What a judged request comes to.
#[derive(Debug)]
pub enum Decision {
    /// An answer; nothing is enqueued.
    Answer(Answer),
    /// Envelopes; the answer waits for the queue.
    Enqueue(Enqueue),
}

/// What the queue said of one envelope, once it is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It is on the queue.
    New,
    /// It is on the queue or was in effect; its key and payload were known.
    Duplicate,
    /// Its key is known with another payload; it is not on the queue.
    Conflict,
}

/// Why the queue did not confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// The backlog is at its cap; nothing was taken.
    Backlog {
        /// When to come again.
        retry_after_s: u32,
    },
    /// It failed or did not answer: some may be on the queue and some not.
    Unclear {
        /// When to come again.
        retry_after_s: u32,
    },
}

/// Envelopes to put on the queue, in order.
#[derive(Debug)]
#[must_use = "an event that is not enqueued is lost, and its sender must be told"]
pub struct Enqueue {
    judged: Judged,
    preferences: Preferences,
    /// The refused body, where its source keeps it; last on the queue.
    quarantined: Option<Box<Envelope>>,
}

impl Enqueue {
    pub(crate) const fn new(
        judged: Judged,
        preferences: Preferences,
        quarantined: Option<Box<Envelope>>,
    ) -> Self {
        Self {
            judged,
            preferences,
            quarantined,
        }
    }

    /// The envelopes, in document order; what is quarantined comes last.
    pub fn envelopes(&self) -> impl Iterator<Item = &Envelope> {
        let events = self.judged.entries.iter().filter_map(|entry| match entry {
            Entry::Event(envelope) => Some(&**envelope),
            Entry::DuplicateOf(_) | Entry::Refused => None,
        });
        events.chain(self.quarantined.as_deref())
    }

    /// Takes the payloads out of the envelopes that are larger than the route carries. Each
    /// must be stored under its key, which is `key`'s to choose, before anything is enqueued.
    ///
    /// # Errors
    /// The answer, when an envelope is too large without its payload.
    pub fn take_large(
        &mut self,
        envelope_bytes_max: u64,
        mut key: impl FnMut() -> String,
    ) -> Result<Vec<LargePayload>, Answer> {
        let mut payloads = Vec::new();
        for (index, entry) in (0..).zip(&mut self.judged.entries) {
            let taken = match entry {
                Entry::Event(envelope) => {
                    large::take(envelope, index, envelope_bytes_max, &mut key)?
                }
                Entry::DuplicateOf(_) | Entry::Refused => None,
            };
            payloads.extend(taken);
        }
        if let Some(envelope) = &mut self.quarantined {
            payloads.extend(large::take(envelope, 0, envelope_bytes_max, &mut key)?);
        }
        Ok(payloads)
    }

    /// The answer, given what the queue said: one [`Enqueued`] an envelope, or why not.
    #[must_use]
    pub fn settle(self, said: Result<&[Enqueued], Unavailable>) -> Answer {
        let answers = match said {
            Ok(answers) if answers.len() == self.envelopes().count() => answers,
            // An answer of another length is no confirmation.
            Ok(_) => return Problem::QueueUnavailable { retry_after_s: 1 }.answer(),
            Err(Unavailable::Backlog { retry_after_s }) => {
                return Problem::Backlog { retry_after_s }.answer();
            }
            Err(Unavailable::Unclear { retry_after_s }) => {
                return Problem::QueueUnavailable { retry_after_s }.answer();
            }
        };
        self.settled(answers).preferring(&self.preferences)
    }

    fn settled(&self, answers: &[Enqueued]) -> Answer {
        let events = answers.len() - usize::from(self.quarantined.is_some());
        let (answers, kept) = answers.split_at(events);
        let reused = self.reused(answers);
        let good_left = self.preferences.lenient && reused.len() < answers.len();
        if kept.contains(&Enqueued::Conflict) {
            return Problem::KeyReused(self.judged.refused()).answer();
        }
        if !reused.is_empty() && !good_left {
            return Problem::KeyReused(reused).answer();
        }
        let conflicts: Vec<_> = reused.into_iter().map(document::key_reused).collect();
        let quarantined = self.quarantined.as_deref();
        let body = document::acceptance(&self.judged, answers, quarantined, &conflicts);
        Answer::json(202, "application/json", body).told(self.judged.report.totals())
    }

    /// The features whose key the queue knows with another payload.
    fn reused(&self, answers: &[Enqueued]) -> Vec<u32> {
        let events = (0..)
            .zip(&self.judged.entries)
            .filter(|(_, entry)| match entry {
                Entry::Event(_) => true,
                Entry::DuplicateOf(_) | Entry::Refused => false,
            });
        let conflicts = events
            .zip(answers)
            .filter(|(_, said)| **said == Enqueued::Conflict);
        conflicts.map(|((index, _), _)| index).collect()
    }
}
