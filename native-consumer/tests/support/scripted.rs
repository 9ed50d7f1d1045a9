//! A server that answers by a script, one request a connection, and keeps what it got.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// What to do with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Status, extra header lines, document.
    Answer(u16, &'static str, String),
    /// Close without a word.
    Close,
}

/// A request as received.
#[derive(Clone, Debug)]
pub struct Received {
    pub head: String,
    pub body: String,
}

impl Received {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known
                .eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        })
    }
}

/// The server.
pub struct Scripted {
    pub url: String,
    received: Receiver<Received>,
}

impl Scripted {
    /// Answers the n-th request with the n-th reply; then it is gone.
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/events/demo", listener.local_addr().unwrap());
        let (sender, received) = channel();
        std::thread::spawn(move || {
            for reply in replies {
                let (stream, _) = listener.accept().unwrap();
                sender.send(answer(stream, &reply)).unwrap();
            }
        });
        Self { url, received }
    }

    /// Everything it got.
    pub fn received(self) -> Vec<Received> {
        self.received.iter().collect()
    }
}

fn answer(stream: TcpStream, reply: &Reply) -> Received {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "cut: {head}");
    }
    let received = Received {
        head,
        body: String::new(),
    };
    let length = received.header("content-length").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    if let Reply::Answer(status, headers, document) = reply {
        let length = document.len();
        let head =
            format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n");
        let mut stream = reader.into_inner();
        stream
            .write_all(format!("{head}{headers}\r\n{document}").as_bytes())
            .unwrap();
    }
    Received {
        body: String::from_utf8(body).unwrap(),
        ..received
    }
}
