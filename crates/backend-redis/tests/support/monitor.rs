//! Every command that a server runs, also from scripts, as `MONITOR` tells it.

use super::server::Server;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread::JoinHandle;

/// Listens from when it is made.
pub struct Monitor {
    stream: TcpStream,
    reader: JoinHandle<Vec<String>>,
}

impl Monitor {
    pub fn of(server: &Server) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "+OK");
        let reader = std::thread::spawn(move || lines.map_while(Result::ok).collect());
        Self { stream, reader }
    }

    /// The commands with their options, each once: words in capitals.
    pub fn finish(self, server: &Server) -> BTreeSet<String> {
        // What was sent before that is told before that.
        let _: redis::Value = server.ask(&["ECHO", "the end"]);
        self.stream.shutdown(std::net::Shutdown::Write).unwrap();
        stop_monitors(server);
        let lines = self.reader.join().unwrap();
        assert!(
            lines.iter().any(|line| line.contains("the end")),
            "the monitor heard everything"
        );
        let shapes = lines.iter().map(|line| shape(line));
        shapes.filter(|shape| shape != "ECHO").collect()
    }
}

fn stop_monitors(server: &Server) {
    let list: String = server.ask(&["CLIENT", "LIST"]);
    for client in list.lines().filter(|line| line.contains("flags=O")) {
        let id = client.split(' ').find_map(|word| word.strip_prefix("id="));
        let _: i64 = server.ask(&["CLIENT", "KILL", "ID", id.unwrap()]);
    }
}

/// `+17.3 [0 lua] "XADD" "spatial…" "*"` is `XADD`.
fn shape(line: &str) -> String {
    let words: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    let command = words.first().copied().unwrap_or_default().to_uppercase();
    let script = ["EVAL", "EVALSHA", "SCRIPT"].contains(&command.as_str());
    let mut parts = vec![command];
    for word in words.iter().skip(1).filter(|_| !script) {
        let capitals = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
        if word.len() > 1 && word.bytes().all(capitals) {
            parts.push((*word).to_owned());
        } else if word.starts_with('(') && word.ends_with(|last: char| last.is_ascii_digit()) {
            parts.push("(ID".to_owned());
        }
    }
    parts.join(" ")
}
