//! Publishing: one script call a shard, all at once over one connection.

use super::Store;
use crate::failure::Trouble;
use futures_util::future::join_all;
use hexlane_backend::{Code, Failure, Part, Published, RawEntry};
use hexlane_core::Envelope;
use hexlane_streams::{Batch, Refusal, Terms, Unread, read_answer};

impl Store {
    pub(super) async fn put(&self, envelopes: &[Envelope]) -> Result<Vec<Published>, Failure> {
        let map = self.settings.layout.shard_map();
        let encoded = self.settings.limits.admit(envelopes, map)?;
        let pairs = envelopes.iter().zip(encoded);
        let layout = &self.settings.layout;
        let batches = self.publish.batches(layout, self.terms(), pairs);
        self.put_batches(&batches, envelopes.len()).await
    }

    pub(super) async fn put_raw(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        let layout = &self.settings.layout;
        self.settings
            .limits
            .admit_raw(&entries, layout.shard_map())?;
        let count = entries.len();
        let entries = entries.into_iter().map(|entry| (entry.shard, entry.bytes));
        let batches = self.publish.raw_batches(layout, self.terms(), entries);
        self.put_batches(&batches, count).await.map(drop)
    }

    fn terms(&self) -> Terms {
        let now_us = self.clock.now_us();
        Terms {
            now_us,
            keys_forgotten_before_us: self.settings.limits.keys_forgotten_before_us(now_us),
        }
    }

    async fn put_batches(
        &self,
        batches: &[Batch],
        entries: usize,
    ) -> Result<Vec<Published>, Failure> {
        let sent = batches.iter().map(|batch| self.put_batch(batch));
        let answers = join_all(sent).await;
        gather(batches, answers, entries)
    }

    /// Over `maxmemory` what is acked goes first, and then it is tried once more.
    async fn put_batch(&self, batch: &Batch) -> Result<Vec<Published>, Trouble> {
        match self.put_once(batch).await {
            Err(Trouble::Refused(Refusal::OutOfMemory)) => {
                let freed = self.trim.let_go(&self.tools(), &self.shards).await;
                if freed.is_err() {
                    return Err(Trouble::Refused(Refusal::OutOfMemory));
                }
                self.put_once(batch).await
            }
            answer => answer,
        }
    }

    async fn put_once(&self, batch: &Batch) -> Result<Vec<Published>, Trouble> {
        let answer = self.connection.call(&batch.call).await?;
        let words = read_answer(&answer, batch.positions.len()).map_err(|unread| match unread {
            Unread::Refused(refusal) => Trouble::Refused(refusal),
            Unread::Malformed(text) => Trouble::Malformed(text),
        })?;
        Ok(words.into_iter().map(told).collect())
    }
}

const fn told(word: hexlane_streams::Published) -> Published {
    match word {
        hexlane_streams::Published::Enqueued => Published::Enqueued,
        hexlane_streams::Published::Duplicate => Published::Duplicate,
        hexlane_streams::Published::Conflict => Published::Conflict,
    }
}

/// The answers in the order of the envelopes. When some shards have theirs and another
/// refused, what happened is in part: it is told as open, and publishing again is safe.
fn gather(
    batches: &[Batch],
    answers: Vec<Result<Vec<Published>, Trouble>>,
    envelopes: usize,
) -> Result<Vec<Published>, Failure> {
    let mut words = vec![Published::Enqueued; envelopes];
    let (mut failure, mut stored) = (None, false);
    for (batch, answer) in batches.iter().zip(answers) {
        match answer {
            Ok(told) => {
                stored = true;
                for (position, word) in batch.positions.iter().zip(told) {
                    if let Some(place) = words.get_mut(*position) {
                        *place = word;
                    }
                }
            }
            Err(trouble) => failure = failure.or(Some(trouble.failure())),
        }
    }
    match failure {
        None => Ok(words),
        Some(failure) if stored && !failure.may_have_happened() => {
            let told = format!("in part: {failure}");
            Err(Failure::new(Part::Queue, Code::AnswerLost).with_detail(told))
        }
        Some(failure) => Err(failure),
    }
}
