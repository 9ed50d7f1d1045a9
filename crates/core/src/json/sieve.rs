//! A text that comes in chunks. Arrays of positions, almost all of a large body, are read
//! as they pass and taken out of it: memory holds their numbers, a byte for each position,
//! and the text without them.
//!
//! What is kept is checked later like any other text, so that this only has to find where
//! such arrays start. One that turns out to be something else after its first positions are
//! gone cannot be told from here: then the body must be read whole.

use super::space::space_end;
use super::table::{Arrival, IN_BODY, Tables};
use super::text::plain_end;

/// What stands between an array's bracket and the first number of its first position, or
/// between two positions, is looked at up to here.
const AHEAD_BYTES_MAX: usize = 1 << 12;

/// How much memory a body will take is guessed from so many of its bytes.
const SAMPLE_BYTES: usize = 1 << 16;

/// A text of which tables were taken out.
#[derive(Debug)]
pub(crate) struct Sieved {
    pub(crate) text: Vec<u8>,
    pub(crate) tables: Tables,
    /// Bytes of the body.
    pub(crate) bytes: u64,
}

/// Takes in the chunks of a body.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    text: Vec<u8>,
    /// What came and is not looked at yet.
    rest: Vec<u8>,
    /// Bytes that came before those.
    passed: usize,
    tables: Tables,
    state: State,
    /// Bytes of the body, where they are known; taken once room is made for it.
    expected: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Between,
    InString,
    InTable(Arrival),
    /// A table was none after all.
    Lost,
}

/// How far a step came.
enum Step {
    /// To here; there may be more to do.
    To(usize),
    /// To here, and the next step needs more bytes.
    Wait(usize),
}

impl Sieve {
    /// For a body of so many bytes, where that is known.
    pub(crate) fn new(expected: Option<u64>) -> Self {
        Self {
            expected,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.passed + self.rest.len() + chunk.len() >= IN_BODY {
            self.state = State::Lost;
        }
        self.rest.extend_from_slice(chunk);
        self.work(false);
        if self.passed >= SAMPLE_BYTES
            && let Some(bytes) = self.expected.take()
        {
            self.tables.expect(self.passed, bytes);
        }
    }

    /// None when the body must be read whole.
    pub(crate) fn finish(mut self) -> Option<Sieved> {
        self.work(true);
        match self.state {
            State::InTable(arrival) if arrival.is_untouched() => self.text.push(b'['),
            State::InTable(_) | State::Lost => return None,
            State::Between | State::InString => {}
        }
        self.text.extend_from_slice(&self.rest);
        Some(Sieved {
            text: self.text,
            tables: self.tables,
            bytes: (self.passed + self.rest.len()) as u64,
        })
    }

    fn work(&mut self, last: bool) {
        let mut rest = std::mem::take(&mut self.rest);
        let mut at = 0;
        let done = loop {
            let step = match self.state {
                State::Between => self.between(&rest, at, last),
                State::InString => self.in_string(&rest, at),
                State::InTable(arrival) => self.in_table(&rest, at, arrival),
                State::Lost => Step::Wait(rest.len()),
            };
            match step {
                Step::To(next) => at = next,
                Step::Wait(next) => break next,
            }
        };
        rest.drain(..done);
        self.rest = rest;
        self.passed += done;
    }

    fn keep(&mut self, rest: &[u8], from: usize, to: usize) {
        self.text
            .extend_from_slice(rest.get(from..to).unwrap_or_default());
    }

    fn between(&mut self, rest: &[u8], at: usize, last: bool) -> Step {
        let ahead = rest.get(at..).unwrap_or_default();
        let found = ahead.iter().position(|byte| matches!(byte, b'"' | b'['));
        let Some(found) = found.map(|found| at + found) else {
            self.keep(rest, at, rest.len());
            return Step::Wait(rest.len());
        };
        self.keep(rest, at, found);
        if rest.get(found) == Some(&b'"') {
            self.text.push(b'"');
            self.state = State::InString;
            return Step::To(found + 1);
        }
        match starts_table(rest, found) {
            None if !last && rest.len() - found < AHEAD_BYTES_MAX => return Step::Wait(found),
            Some(true) => {
                let arrival = Arrival::new(&mut self.tables, self.passed + found);
                self.state = State::InTable(arrival);
            }
            Some(false) | None => self.text.push(b'['),
        }
        Step::To(found + 1)
    }

    fn in_string(&mut self, rest: &[u8], at: usize) -> Step {
        let end = plain_end(rest, at);
        self.keep(rest, at, end);
        match rest.get(end) {
            None => Step::Wait(end),
            Some(b'\\') if rest.len() < end + 2 => Step::Wait(end),
            Some(b'\\') => {
                self.keep(rest, end, end + 2);
                Step::To(end + 2)
            }
            Some(byte) => {
                self.text.push(*byte);
                if *byte == b'"' {
                    self.state = State::Between;
                }
                Step::To(end + 1)
            }
        }
    }

    fn in_table(&mut self, rest: &[u8], at: usize, mut arrival: Arrival) -> Step {
        let (taken, end) = self.tables.arrive(&mut arrival, rest, at, self.passed);
        self.state = State::InTable(arrival);
        match taken {
            Some(true) => {
                self.tables
                    .close(arrival, &mut self.text, self.passed + end);
                self.state = State::Between;
                Step::To(end)
            }
            None if rest.len() - end < AHEAD_BYTES_MAX => Step::Wait(end),
            Some(false) | None => {
                self.state = if arrival.is_untouched() {
                    self.text.push(b'[');
                    State::Between
                } else {
                    State::Lost
                };
                Step::To(end)
            }
        }
    }
}

/// Whether an array of arrays of numbers starts there; none when that is not seen yet.
fn starts_table(rest: &[u8], start: usize) -> Option<bool> {
    let inner = space_end(rest, start + 1);
    if *rest.get(inner)? != b'[' {
        return Some(false);
    }
    let first = rest.get(space_end(rest, inner + 1))?;
    Some(matches!(first, b'-' | b'0'..=b'9'))
}

#[cfg(test)]
mod tests {
    use super::super::{Index, SyntaxFault, Value, validate, validate_sieved};
    use super::*;
    use proptest::prelude::*;

