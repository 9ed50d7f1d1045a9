//! The writer: one thread, one connection, one transaction for many callers. A commit
//! costs an fsync whoever pays for it, so callers that come together share it.
//!
//! A job that fails leaves nothing behind and does not disturb the others: when it had
//! changed something, the group is rolled back and the others run again. A savepoint a job
//! would do the same, but with one open SQLite keeps a copy of every page that a statement
//! changes, and that cost more than the changes. After a failure of the medium the group is
//! rolled back, the connection is closed, and the next job finds a fresh one whose file was
//! checked.

use crate::connection::Database;
use crate::failure::ends_connection;
use crate::job::{Desk, Job, Message};
use crate::settings::Settings;
use hexlane_backend::{Clock, Code, Failure};
use rusqlite::Connection;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// Runs before each commit, inside the transaction.
pub(crate) type BeforeCommit = Box<dyn FnMut(&Connection) -> rusqlite::Result<()> + Send>;

/// Opens the file and starts its writer.
pub(crate) fn start(
    database: Database,
    settings: &Settings,
    clock: Arc<dyn Clock>,
    before_commit: BeforeCommit,
) -> Result<Desk, Failure> {
    let connection = database.open_writer()?;
    let part = database.part;
    let (desk, receiver) = Desk::new(part, settings.waiting_calls_max);
    let writer = Writer {
        database,
        connection: Some(connection),
        ended_by: None,
        receiver,
        clock,
        before_commit,
        window: Duration::from_millis(settings.group_commit_ms),
        group_calls_max: settings.group_calls_max.max(1),
        calls_in_last_group: 0,
        stopping: None,
    };
    std::thread::Builder::new()
        .name(format!("{part}-writer"))
        .spawn(move || writer.serve())
        .map_err(|error| Failure::new(part, Code::Unavailable).with_detail(error.to_string()))?;
    Ok(desk)
}

struct Writer {
    database: Database,
    connection: Option<Connection>,
    /// Why the connection before this one was closed.
    ended_by: Option<Code>,
    receiver: mpsc::Receiver<Message>,
    clock: Arc<dyn Clock>,
    before_commit: BeforeCommit,
    window: Duration,
    group_calls_max: usize,
    calls_in_last_group: usize,
    stopping: Option<oneshot::Sender<Result<(), Failure>>>,
}

/// Jobs of one transaction: those whose work stands in it, and those that failed, each for
/// itself.
#[derive(Default)]
struct Group {
    done: Vec<Box<dyn Job>>,
    failed: Vec<Box<dyn Job>>,
}

impl Group {
    fn len(&self) -> usize {
        self.done.len().saturating_add(self.failed.len())
    }
}

impl Writer {
    fn serve(mut self) {
        while self.stopping.is_none() {
            match self.receiver.recv() {
                Ok(Message::Job(job)) => self.group(job),
                Ok(Message::Stop(reply)) => self.stopping = Some(reply),
                // Every handle is gone without a stop: the file is whole as it stands.
                Err(mpsc::RecvError) => return,
            }
        }
        let closed = self
            .connection
            .take()
            .map_or(Ok(()), |connection| self.database.close_alone(connection));
        if let Some(reply) = self.stopping.take() {
            // Nobody waits for the end: it ended all the same.
            drop(reply.send(closed));
        }
    }

    fn group(&mut self, first: Box<dyn Job>) {
        let connection = match self.connection.take().map_or_else(|| self.reopen(), Ok) {
            Ok(connection) => connection,
            Err(failure) => return first.answer(Err(failure)),
        };
        let mut group = Group::default();
        let done = self.transact(&connection, first, &mut group);
        self.calls_in_last_group = group.len();
        self.ended_by = done
            .as_ref()
            .err()
            .map(|failure| failure.code)
            .filter(|code| ends_connection(*code));
        if self.ended_by.is_none() {
            self.connection = Some(connection);
        }
        for job in group.done.into_iter().chain(group.failed) {
            job.answer(done.clone());
        }
    }

    /// A fresh connection. The file is checked, except after a full disk: that tore
    /// nothing, and lasts, and the check reads every page.
    fn reopen(&self) -> Result<Connection, Failure> {
        match self.ended_by {
            Some(Code::DiskFull) => self.database.open_writer(),
            Some(_) | None => self.database.reopen_writer(),
        }
    }

