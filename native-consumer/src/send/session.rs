//! All batches of a file, a few at once, each followed to its end.
//!
//! The door judges a collection all or nothing. So when it names the features to blame, the
//! rest is sent again without them; when it refuses and names none, the batch is halved
//! until the feature to blame stands alone.

use super::answer::{Blame, Fault, Told};
use super::batch::Batch;
use super::courier::Courier;
use super::progress;
use super::summary::Summary;
use crate::output;
use indicatif::ProgressBar;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Sends batches.
#[derive(Debug)]
pub(super) struct Session {
    courier: Courier,
    concurrency: usize,
}

/// What the requests share.
struct Shared {
    courier: Courier,
    summary: Mutex<Summary>,
    /// Why nothing more is sent.
    closed: Mutex<Option<Fault>>,
    bar: ProgressBar,
}

impl Session {
    pub(super) const fn new(courier: Courier, concurrency: usize) -> Self {
        Self {
            courier,
            concurrency,
        }
    }

    /// Sends them all.
    ///
    /// # Errors
    /// When there is nothing to run on.
    pub(super) fn run(self, batches: Vec<Batch>) -> Result<Summary, String> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let features: usize = batches.iter().map(Batch::len).sum();
        let shared = Arc::new(Shared {
            courier: self.courier,
            summary: Mutex::default(),
            closed: Mutex::default(),
            bar: progress::bar(features as u64),
        });
        runtime.block_on(send_all(&shared, batches, self.concurrency));
        shared.bar.finish_and_clear();
        let mut summary = shared
            .summary
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut summary))
    }
}

async fn send_all(shared: &Arc<Shared>, batches: Vec<Batch>, concurrency: usize) {
    let slots = Arc::new(Semaphore::new(concurrency));
    let mut requests = JoinSet::new();
    for batch in batches {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        let shared = Arc::clone(shared);
        requests.spawn(async move {
            shared.send(batch).await;
            drop(slot);
        });
    }
    drop(requests.join_all().await);
}

impl Shared {
    /// Follows a batch and what comes of it, in order.
    async fn send(&self, batch: Batch) {
        let mut stack = vec![batch];
        while let Some(batch) = stack.pop() {
            if let Some(fault) = self.closed() {
                self.note(|summary| summary.fail(batch.len(), &fault));
                continue;
            }
            match self.courier.carry(&batch).await {
                Ok(Told::Accepted { duplicates }) => {
                    self.note(|summary| summary.accept(batch.len(), duplicates));
                }
                Ok(Told::Refused(blame)) => stack.extend(self.part(&batch, &blame)),
                Ok(Told::RefusedWhole(fault)) => match batch.halves() {
                    Some([first, second]) => stack.extend([second, first]),
                    None => self.note(|summary| {
                        let numbers = batch.numbers();
                        numbers.for_each(|number| summary.refuse(number, &fault));
                    }),
                },
                Ok(Told::Closed(fault)) | Err(fault) => self.close(&batch, fault),
            }
        }
    }

    /// What is to be sent of a batch after the features to blame were named, the next one
    /// last: those refused without a reason, to learn it, and before them the good ones.
    fn part(&self, batch: &Batch, blame: &Blame) -> impl Iterator<Item = Batch> {
        self.note(|summary| {
            for (index, fault) in &blame.named {
                summary.refuse(batch.number(*index).unwrap_or(*index), fault);
            }
        });
        let unexplained = batch.only(|index| blame.unexplained.contains(&index));
        let good = batch
            .only(|index| !blame.named.contains_key(&index) && !blame.unexplained.contains(&index));
        if let Some(good) = &good {
            let (refused, all) = (batch.len() - good.len(), batch.len());
            self.say(&format!(
                "{refused} of {all} features refused; sending the other {} again without them",
                good.len()
            ));
        }
        unexplained.into_iter().chain(good)
    }

    /// The door takes nothing, or cannot be reached: nothing more is sent.
    fn close(&self, batch: &Batch, fault: Fault) {
        self.say(&format!("not sent: {}: {}", fault.code, fault.message));
        self.note(|summary| summary.fail(batch.len(), &fault));
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    fn closed(&self) -> Option<Fault> {
        self.closed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn note(&self, change: impl FnOnce(&mut Summary)) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut summary);
        self.bar.set_position(summary.done());
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| output::complain(line));
    }
}
