//! The reader: one thread and one connection for everything that only looks. Each job sees
//! one snapshot, at least as new as every commit that was answered before it was sent.

use crate::connection::Database;
use crate::failure::ends_connection;
use crate::job::{Desk, Job, Message};
use hexlane_backend::{Code, Failure};
use rusqlite::Connection;
use std::sync::mpsc;

/// Starts a reader of a file that its writer has open.
pub(crate) fn start(database: Database, waiting_calls_max: usize) -> Result<Desk, Failure> {
    let connection = database.open_reader()?;
    let part = database.part;
    let (desk, receiver) = Desk::new(part, waiting_calls_max);
    let reader = Reader {
        database,
        connection: Some(connection),
        receiver,
    };
    std::thread::Builder::new()
        .name(format!("{part}-reader"))
        .spawn(move || reader.serve())
        .map_err(|error| Failure::new(part, Code::Unavailable).with_detail(error.to_string()))?;
    Ok(desk)
}

struct Reader {
    database: Database,
    connection: Option<Connection>,
    receiver: mpsc::Receiver<Message>,
}

impl Reader {
    fn serve(mut self) {
        while let Ok(message) = self.receiver.recv() {
            match message {
                Message::Job(job) => self.read(job),
                Message::Stop(reply) => {
                    drop(self.connection.take());
                    // Nobody waits for the end: it ended all the same.
                    drop(reply.send(Ok(())));
                    return;
                }
            }
        }
    }

    fn read(&mut self, mut job: Box<dyn Job>) {
        let connection = match self
            .connection
            .take()
            .map_or_else(|| self.database.open_reader(), Ok)
        {
            Ok(connection) => connection,
            Err(failure) => return job.answer(Err(failure)),
        };
        let read = self.snapshot(&connection, job.as_mut());
        if read
            .as_ref()
            .is_err_and(|failure| ends_connection(failure.code))
        {
            drop(connection);
        } else {
            self.connection = Some(connection);
        }
        job.answer(read);
    }

    fn snapshot(&self, connection: &Connection, job: &mut dyn Job) -> Result<(), Failure> {
        self.execute(connection, "BEGIN")?;
        let read = job.run(connection);
        self.execute(connection, "COMMIT")?;
        read
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
}