    /// Begins, runs the jobs of one group, commits. Every job taken ends up in the group.
    fn transact(
        &mut self,
        connection: &Connection,
        first: Box<dyn Job>,
        group: &mut Group,
    ) -> Result<(), Failure> {
        let committed = self.run_group(connection, first, group).and_then(|()| {
            (self.before_commit)(connection).map_err(|error| self.database.failure(&error))?;
            self.execute(connection, "COMMIT")
        });
        if committed.is_err() {
            self.roll_back(connection);
        }
        committed
    }

    fn run_group(
        &mut self,
        connection: &Connection,
        first: Box<dyn Job>,
        group: &mut Group,
    ) -> Result<(), Failure> {
        let begun = self.execute(connection, "BEGIN IMMEDIATE");
        let deadline = self.clock.monotonic().saturating_add(self.window);
        let mut next = Some(first);
        while let Some(job) = next {
            group.done.push(job);
            begun.clone()?;
            self.run_last(connection, group)?;
            next = self.joins(group.len(), deadline);
        }
        Ok(())
    }

    /// Runs the last job of the group. An error ends the group; a job that failed for itself
    /// does not.
    fn run_last(&self, connection: &Connection, group: &mut Group) -> Result<(), Failure> {
        let mut from = group.done.len().saturating_sub(1);
        while let Some(job) = group.done.get_mut(from) {
            let before = connection.total_changes();
            match job.run(connection) {
                Ok(()) => from += 1,
                Err(failure) if ends_connection(failure.code) => return Err(failure),
                // SQLite took the group back by itself.
                Err(failure) if connection.is_autocommit() => return Err(failure),
                Err(_) => {
                    group.failed.push(group.done.remove(from));
                    if connection.total_changes() != before {
                        self.execute(connection, "ROLLBACK")?;
                        self.execute(connection, "BEGIN IMMEDIATE")?;
                        from = 0;
                    }
                }
            }
        }
        Ok(())
    }

    /// The next job of this group: what waits already, and, when callers come in numbers,
    /// what comes within the window.
    fn joins(&mut self, jobs: usize, deadline: Duration) -> Option<Box<dyn Job>> {
        if jobs >= self.group_calls_max {
            return None;
        }
        let left = deadline.saturating_sub(self.clock.monotonic());
        let wait = if self.calls_in_last_group > 1 {
            left
        } else {
            Duration::ZERO
        };
        match self.receiver.recv_timeout(wait) {
            Ok(Message::Job(job)) => Some(job),
            Ok(Message::Stop(reply)) => {
                self.stopping = Some(reply);
                None
            }
            Err(mpsc::RecvTimeoutError::Timeout | mpsc::RecvTimeoutError::Disconnected) => None,
        }
    }

    fn execute(&self, connection: &Connection, sql: &str) -> Result<(), Failure> {
        let mut statement = connection
            .prepare_cached(sql)
            .map_err(|error| self.database.failure(&error))?;
        statement
            .execute([])
            .map(drop)
            .map_err(|error| self.database.failure(&error))
    }

