//! The bytes of a body as they arrive: a cap for each, a budget for all in flight.
//!
//! A chunked body declares no length, so bytes are counted as they come. Room is asked
//! for with `try_reserve`, so that a body that finds no memory is refused and not fatal.

use crate::answer::Answer;
use crate::problem::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that may be in flight at once, over all requests.
#[derive(Clone, Debug)]
pub struct Budget {
    left: Arc<AtomicU64>,
}

impl Budget {
    /// A budget of so many bytes.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self {
            left: Arc::new(AtomicU64::new(bytes_max)),
        }
    }

    fn take(&self, bytes: u64) -> bool {
        let taken = self
            .left
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| {
                left.checked_sub(bytes)
            });
        taken.is_ok()
    }

    fn give_back(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::AcqRel);
    }
}

/// One body.
#[derive(Debug)]
pub struct Meter {
    budget: Budget,
    held: u64,
    bytes_max: u64,
    declared: Option<u64>,
    body: Vec<u8>,
}

impl Meter {
    pub(crate) fn new(
        budget: &Budget,
        bytes_max: u64,
        declared: Option<u64>,
    ) -> Result<Self, Answer> {
        let mut meter = Self {
            budget: budget.clone(),
            held: 0,
            bytes_max,
            declared,
            body: Vec::new(),
        };
        if let Some(declared) = declared {
            meter.reserve(declared)?;
        }
        Ok(meter)
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// The answer, when there are too many or there is no room.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Answer> {
        let length = self.body.len() as u64 + chunk.len() as u64;
        if length > self.bytes_max {
            return Err(Problem::TooLarge {
                bytes_max: self.bytes_max,
            }
            .answer());
        }
        if length > self.held {
            self.reserve(length.saturating_mul(2).min(self.bytes_max).max(length))?;
        }
        self.body.extend_from_slice(chunk);
        Ok(())
    }

    /// What has arrived so far.
    #[must_use]
    pub fn arrived(&self) -> &[u8] {
        &self.body
    }

    /// The whole body.
    ///
    /// # Errors
    /// The answer, when it is shorter than its declared length.
    pub fn finish(&mut self) -> Result<&[u8], Answer> {
        match self.declared {
            Some(declared) if declared != self.body.len() as u64 => Err(Problem::BodyCut.answer()),
            Some(_) | None => Ok(&self.body),
        }
    }

    /// Room for so many bytes in all.
    fn reserve(&mut self, bytes: u64) -> Result<(), Answer> {
        let busy = || Problem::Busy.answer();
        let more = bytes.saturating_sub(self.held);
        if !self.budget.take(more) {
            return Err(busy());
        }
        self.held += more;
        let wanted = usize::try_from(bytes).map_err(|_| busy())?;
        let more = wanted.saturating_sub(self.body.len());
        self.body.try_reserve_exact(more).map_err(|_| busy())
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.budget.give_back(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_over_the_cap_is_stopped_at_the_cap() {
        let budget = Budget::new(1_000);
        let mut meter = Meter::new(&budget, 10, None).unwrap();
        assert!(meter.push(b"12345").is_ok());
        assert_eq!(meter.push(b"678901").unwrap_err().status, 413);
    }

    #[test]
    fn a_body_gives_its_bytes_back_when_it_is_done() {
        let budget = Budget::new(100);
        let first = Meter::new(&budget, 100, Some(80)).unwrap();
        assert_eq!(Meter::new(&budget, 100, Some(30)).unwrap_err().status, 503);
        drop(first);
        assert!(Meter::new(&budget, 100, Some(30)).is_ok());
    }

    #[test]
    fn a_body_shorter_than_declared_is_no_body() {
        let budget = Budget::new(100);
        let mut meter = Meter::new(&budget, 100, Some(4)).unwrap();
        meter.push(b"abc").unwrap();
        assert_eq!(meter.finish().unwrap_err().status, 400);
        meter.push(b"d").unwrap();
        assert_eq!(meter.finish().unwrap(), b"abcd");
    }
}
