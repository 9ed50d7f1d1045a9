//! Messages on a socket. Every read and write has a limit.

use super::message::{Framing, Request, Response};
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::Duration;

/// Longer than any answer may take: the relay has 15 s.
const SILENCE_MAX: Duration = Duration::from_secs(40);

/// A connection that is kept between requests.
#[derive(Debug)]
pub struct Connection {
    socket: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Connection {
    /// Connects to loopback.
    ///
    /// # Errors
    /// When nothing listens there.
    pub fn open(port: u16) -> io::Result<Self> {
        let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(SILENCE_MAX))?;
        socket.set_write_timeout(Some(SILENCE_MAX))?;
        let reader = BufReader::new(socket.try_clone()?);
        Ok(Self { socket, reader })
    }

    /// Sends a request and reads its answer. The body is written beside the reading, so
    /// that an answer which comes before the body's end is seen.
    ///
    /// # Errors
    /// When no whole answer comes.
    pub fn send(&mut self, request: &Request) -> io::Result<Response> {
        let mut socket = self.socket.try_clone()?;
        thread::scope(|scope| {
            // A peer that has answered may close before all is written.
            scope.spawn(move || write_request(&mut socket, request).ok());
            let answer = read_response(&mut self.reader);
            if answer.is_err() {
                self.socket.shutdown(std::net::Shutdown::Both).ok();
            }
            answer
        })
    }
}

/// A request whose body goes out in pieces, whenever the test says so.
#[derive(Debug)]
pub struct Slow {
    connection: Connection,
    rest: Vec<u8>,
}

impl Slow {
    /// Sends the head alone.
    ///
    /// # Errors
    /// When nothing listens there.
    pub fn begin(port: u16, request: &Request) -> io::Result<Self> {
        let mut connection = Connection::open(port)?;
        connection.socket.write_all(head(request).as_bytes())?;
        Ok(Self {
            connection,
            rest: framed(request),
        })
    }

    /// Sends everything but the last so many bytes.
    ///
    /// # Errors
    /// When the peer has gone.
    pub fn all_but(&mut self, last: usize) -> io::Result<()> {
        self.go_on(self.rest.len().saturating_sub(last))
    }

    /// Sends so many more bytes, but never the last one.
    ///
    /// # Errors
    /// When the peer has gone.
    pub fn go_on(&mut self, bytes: usize) -> io::Result<()> {
        let more = bytes.min(self.rest.len().saturating_sub(1));
        let piece: Vec<u8> = self.rest.drain(..more).collect();
        self.connection.socket.write_all(&piece)
    }

    /// Sends the rest and reads the answer.
    ///
    /// # Errors
    /// When the peer has gone, or no whole answer comes.
    pub fn finish(mut self) -> io::Result<Response> {
        self.connection.socket.write_all(&self.rest)?;
        read_response(&mut self.connection.reader)
    }
}

fn head(request: &Request) -> String {
    let mut head = format!(
        "{} {} HTTP/1.1\r\nhost: localhost\r\n",
        request.method, request.path
    );
    for (name, value) in &request.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let bodiless = request.method == "GET" && request.body.is_empty();
    match request.framing {
        Framing::Length if bodiless || request.header("content-length").is_some() => {}
        Framing::Length => {
            let _ = write!(head, "content-length: {}\r\n", request.body.len());
        }
        Framing::Chunked(_) => head.push_str("transfer-encoding: chunked\r\n"),
    }
    head.push_str("\r\n");
    head
}

fn framed(request: &Request) -> Vec<u8> {
    let Framing::Chunked(size) = request.framing else {
        return request.body.clone();
    };
    let mut bytes = Vec::with_capacity(request.body.len() + 64);
    for chunk in request.body.chunks(size) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

fn write_request(socket: &mut TcpStream, request: &Request) -> io::Result<()> {
    let mut bytes = head(request).into_bytes();
    bytes.extend_from_slice(&framed(request));
    socket.write_all(&bytes)
}

/// Reads a request, as a server; none when the peer has closed.
///
/// # Errors
/// When it is cut.
pub fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let Some((first, headers)) = read_head(reader)? else {
        return Ok(None);
    };
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let body = read_body(reader, &headers)?;
    let framing_apart = |(name, _): &(String, String)| {
        !matches!(
            name.as_str(),
            "host" | "content-length" | "transfer-encoding" | "connection"
        )
    };
    let headers = headers.into_iter().filter(framing_apart).collect();
    Ok(Some(Request {
        method,
        path,
        headers,
        body,
        framing: Framing::Length,
    }))
}

/// Writes a response, as a server.
///
/// # Errors
/// When the peer has gone.
pub fn write_response(socket: &mut TcpStream, response: &Response) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} status\r\n", response.status);
    let headers = response.headers.iter();
    for (name, value) in
        headers.filter(|(name, _)| name != "content-length" && name != "transfer-encoding")
    {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "content-length: {}\r\n\r\n", response.body.len());
    socket.write_all(head.as_bytes())?;
    socket.write_all(&response.body)
}

fn read_response(reader: &mut BufReader<TcpStream>) -> io::Result<Response> {
    let head = read_head(reader)?;
    let (first, headers) = head.ok_or_else(|| malformed("closed before an answer"))?;
    let status = first
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| malformed(&first))?;
    if status == 100 {
        return read_response(reader);
    }
    let body = read_body(reader, &headers)?;
    Ok(Response {
        status,
        headers,
        body,
    })
}

type Head = (String, Vec<(String, String)>);

fn read_head(reader: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Some((first.trim_end().to_owned(), headers)))
}

fn read_body(reader: &mut impl BufRead, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
    let header = |wanted: &str| {
        headers
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value)
    };
    if header("transfer-encoding").is_some() {
        return read_chunks(reader);
    }
    let length = header("content-length").map_or("0", String::as_str);
    let length: usize = length.parse().map_err(|_| malformed(length))?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).map_err(|_| malformed(&line))?;
        reader.by_ref().take(length as u64).read_to_end(&mut body)?;
        reader.read_line(&mut line)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed: {what:?}"))
}
