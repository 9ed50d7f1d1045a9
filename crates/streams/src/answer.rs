//! Reading what the server says.

use crate::refusal::Refusal;
use redis::{Parser, Value};

/// One reply of a server.
pub type Reply = Value;

/// What publishing one envelope gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Published {
    /// On the stream.
    Enqueued,
    /// On the stream; the same key with the same payload was seen before.
    Duplicate,
    /// Not on the stream: the same key was seen with another payload.
    Conflict,
}

/// Why an answer gives no words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// The server refused; nothing of the batch is on the stream.
    #[error("{0}")]
    Refused(Refusal),
    /// Not an answer of the script; what happened is open.
    #[error("an answer of another form: {0}")]
    Malformed(String),
}

/// The words for a batch of that many envelopes, in its order.
///
/// # Errors
/// When the server refused, or said something else.
pub fn read_answer(answer: &Value, envelopes: usize) -> Result<Vec<Published>, Unread> {
    if let Value::ServerError(error) = answer {
        return Err(Unread::Refused(Refusal::of(error)));
    }
    let Value::Array(words) = answer else {
        return Err(Unread::Malformed(format!("{answer:?}")));
    };
    if words.len() != envelopes {
        let told = format!("{} words for {envelopes} envelopes", words.len());
        return Err(Unread::Malformed(told));
    }
    words.iter().map(word).collect()
}

fn word(value: &Value) -> Result<Published, Unread> {
    if let Value::Int(number) = value {
        let known = [
            Published::Enqueued,
            Published::Duplicate,
            Published::Conflict,
        ];
        let word = usize::try_from(*number).ok().and_then(|at| known.get(at));
        if let Some(word) = word {
            return Ok(*word);
        }
    }
    Err(Unread::Malformed(format!("{value:?}")))
}

/// The first `count` replies in what a socket gave so far; none when more must be read.
/// For who sends bytes by hand: answers of this crate's commands are a few bytes long, so
/// reading again from the start is cheap.
///
/// # Errors
/// When the bytes are not RESP: the connection is of no use any more.
pub fn read_replies(bytes: &[u8], count: usize) -> Result<Option<Vec<Value>>, Unread> {
    let mut parser = Parser::new();
    let mut rest = bytes;
    let mut replies = Vec::with_capacity(count.min(64));
    for _ in 0..count {
        match parser.parse_value(&mut rest) {
            Ok(reply) => replies.push(reply),
            Err(error) if error.is_io_error() => return Ok(None),
            Err(error) => return Err(Unread::Malformed(error.to_string())),
        }
    }
    Ok(Some(replies))
}

/// The first of these replies that is an error.
#[must_use]
pub fn first_refusal(replies: &[Reply]) -> Option<Refusal> {
    replies.iter().find_map(|reply| {
        if let Value::ServerError(error) = reply {
            Some(Refusal::of(error))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_however_the_socket_cuts_them() {
        let bytes = b"+OK\r\n*3\r\n:0\r\n:1\r\n:2\r\n-OOM command not allowed\r\n";
        for end in 0..bytes.len() {
            assert_eq!(read_replies(&bytes[..end], 3), Ok(None), "{end} bytes");
        }
        let replies = read_replies(bytes, 3).unwrap().unwrap();
        let words = read_answer(&replies[1], 3).unwrap();
        let expected = [
            Published::Enqueued,
            Published::Duplicate,
            Published::Conflict,
        ];
        assert_eq!(words, expected);
        let refused = read_answer(&replies[2], 3);
        assert_eq!(refused, Err(Unread::Refused(Refusal::OutOfMemory)));
    }

    #[test]
    fn what_is_not_resp_is_told() {
        assert!(read_replies(b"HTTP/1.1 400 Bad Request\r\n\r\n", 1).is_err());
    }

    #[test]
    fn a_word_too_few_is_not_an_answer() {
        let answer = Value::Array(vec![Value::Int(0)]);
        assert!(matches!(read_answer(&answer, 2), Err(Unread::Malformed(_))));
        let other = Value::Array(vec![Value::Int(7)]);
        assert!(matches!(read_answer(&other, 1), Err(Unread::Malformed(_))));
    }
}
