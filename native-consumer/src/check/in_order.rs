//! Work done by several threads and taken in the order it was given.
//!
//! No more than some results wait for their turn, so that memory does not grow with the
//! number of items. When taking fails, what has not begun is left.

use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Results for each thread that may wait: a large item holds up those behind it that long.
const AHEAD: usize = 4;

/// Does the work for each item and takes the results in the order of the items.
///
/// # Errors
/// Whatever taking gives first; also when a thread ended without a result.
pub(super) fn each<I: Sync, O: Send>(
    items: &[I],
    jobs: Option<NonZeroUsize>,
    work: impl Fn(&I) -> O + Sync,
    mut take: impl FnMut(&I, O) -> io::Result<()>,
) -> io::Result<()> {
    let jobs = jobs.or_else(|| thread::available_parallelism().ok());
    let jobs = jobs.map_or(1, NonZeroUsize::get).min(items.len());
    if jobs <= 1 {
        return items.iter().try_for_each(|item| take(item, work(item)));
    }
    let stopped = AtomicBool::new(false);
    let (orders, waiting) = mpsc::channel::<Order<'_, I, O>>();
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        let begun = (0..jobs).map_while(|_| {
            let run = || run(&waiting, &stopped, &work);
            thread::Builder::new().spawn_scoped(scope, run).ok()
        });
        let taken = if begun.count() == 0 {
            // The system gives no threads: this one does it.
            items.iter().try_for_each(|item| take(item, work(item)))
        } else {
            take_all(items, jobs * AHEAD, &orders, &mut take)
        };
        stopped.store(true, Ordering::Relaxed);
        drop(orders);
        taken
    })
}

/// An item, and where its result goes.
struct Order<'a, I, O> {
    item: &'a I,
    result: Sender<O>,
}

fn run<I, O>(
    waiting: &Mutex<Receiver<Order<'_, I, O>>>,
    stopped: &AtomicBool,
    work: &impl Fn(&I) -> O,
) {
    loop {
        let order = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(Order { item, result }) = order else {
            return;
        };
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        // Nobody waits for it any more when taking failed.
        drop(result.send(work(item)));
    }
}

fn take_all<'a, I, O>(
    items: &'a [I],
    ahead: usize,
    orders: &Sender<Order<'a, I, O>>,
    take: &mut impl FnMut(&I, O) -> io::Result<()>,
) -> io::Result<()> {
    let mut results = VecDeque::new();
    let mut left = items.iter();
    loop {
        for item in left.by_ref().take(ahead - results.len()) {
            let (result, ready) = mpsc::channel();
            results.push_back((item, ready));
            orders.send(Order { item, result }).map_err(|_| ended())?;
        }
        let Some((item, ready)) = results.pop_front() else {
            return Ok(());
        };
        take(item, ready.recv().map_err(|_| ended())?)?;
    }
}

fn ended() -> io::Error {
    io::Error::other("a thread ended without its result")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    fn jobs(number: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(number)
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1_000).collect();
        for number in [1, 2, 7, 5_000] {
            let mut taken = Vec::new();
            let take = |item: &usize, result: usize| {
                assert_eq!(result, item * 2);
                taken.push(*item);
                Ok(())
            };
            each(&items, jobs(number), |item| item * 2, take).unwrap();
            assert_eq!(taken, items);
        }
        each(&[], None, |_: &usize| (), |_, ()| Ok(())).unwrap();
    }

    #[test]
    fn as_many_items_as_jobs_are_worked_on_at_once() {
        let together = Barrier::new(3);
        // Without three threads this waits for ever.
        let work = |_: &usize| together.wait().is_leader();
        let mut leaders = 0;
        let take = |_: &usize, leader| {
            leaders += usize::from(leader);
            Ok(())
        };
        each(&[1, 2, 3], jobs(3), work, take).unwrap();
        assert_eq!(leaders, 1);
    }

    #[test]
    fn no_more_results_wait_than_there_is_room_for_and_a_failure_ends_it() {
        let begun = AtomicUsize::new(0);
        let items: Vec<usize> = (0..10_000).collect();
        let work = |_: &usize| begun.fetch_add(1, Ordering::Relaxed);
        let taken = each(&items, jobs(2), work, |item, _| match item {
            5 => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Ok(()),
        });
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert!(begun.load(Ordering::Relaxed) <= 6 + 2 * AHEAD);
    }
}
