//! Arrays of two or three plain numbers: almost every position there is. They are read
//! once, while the grammar is checked, and handed out when their type is known.
//!
//! It holds 28 to 36 bytes for each, and no more of them than [`ARRAYS_MAX`]; what is not
//! held is read again the long way.

use super::number;

/// 4 Mi arrays: more positions than any request may have, 150 MB at most.
const ARRAYS_MAX: usize = 1 << 22;

/// The plain arrays of one text, in document order.
#[derive(Debug, Default)]
pub(super) struct Plains {
    arrays: Vec<Array>,
    numbers: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Array {
    start: u32,
    end: u32,
    /// Where its numbers start.
    first: u32,
}

/// One array, and the index after it in the text.
pub(crate) struct Plain<'a> {
    pub(crate) start: usize,
    pub(crate) numbers: &'a [f64],
    pub(super) end: usize,
}

impl Plains {
    /// The index after the array that starts there, when it holds plain numbers only; one
    /// of two or three is kept.
    pub(super) fn read(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let first = self.numbers.len();
        let end = self.numbers_until_end(bytes, start);
        let count = self.numbers.len() - first;
        let kept = match end {
            Some(end) if (2..=3).contains(&count) => self.keep(start, end, first),
            Some(_) | None => false,
        };
        if !kept {
            self.numbers.truncate(first);
        }
        end
    }

    fn numbers_until_end(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            let (number, end) = number::short(bytes, space_end(bytes, at + 1))?;
            self.numbers.push(number);
            at = space_end(bytes, end);
            match bytes.get(at) {
                Some(b',') => {}
                Some(b']') => return Some(at + 1),
                _ => return None,
            }
        }
    }

    fn keep(&mut self, start: usize, end: usize, first: usize) -> bool {
        let narrow = |index: usize| u32::try_from(index).ok();
        let array = narrow(start).zip(narrow(end)).zip(narrow(first));
        match array {
            Some(((start, end), first)) if self.arrays.len() < ARRAYS_MAX => {
                self.arrays.push(Array { start, end, first });
                true
            }
            Some(_) | None => false,
        }
    }

    /// The array that starts there. `hint` is where it is likely to be found, and then
    /// where the next one is.
    pub(super) fn at(&self, start: usize, hint: &mut Option<usize>) -> Option<Plain<'_>> {
        let wanted = u32::try_from(start).ok()?;
        let guess =
            hint.unwrap_or_else(|| self.arrays.partition_point(|array| array.start < wanted));
        let array = self.arrays.get(guess).filter(|array| array.start == wanted);
        let Some(array) = array else {
            *hint = None;
            return None;
        };
        *hint = Some(guess + 1);
        let until = self
            .arrays
            .get(guess + 1)
            .map_or(self.numbers.len(), |next| next.first as usize);
        Some(Plain {
            start,
            numbers: self.numbers.get(array.first as usize..until)?,
            end: array.end as usize,
        })
    }
}

/// The first index that holds no white space.
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}
