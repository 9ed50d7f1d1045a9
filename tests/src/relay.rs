//! What stands between the Worker and the relay, and can break in every way a network
//! and a server can. Each request is treated by the mode of its moment.

use crate::http::{self, Response, read_request, write_response};
use crate::wait::{self, Deadline};
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The Worker gives the relay 15 s; silence lasts longer than that.
const SILENCE: Duration = Duration::from_secs(20);

/// What happens to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is passed on, and so is the answer.
    Pass,
    /// The connection is closed before the request is read.
    Away,
    /// The request is read and nothing comes back.
    Silent,
    /// It is passed on; the answer is lost on its way back.
    LoseAnswer,
    /// It is passed on; only so many bytes of the answer's body come back.
    CutAnswer(usize),
    /// Another answer comes back, and the request goes nowhere.
    Answer(Response),
}

impl Mode {
    /// Stands for the server behind a queue of workerd, and confirms each call.
    #[must_use]
    pub fn confirm() -> Self {
        let metrics = r#"{"backlogCount":0,"backlogBytes":0,"oldestMessageTimestamp":0}"#;
        Self::Answer(Response {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: format!(r#"{{"metadata":{{"metrics":{metrics}}}}}"#).into_bytes(),
        })
    }
}

#[derive(Debug)]
struct Shared {
    target: AtomicU16,
    mode: Mutex<Mode>,
    requests: AtomicU64,
    ended: AtomicBool,
}

/// The way to the relay.
#[derive(Debug)]
pub struct Relay {
    /// Where it listens.
    pub port: u16,
    shared: Arc<Shared>,
}

impl Relay {
    /// A way to that port, passing everything.
    ///
    /// # Panics
    /// When there is no port.
    #[must_use]
    pub fn to(target: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let port = listener.local_addr().expect("a bound socket").port();
        let shared = Arc::new(Shared {
            target: AtomicU16::new(target),
            mode: Mutex::new(Mode::Pass),
            requests: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                if inner.ended.load(Ordering::Acquire) {
                    break;
                }
                let inner = Arc::clone(&inner);
                thread::spawn(move || inner.serve(socket));
            }
        });
        Self { port, shared }
    }

    /// From now on requests are treated so.
    pub fn set(&self, mode: Mode) {
        *self
            .shared
            .mode
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = mode;
    }

    /// From now on requests are passed to that port.
    pub fn aim(&self, target: u16) {
        self.shared.target.store(target, Ordering::Release);
    }

    /// How many requests have come so far, whatever became of them.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Acquire)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
    }
}

impl Shared {
    fn mode(&self) -> Mode {
        self.mode
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Connections end as peers close them; an error ends one connection.
    fn serve(&self, socket: TcpStream) -> Option<()> {
        if self.mode() == Mode::Away {
            self.requests.fetch_add(1, Ordering::AcqRel);
            return None;
        }
        let mut writer = socket.try_clone().ok()?;
        let mut reader = BufReader::new(socket);
        while let Ok(Some(request)) = read_request(&mut reader) {
            self.requests.fetch_add(1, Ordering::AcqRel);
            let pass = || http::send(self.target.load(Ordering::Acquire), &request).ok();
            match self.mode() {
                Mode::Pass => write_response(&mut writer, &pass()?).ok()?,
                Mode::Away => return None,
                Mode::Silent => {
                    self.keep_silent();
                    return None;
                }
                Mode::LoseAnswer => {
                    pass();
                    return None;
                }
                Mode::CutAnswer(bytes) => return cut(&mut writer, pass()?, bytes).ok(),
                Mode::Answer(response) => write_response(&mut writer, &response).ok()?,
            }
        }
        Some(())
    }

    fn keep_silent(&self) {
        let deadline = Deadline::after(SILENCE);
        while !deadline.passed() && !self.ended.load(Ordering::Acquire) {
            wait::pause(Duration::from_millis(50));
        }
    }
}

fn cut(writer: &mut TcpStream, mut response: Response, bytes: usize) -> io::Result<()> {
    use std::io::Write as _;
    let whole = response.body.len();
    response.body.truncate(bytes);
    let mut head = Vec::new();
    write!(
        head,
        "HTTP/1.1 {} status\r\ncontent-length: {whole}\r\n\r\n",
        response.status
    )?;
    writer.write_all(&head)?;
    writer.write_all(&response.body)
}
