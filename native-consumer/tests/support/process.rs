//! `hexlane run` as a child process.

use super::{hexlane, until};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

/// A running process; killed when dropped.
pub struct Running {
    child: Child,
    pub address: String,
    log: Option<JoinHandle<Vec<String>>>,
}

impl Running {
    /// Starts it on a free port and waits until it is ready.
    pub fn start(folder: &Path) -> Self {
        Self::of(hexlane(folder).args(["run", "--listen", "127.0.0.1:0"]))
    }

    /// Starts that command and waits until it is ready.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = Vec::new();
        let address = lines.by_ref().map(Result::unwrap).find_map(|line| {
            let address = address_of(&line);
            log.push(line);
            address
        });
        let address = address.expect("it ended before it was ready");
        // Read on, or the pipe fills; show it where a test fails.
        let log = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                eprintln!("{line}");
                log.push(line);
            }
            log
        });
        Self {
            child,
            address,
            log: Some(log),
        }
    }

    /// A request's status and document.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .write_all(self.head(method, path, body.len()).as_bytes())
            .unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        read_answer(stream)
    }

    /// The head of a request.
    pub fn head(&self, method: &str, path: &str, length: usize) -> String {
        let fixed = "connection: close\r\ncontent-type: application/geo+json";
        let host = &self.address;
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{fixed}\r\ncontent-length: {length}\r\n\r\n"
        )
    }

    /// The status document.
    pub fn status(&self) -> serde_json::Value {
        let (status, body) = self.ask("GET", "/v1/status", "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Waits until that many events were settled so.
    pub fn until_settled(&self, outcome: &str, events: u64) {
        until(&format!("{events} {outcome}"), || {
            self.status()["settled"][outcome] == events
        });
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args([format!("-{name}"), pid])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        until("the end of the process", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }

    /// Everything it logged, once it has ended.
    pub fn log(mut self) -> Vec<String> {
        self.wait();
        let log = self.log.take().expect("only this takes it");
        log.join().unwrap()
    }

    /// Waits until nobody listens any more.
    pub fn until_deaf(&self) {
        until("a closed port", || {
            TcpStream::connect(&self.address).is_err()
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Status and document of an answer.
pub fn read_answer(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

fn address_of(line: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let ready = line["message"] == "ready";
    ready.then(|| line["address"].as_str().unwrap().to_owned())
}
