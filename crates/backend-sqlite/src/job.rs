//! A job: work for a connection's thread, and the answer to whoever waits for it. The
//! caller's future may be dropped; the job is done all the same.

use crate::failure::Stop;
use hexlane_backend::{Code, Failure, Part, StoreError};
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Work for a connection's thread.
pub(crate) trait Job: Send {
    /// Does the work, again from the start when it was taken back. The failure says whether
    /// the connection can go on.
    fn run(&mut self, connection: &Connection) -> Result<(), Failure>;

    /// Answers: with what the work gave when it was committed, else with the failure.
    fn answer(self: Box<Self>, committed: Result<(), Failure>);
}

/// What a connection's thread is sent.
pub(crate) enum Message {
    /// Do that.
    Job(Box<dyn Job>),
    /// Close and say how it went.
    Stop(oneshot::Sender<Result<(), Failure>>),
}

struct Task<W, C, T> {
    part: Part,
    work: W,
    committed: C,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
    _room: OwnedSemaphorePermit,
}

impl<W, C, T> Job for Task<W, C, T>
where
    W: Fn(&Connection) -> Result<T, Stop> + Send,
    C: FnOnce(&T) + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), Failure> {
        let result = (self.work)(connection).map_err(|stop| stop.told(self.part));
        let failed = match &result {
            Ok(_) => Ok(()),
            Err(StoreError::Failed(failure)) => Err(failure.clone()),
            Err(StoreError::Fenced { .. }) => Err(Failure::new(self.part, Code::RowRefused)),
        };
        self.result = Some(result);
        failed
    }

    fn answer(self: Box<Self>, committed: Result<(), Failure>) {
        let answer = match (self.result, committed) {
            (Some(Ok(value)), Ok(())) => {
                (self.committed)(&value);
                Ok(value)
            }
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(_)) | None, Err(failure)) => Err(Failure {
                part: self.part,
                ..failure
            }
            .into()),
            (None, Ok(())) => Err(Failure::new(self.part, Code::Internal).into()),
        };
        // Nobody waits any more: the work is done all the same.
        drop(self.reply.send(answer));
    }
}

/// The way to a connection's thread.
#[derive(Debug)]
pub(crate) struct Desk {
    sender: Mutex<Option<mpsc::Sender<Message>>>,
    room: Arc<Semaphore>,
    part: Part,
}

impl Desk {
    /// A way in for at most that many waiting calls, and where they come out.
    pub(crate) fn new(part: Part, waiting_calls_max: usize) -> (Self, mpsc::Receiver<Message>) {
        let (sender, receiver) = mpsc::channel();
        let room = Arc::new(Semaphore::new(waiting_calls_max));
        (
            Self {
                sender: Mutex::new(Some(sender)),
                room,
                part,
            },
            receiver,
        )
    }

    /// Has work done and waits for its answer. It may be done more than once, each time on
    /// a database that knows nothing of the time before. `committed` runs on the thread,
    /// before the answer and also when nobody waits for it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        part: Part,
        work: impl Fn(&Connection) -> Result<T, Stop> + Send + 'static,
        committed: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = || Failure::new(part, Code::Stopped);
        let room = Arc::clone(&self.room)
            .acquire_owned()
            .await
            .map_err(|_| stopped())?;
        let (reply, answer) = oneshot::channel();
        let task = Task {
            part,
            work,
            committed,
            result: None,
            reply,
            _room: room,
        };
        self.send(Message::Job(Box::new(task)))
            .map_err(|()| stopped())?;
        // A thread that ended without an answer may have committed before.
        answer
            .await
            .map_err(|_| Failure::new(part, Code::AnswerLost))?
    }

    /// Ends the thread after everything that was sent before.
    pub(crate) async fn stop(&self) -> Result<(), Failure> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Message::Stop(reply));
        self.close();
        if sent.is_err() {
            return Ok(());
        }
        answer
            .await
            .map_err(|_| Failure::new(self.part, Code::AnswerLost))?
    }

    fn close(&self) {
        self.sender
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    fn send(&self, message: Message) -> Result<(), ()> {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        sender
            .as_ref()
            .map_or(Err(()), |sender| sender.send(message).map_err(drop))
    }
}
