//! Enough HTTP/1.1 to probe a port and to load one: a kept connection, one request at a time.
//!
//! It reads the status and skips the rest of the answer. No TLS, no redirects, no
//! compression, loopback only; a client library would be most of xtask's tree.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

/// No answer of a program under test takes longer than this, or it counts as none.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// An answer's body beyond this is not one of ours.
const BODY_BYTES_MAX: u64 = 16 << 20;

/// A kept connection to a port of this machine.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
    body: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(port: u16) -> io::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, port).into();
        let stream = TcpStream::connect_timeout(&address, ANSWER_LIMIT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        stream.set_write_timeout(Some(ANSWER_LIMIT))?;
        Ok(Self {
            stream: BufReader::new(stream),
            line: String::new(),
            body: Vec::new(),
        })
    }

    /// Sends the bytes of one request and gives the status of the answer.
    pub(crate) fn ask(&mut self, request: &[u8]) -> io::Result<u16> {
        self.send(request)?;
        self.receive()
    }

    /// Sends the bytes of one request.
    pub(crate) fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(request)
    }

    /// Waits for the answer to the request sent last, and gives its status.
    pub(crate) fn receive(&mut self) -> io::Result<u16> {
        let status = self
            .read_line()?
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        let length = self.read_headers()?;
        match length {
            Some(length) => self.skip(length)?,
            None => self.skip_chunks()?,
        }
        Ok(status)
    }

    /// To wait until an answer begins to arrive. Nothing of it is in a buffer before that:
    /// answers come one at a time.
    pub(crate) fn socket(&self) -> &TcpStream {
        self.stream.get_ref()
    }

    fn read_line(&mut self) -> io::Result<&str> {
        self.line.clear();
        if self.stream.read_line(&mut self.line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(self.line.trim_end())
    }

    /// The length of the body, or none where it comes in chunks.
    fn read_headers(&mut self) -> io::Result<Option<u64>> {
        let mut length = Some(0);
        loop {
            let line = self.read_line()?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok(length);
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok();
            } else if line.starts_with("transfer-encoding:") && line.ends_with("chunked") {
                length = None;
            }
        }
    }

    fn skip_chunks(&mut self) -> io::Result<()> {
        loop {
            let size = u64::from_str_radix(self.read_line()?, 16)
                .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            self.skip(size)?;
            self.read_line()?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        if length > BODY_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.body.clear();
        let read = (&mut self.stream)
            .take(length)
            .read_to_end(&mut self.body)?;
        if read as u64 == length {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// Whether something answers a GET on `port` with a status that is `good`.
pub(crate) fn answers(port: u16, path: &str, good: impl Fn(u16) -> bool) -> bool {
    Connection::open(port)
        .and_then(|mut connection| connection.ask(&get(port, path)))
        .is_ok_and(good)
}

/// A GET request, for [`Connection::ask`].
fn get(port: u16, path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").into_bytes()
}

/// A POST request, for [`Connection::ask`].
pub(crate) fn post(port: u16, path: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {content_type}\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{Ipv4Addr, TcpListener},
        thread,
    };

    use super::{Connection, get};

    #[test]
    fn answers_with_a_length_and_in_chunks_are_read_on_one_connection() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let request = get(port, "/");
            for answer in [
                "HTTP/1.1 422 No\r\nContent-Length: 3\r\n\r\nabc",
                "HTTP/1.1 202 Yes\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                "HTTP/1.1 204 None\r\n\r\n",
            ] {
                let mut read = vec![0; request.len()];
                stream.read_exact(&mut read).unwrap();
                assert_eq!(read, request);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let mut connection = Connection::open(port).unwrap();
        let statuses = [(); 3].map(|()| connection.ask(&get(port, "/")).unwrap());
        assert_eq!(statuses, [422, 202, 204]);
        server.join().unwrap();
    }
}
