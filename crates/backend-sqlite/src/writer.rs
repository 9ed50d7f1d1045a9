//! The writer: one thread, one connection, one transaction for many callers. A commit
//! costs an fsync whoever pays for it, so callers that come together share it.
//!
//! Each job has a savepoint: one that fails leaves nothing behind and does not disturb the
//! others. After a failure of the medium the group is rolled back, the connection is
//! closed, and the next job finds a fresh one whose file was checked.

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
    receiver: mpsc::Receiver<Message>,
    clock: Arc<dyn Clock>,
    before_commit: BeforeCommit,
    window: Duration,
    group_calls_max: usize,
    calls_in_last_group: usize,
    stopping: Option<oneshot::Sender<Result<(), Failure>>>,
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
        let connection = match self
            .connection
            .take()
            .map_or_else(|| self.database.reopen_writer(), Ok)
        {
            Ok(connection) => connection,
            Err(failure) => return first.answer(Err(failure)),
        };
        let mut jobs = Vec::new();
        let done = self.transact(&connection, first, &mut jobs);
        self.calls_in_last_group = jobs.len();
        if done
            .as_ref()
            .is_err_and(|failure| ends_connection(failure.code))
        {
            drop(connection);
        } else {
            self.connection = Some(connection);
        }
        for job in jobs {
            job.answer(done.clone());
        }
    }

    /// Begins, runs the jobs of one group, commits. Every job taken ends up in `jobs`.
    fn transact(
        &mut self,
        connection: &Connection,
        first: Box<dyn Job>,
        jobs: &mut Vec<Box<dyn Job>>,
    ) -> Result<(), Failure> {
        let begun = self.execute(connection, "BEGIN IMMEDIATE");
        let deadline = self.clock.monotonic().saturating_add(self.window);
        let mut next = Some(first);
        while let Some(mut job) = next {
            let ran = begun
                .clone()
                .and_then(|()| self.attempt(connection, job.as_mut()));
            jobs.push(job);
            if let Err(failure) = ran {
                self.roll_back(connection);
                return Err(failure);
            }
            next = self.joins(jobs.len(), deadline);
        }
        let committed = (self.before_commit)(connection)
            .map_err(|error| self.database.failure(&error))
            .and_then(|()| self.execute(connection, "COMMIT"));
        if committed.is_err() {
            self.roll_back(connection);
        }
        committed
    }

    /// Runs a job in its savepoint. An error ends the group; a job that failed for itself
    /// does not.
    fn attempt(&self, connection: &Connection, job: &mut dyn Job) -> Result<(), Failure> {
        self.execute(connection, "SAVEPOINT job")?;
        match job.run(connection) {
            Ok(()) => {}
            Err(failure) if ends_connection(failure.code) => return Err(failure),
            Err(_) => self.execute(connection, "ROLLBACK TO job")?,
        }
        self.execute(connection, "RELEASE job")
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