    fn roll_back(&self, connection: &Connection) {
        // SQLite may have rolled back by itself; saying it again is an error without harm.
        drop(self.execute(connection, "ROLLBACK"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Stop;
    use hexlane_backend::clock::ManualClock;
    use hexlane_backend::{Part, StoreError};
    use rusqlite::ffi;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Bench {
        desk: Desk,
        opened: Arc<AtomicUsize>,
        commits: Arc<AtomicUsize>,
        _dir: tempfile::TempDir,
    }

    fn bench() -> Bench {
        let dir = tempfile::tempdir().unwrap();
        let (opened, commits) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, committed) = (Arc::clone(&opened), Arc::clone(&commits));
        let database = Database {
            part: Part::Queue,
            path: dir.path().join("a.db"),
            functions: |_| Ok(()),
            prepare: Arc::new(move |connection| {
                counted.fetch_add(1, Ordering::SeqCst);
                connection
                    .execute_batch("CREATE TABLE IF NOT EXISTS t (x UNIQUE)")
                    .unwrap();
                Ok(())
            }),
        };
        let count = Box::new(move |_: &Connection| {
            committed.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let settings = Settings::in_folder(dir.path());
        let clock = Arc::new(ManualClock::default());
        let desk = start(database, &settings, clock, count).unwrap();
        Bench {
            desk,
            opened,
            commits,
            _dir: dir,
        }
    }

    impl Bench {
        async fn insert(&self, number: i64) -> Result<(), StoreError> {
            let work = move |connection: &Connection| {
                connection.execute("INSERT INTO t VALUES (?1)", [number])?;
                Ok(())
            };
            self.desk.run(Part::Queue, work, |()| {}).await
        }

        /// Inserts, then meets that result code.
        async fn insert_and_fail(&self, number: i64, result_code: i32) -> Failure {
            let work = move |connection: &Connection| -> Result<(), Stop> {
                connection.execute("INSERT INTO t VALUES (?1)", [number])?;
                Err(rusqlite::Error::SqliteFailure(ffi::Error::new(result_code), None).into())
            };
            match self.desk.run(Part::Queue, work, |()| {}).await {
                Err(StoreError::Failed(failure)) => failure,
                other => panic!("a failure was expected: {other:?}"),
            }
        }

        async fn stored(&self) -> Vec<i64> {
            let work = |connection: &Connection| {
                let mut statement = connection.prepare("SELECT x FROM t ORDER BY x")?;
                let rows = statement.query_map([], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<_>>()?)
            };
            self.desk.run(Part::Queue, work, |_| {}).await.unwrap()
        }
    }

    #[tokio::test]
    async fn callers_that_come_together_share_commits() {
        let bench = Arc::new(bench());
        let callers = (0..200).map(|number| {
            let bench = Arc::clone(&bench);
            tokio::spawn(async move { bench.insert(number).await })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap().unwrap();
        }
        assert_eq!(bench.stored().await.len(), 200);
        let commits = bench.commits.load(Ordering::SeqCst);
        assert!(commits < 100, "{commits} commits for 200 callers");
    }

    #[tokio::test]
    async fn a_job_that_fails_leaves_nothing_and_disturbs_nobody() {
        let bench = bench();
        bench.insert(1).await.unwrap();
        let (good, again, more) = tokio::join!(bench.insert(2), bench.insert(1), bench.insert(3));
        assert!(good.is_ok() && more.is_ok());
        let Err(StoreError::Failed(failure)) = again else {
            panic!("{again:?}")
        };
        assert_eq!(failure.code, Code::RowRefused);
        let half_done = bench.insert_and_fail(4, ffi::SQLITE_CONSTRAINT).await;
        assert_eq!(half_done.code, Code::RowRefused);
        assert_eq!(bench.stored().await, [1, 2, 3]);
        assert_eq!(bench.opened.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn what_a_failed_job_had_changed_is_taken_back_from_among_the_others() {
        let bench = bench();
        // Two came together, so that the writer waits for the next ones.
        let _together = tokio::join!(bench.insert(1), bench.insert(2));
        let before = bench.commits.load(Ordering::SeqCst);
        let (a, failed, b, again, c) = tokio::join!(
            bench.insert(3),
            bench.insert_and_fail(4, ffi::SQLITE_CONSTRAINT),
            bench.insert(5),
            bench.insert_and_fail(6, ffi::SQLITE_CONSTRAINT),
            bench.insert(7),
        );
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
        assert_eq!([failed.code, again.code], [Code::RowRefused; 2]);
        assert_eq!(bench.stored().await, [1, 2, 3, 5, 7]);
        let commits = bench.commits.load(Ordering::SeqCst) - before;
        assert!(commits < 5, "{commits} commits: they did not come together");
    }

    #[tokio::test]
    async fn after_a_failure_of_the_medium_the_connection_is_another() {
        let bench = bench();
        bench.insert(1).await.unwrap();
        for (result_code, code) in [
            (ffi::SQLITE_IOERR_FSYNC, Code::Io),
            (ffi::SQLITE_FULL, Code::DiskFull),
        ] {
            let before = bench.opened.load(Ordering::SeqCst);
            assert_eq!(bench.insert_and_fail(7, result_code).await.code, code);
            assert_eq!(bench.stored().await, [1], "rolled back");
            assert_eq!(bench.opened.load(Ordering::SeqCst), before + 1);
        }
        bench.insert(2).await.unwrap();
        assert_eq!(bench.stored().await, [1, 2]);
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_takes_nothing_with_it() {
        let bench = bench();
        {
            let mut waiting = std::pin::pin!(bench.insert(1));
            let polled = std::future::poll_fn(|context| {
                std::task::Poll::Ready(waiting.as_mut().poll(context).is_ready())
            });
            let _answered = polled.await;
        }
        assert_eq!(bench.stored().await, [1]);
    }
}