    fn sieved(text: &str, chunk: usize) -> Option<Sieved> {
        let mut sieve = Sieve::default();
        for chunk in text.as_bytes().chunks(chunk) {
            sieve.push(chunk);
        }
        sieve.finish()
    }

    /// Where values and positions start, and all numbers of tables.
    type Told = (Vec<u64>, Vec<Vec<f64>>);

    fn told(text: &str, index: &Index) -> Told {
        let (mut starts, mut numbers) = (Vec::new(), Vec::new());
        let mut waiting = vec![Value::root(text, index)];
        while let Some(value) = waiting.pop() {
            let tables = value.tables();
            starts.push(tables.in_body(value.start as u64));
            if let Some(table) = value.as_table() {
                let offsets = (0..table.len())
                    .map(|position| tables.in_body(tables.offset(table.number, position) as u64));
                starts.extend(offsets);
                numbers.push(tables.see(table.numbers(), <[f64]>::to_vec));
                continue;
            }
            waiting.extend(value.members().map(|(_, value)| value));
            waiting.extend(value.elements());
        }
        (starts, numbers)
    }

    fn whole(text: &str) -> Result<Told, SyntaxFault> {
        validate(text, 16).map(|index| told(text, &index))
    }

    /// What the sieved text gives; none when the body must be read whole.
    fn in_chunks(text: &str, chunk: usize) -> Option<Result<Told, SyntaxFault>> {
        let sieved = sieved(text, chunk)?;
        assert_eq!(sieved.bytes, text.len() as u64);
        let kept = String::from_utf8(sieved.text).unwrap();
        let (index, fault) = validate_sieved(&kept, 16, sieved.tables);
        let in_body = |at: usize| index.tables.in_body(at as u64);
        Some(match fault {
            None => {
                let told = told(&kept, &index);
                assert!(!index.tables.missed());
                Ok(told)
            }
            Some(fault) => Err(SyntaxFault {
                at: usize::try_from(in_body(fault.at)).unwrap(),
                ..fault
            }),
        })
    }

    #[test]
    fn what_is_taken_out_is_found_where_it_stood() {
        let text = r#"{"a[[1,2]]":[[[0,1],[2,3.5]],[[4,5,6] , [7,8,9]]],"b\"[[1":[[1]],"c":"x"} "#;
        for chunk in 1..text.len() {
            assert_eq!(in_chunks(text, chunk).unwrap(), whole(text), "{chunk}");
        }
        let kept = sieved(text, 7).unwrap().text;
        let kept = String::from_utf8(kept).unwrap();
        assert_eq!(kept, r#"{"a[[1,2]]":[[0],[0]],"b\"[[1":[[1]],"c":"x"} "#);
    }

    #[test]
    fn what_looked_like_a_table_is_read_whole_or_left_in() {
        assert!(sieved("[[1,2],[3,\"4\"]]", 3).is_none());
        assert!(sieved("[[1,2],[3,4", 3).is_none());
        for text in [
            "[[1,2,3,4],[1]]",
            "[[1,\"2\"]]",
            "[[1e400,2]]",
            "[[1",
            "[ [",
            "\"a\\",
        ] {
            assert_eq!(sieved(text, 1).unwrap().text, text.as_bytes(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn chunks_give_what_the_whole_gives(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "[", "]", "{", "}", ",", ":", "\"a\"", "\"\\\\\"", "\"[[1,2\"", " ", "1", "-2.5e3",
                    "[1,2]", "[3 , 4.25,5]", "[[1,2],[3,4]]", "[ [1,2] ,[3,4.0000000001] ]", "null", "\"é\"",
                ]),
                0..24,
            ),
            chunk in 1..40_usize,
        ) {
            let text = parts.concat();
            if let Some(told) = in_chunks(&text, chunk) {
                prop_assert_eq!(told, whole(&text));
            }
            let wrapped = format!("[{}]", parts.join(","));
            if let Some(told) = in_chunks(&wrapped, chunk) {
                prop_assert_eq!(told, whole(&wrapped));
            }
        }
    }
}
