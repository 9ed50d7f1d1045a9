//! Arrays of positions: what a line or ring is, and almost all of a large document. They
//! are read once, while the grammar is checked, and handed out when their type is known.
//!
//! A table holds positions of one length, two or three finite numbers each. Whatever else
//! an array holds, it is no table, and is read element by element.

#![allow(
    clippy::inline_always,
    reason = "a position is four of these calls; measured, a third of the instructions"
)]

use super::number;
use super::space::space_end;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// 4 Mi positions: more than any request may have, 70 MB at most.
const POSITIONS_MAX: usize = 1 << 22;
/// Two numbers of seven places: room for as many positions as the text may hold is made at
/// once, up to 16 KB of it.
const POSITION_BYTES_USUAL: usize = 20;
const POSITIONS_GUESSED_MAX: usize = 1 << 10;
/// Of every so many positions the offset is kept as it is.
const ANCHORED: usize = 64;
/// So much more than was guessed from the start of a body is made room for: its first places
/// may be written longer than the rest, and what grows beyond its room is there twice.
const SPARE_PART: u64 = 8;
/// A body in chunks grows its tables by such a part of them, and so much besides: doubling
/// them would cost twice their memory.
const STEP_PART: usize = 8;
const STEP_MIN: usize = 1 << 12;
/// Stands for a gap that a byte does not hold.
const LONG: u8 = u8::MAX;

/// The tables of one text, in document order.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    spans: Vec<Table>,
    /// Handed over whole when all of them are one geometry.
    numbers: RefCell<Vec<f64>>,
    places: Places,
    /// Those taken out of a text that came in chunks: what holds their place there, and how
    /// many bytes fewer the text has up to its end.
    cuts: Vec<Cut>,
    /// The first cut that was not asked for yet.
    next_cut: usize,
    /// Whether something was read as text that is in the text no longer.
    missed: Cell<bool>,
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    start: usize,
    fewer: u64,
}

/// Stands for a table that was taken out.
const PLACEHOLDER: &[u8] = b"[0]";

/// Marks an offset within the body, where others are within a text with cuts. Such bodies
/// are shorter than 2 GiB.
pub(super) const IN_BODY: usize = 1 << 31;

/// Where positions start, a byte each: asked for when a fault is told, and only then.
#[derive(Debug, Default)]
struct Places {
    /// Bytes from the position before, or from the start of the table.
    gaps: Vec<u8>,
    /// The gaps that a byte does not hold, by position.
    long: Vec<(usize, u32)>,
    anchors: Vec<u32>,
}

/// The positions of one array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Which of the tables it is.
    pub(crate) number: u32,
    /// 2 or 3 numbers a position.
    pub(crate) stride: usize,
    start: usize,
    /// Its first position and its first number among all.
    position: usize,
    first: usize,
    /// Behind its last number.
    last: usize,
}

impl Table {
    /// How many positions.
    pub(crate) const fn len(self) -> usize {
        (self.last - self.first) / self.stride
    }

    /// Its numbers among those of all tables.
    pub(crate) const fn numbers(self) -> Range<usize> {
        self.first..self.last
    }
}

/// A table of which a part has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// In the body.
    start: usize,
    /// Its first position and number among all.
    position: usize,
    first: usize,
    stride: usize,
    /// Where the position before starts in the body.
    before: usize,
    /// Whether a position has ended and nothing follows yet.
    between: bool,
}

impl Arrival {
    /// One that starts there in the body.
    pub(super) fn new(tables: &mut Tables, start: usize) -> Self {
        Self {
            start,
            position: tables.places.gaps.len(),
            first: tables.numbers.get_mut().len(),
            stride: 0,
            before: start,
            between: false,
        }
    }

    /// Whether nothing of it was taken.
    pub(super) const fn is_untouched(&self) -> bool {
        self.stride == 0
    }
}

/// One position as read.
struct Position {
    numbers: [f64; 3],
    /// How many of them it has.
    count: usize,
    start: usize,
    /// Exclusive.
    end: usize,
}

impl Position {
    #[inline(always)]
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        let inside = past(bytes, at, b'[')?;
        let (x, end) = number_at(bytes, inside)?;
        let (y, end) = number_at(bytes, past(bytes, end, b',')?)?;
        let (mut z, mut count, mut at) = (0.0, 2, end);
        if let Some(height) = past(bytes, at, b',') {
            (z, at) = number_at(bytes, height)?;
            count = 3;
        }
        Some(Self {
            numbers: [x, y, z],
            count,
            start: inside - 1,
            end: past(bytes, at, b']')?,
        })
    }

    #[inline(always)]
    fn keep(&self, numbers: &mut Vec<f64>) {
        let [x, y, z] = self.numbers;
        numbers.extend_from_slice(&[x, y]);
        if self.count == 3 {
            numbers.push(z);
        }
    }
}

impl Places {
    #[inline(always)]
    fn push(&mut self, start: usize, before: usize) -> Option<()> {
        let position = self.gaps.len();
        let gap = u8::try_from(start - before).unwrap_or(LONG);
        self.gaps.push(gap);
        if gap == LONG || position.is_multiple_of(ANCHORED) {
            self.note(position, start, before)?;
        }
        Some(())
    }

    #[cold]
    fn note(&mut self, position: usize, start: usize, before: usize) -> Option<()> {
        if position.is_multiple_of(ANCHORED) {
            self.anchors.push(u32::try_from(start).ok()?);
        }
        if start - before >= usize::from(LONG) {
            self.long
                .push((position, u32::try_from(start - before).ok()?));
        }
        Some(())
    }

    fn truncate(&mut self, positions: usize) {
        self.gaps.truncate(positions);
        self.anchors.truncate(positions.div_ceil(ANCHORED));
        let kept = self.long.partition_point(|(at, _)| *at < positions);
        self.long.truncate(kept);
    }

    fn gap(&self, position: usize) -> usize {
        match self.gaps.get(position) {
            Some(&LONG) => {
                let found = self.long.binary_search_by_key(&position, |(at, _)| *at);
                let long = found.ok().and_then(|found| self.long.get(found));
                long.map_or(0, |(_, gap)| *gap as usize)
            }
            Some(gap) => usize::from(*gap),
            None => 0,
        }
    }

    /// Where the position starts, of a table that starts there with that position.
    fn offset(&self, position: usize, table_start: usize, first: usize) -> usize {
        let anchor = position / ANCHORED * ANCHORED;
        let anchored = self.anchors.get(anchor / ANCHORED);
        let (from, start) = match anchored {
            Some(start) if anchor >= first => (anchor + 1, *start as usize),
            _ => (first, table_start),
        };
        (from..=position).fold(start, |at, position| at + self.gap(position))
    }
}

impl Tables {
    /// The table that starts there, and the index after it; none when it is no table.
    pub(super) fn read(&mut self, bytes: &[u8], start: usize) -> Option<(u32, usize)> {
        let (position, first) = (self.places.gaps.len(), self.numbers.get_mut().len());
        let number = u32::try_from(self.spans.len()).ok()?;
        let Some((end, stride)) = self.read_positions(bytes, start) else {
            self.places.truncate(position);
            self.numbers.get_mut().truncate(first);
            return None;
        };
        self.spans.push(Table {
            number,
            stride,
            start,
            position,
            first,
            last: self.numbers.get_mut().len(),
        });
        Some((number, end))
    }

    /// The index after the array, and how many numbers its positions have.
    fn read_positions(&mut self, bytes: &[u8], start: usize) -> Option<(usize, usize)> {
        // Most arrays hold no arrays: nothing is made ready for those.
        past(bytes, start + 1, b'[')?;
        let (numbers, places) = (self.numbers.get_mut(), &mut self.places);
        if places.gaps.is_empty() {
            let guess = (bytes.len() / POSITION_BYTES_USUAL).min(POSITIONS_GUESSED_MAX);
            places.gaps.reserve(guess);
            numbers.reserve(2 * guess);
        }
        let (mut at, mut before, mut stride) = (start + 1, start, 0);
        loop {
            let position = Position::read(bytes, at)?;
            if places.gaps.len() >= POSITIONS_MAX {
                return None;
            }
            places.push(position.start, before)?;
            position.keep(numbers);
            before = position.start;
            if stride != position.count && stride != 0 {
                return None;
            }
            stride = position.count;
            match past(bytes, position.end, b',') {
                Some(next) => at = next,
                None => return Some((past(bytes, position.end, b']')?, stride)),
            }
        }
    }

    /// Takes what there is of a table that comes in chunks: the index after it, and whether it
    /// ended (true) or is no table (false); none when more must come.
    pub(super) fn arrive(
        &mut self,
        arrival: &mut Arrival,
        rest: &[u8],
        mut at: usize,
        shift: usize,
    ) -> (Option<bool>, usize) {
        loop {
            let next = space_end(rest, at);
            if arrival.between {
                match rest.get(next) {
                    Some(b',') => arrival.between = false,
                    Some(b']') => return (Some(true), next + 1),
                    Some(_) => return (Some(false), at),
                    None => return (None, at),
                }
                at = next + 1;
                continue;
            }
            let ahead = rest.get(next..).unwrap_or_default();
            if !ahead.contains(&b']') {
                return (None, at);
            }
            let position = Position::read(rest, next)
                .filter(|position| arrival.stride == 0 || arrival.stride == position.count);
            let taken = position.filter(|position| self.take_in(position, shift, arrival.before));
            let Some(position) = taken else {
                return (Some(false), at);
            };
            arrival.stride = position.count;
            arrival.before = position.start + shift;
            arrival.between = true;
            at = position.end;
        }
    }

    /// The table is over; its place in the text is held.
    pub(super) fn close(&mut self, arrival: Arrival, text: &mut Vec<u8>, end: usize) {
        self.cuts.push(Cut {
            start: text.len(),
            fewer: (end - text.len() - PLACEHOLDER.len()) as u64,
        });
        text.extend_from_slice(PLACEHOLDER);
        self.spans.push(Table {
            number: u32::try_from(self.spans.len()).unwrap_or(u32::MAX),
            stride: arrival.stride,
            start: arrival.start,
            position: arrival.position,
            first: arrival.first,
            last: self.numbers.get_mut().len(),
        });
    }

    /// Makes room for what a body of so many bytes will hold, by what its first have held.
    pub(super) fn expect(&mut self, passed: usize, bytes: u64) {
        let share = |so_far: usize| {
            let all = (so_far as u64).saturating_mul(bytes) / (passed as u64).max(1);
            let more = all.saturating_sub(so_far as u64) + all / SPARE_PART;
            usize::try_from(more).unwrap_or(usize::MAX)
        };
        // Without room it grows as it goes. The larger comes last: at the end of memory it can
        // grow where it is.
        let gaps = &mut self.places.gaps;
        let _ = gaps.try_reserve_exact(share(gaps.len()));
        let numbers = self.numbers.get_mut();
        let _ = numbers.try_reserve_exact(share(numbers.len()));
    }

    /// Takes in a position of a table that comes in chunks; false when there is no more room
    /// for positions.
    fn take_in(&mut self, position: &Position, shift: usize, before: usize) -> bool {
        if self.places.gaps.len() >= POSITIONS_MAX {
            return false;
        }
        let numbers = self.numbers.get_mut();
        if numbers.capacity() - numbers.len() < position.numbers.len() {
            numbers.reserve_exact(STEP_MIN + numbers.len() / STEP_PART);
            let gaps = &mut self.places.gaps;
            gaps.reserve_exact(STEP_MIN + gaps.len() / STEP_PART);
        }
        position.keep(numbers);
        self.places.push(position.start + shift, before).is_some()
    }

    /// The table of that number.
    pub(crate) fn get(&self, number: u32) -> Option<Table> {
        self.spans.get(number as usize).copied()
    }

    /// Where a position of it starts in the text; in the body, and marked so, when it was
    /// taken out.
    pub(crate) fn offset(&self, number: u32, position: usize) -> usize {
        let offset = self.get(number).map_or(0, |table| {
            let position = table.position + position;
            self.places.offset(position, table.start, table.position)
        });
        if (number as usize) < self.cuts.len() {
            offset | IN_BODY
        } else {
            offset
        }
    }

    /// The table whose place is held there, and the index after what holds it. Asked in
    /// document order.
    #[inline]
    pub(super) fn cut_at(&mut self, start: usize) -> Option<(u32, usize)> {
        let number = u32::try_from(self.next_cut).ok()?;
        self.cuts
            .get(self.next_cut)
            .filter(|cut| cut.start == start)?;
        self.next_cut += 1;
        Some((number, start + PLACEHOLDER.len()))
    }

    /// What stands in a table is looked at as text.
    pub(super) fn miss(&self, number: u32) {
        self.missed
            .set(self.missed.get() || (number as usize) < self.cuts.len());
    }

    /// Whether that happened, so that what was read is not what was sent.
    pub(crate) const fn missed(&self) -> bool {
        self.missed.get()
    }

    /// An offset within the body, from one that was told within the text.
    pub(crate) fn in_body(&self, offset: u64) -> u64 {
        let mark = IN_BODY as u64;
        if self.cuts.is_empty() {
            return offset;
        }
        if offset & mark != 0 {
            return offset ^ mark;
        }
        let before = self.cuts.partition_point(|cut| (cut.start as u64) < offset);
        let cut = before.checked_sub(1).and_then(|last| self.cuts.get(last));
        offset + cut.map_or(0, |cut| cut.fewer)
    }

    /// Lets the reader see the numbers in that range of all.
    pub(crate) fn see<T>(&self, numbers: Range<usize>, see: impl FnOnce(&[f64]) -> T) -> T {
        let all = self.numbers.borrow();
        see(all.get(numbers).unwrap_or_default())
    }

    /// All numbers, when those in the range are all; they are gone then.
    pub(crate) fn take(&self, numbers: &Range<usize>) -> Option<Vec<f64>> {
        let all = *numbers == (0..self.numbers.borrow().len());
        all.then(|| self.numbers.take())
    }
}

/// The index after that byte and the white space before it.
#[inline(always)]
fn past(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    if bytes.get(at) == Some(&wanted) {
        return Some(at + 1);
    }
    let at = space_end(bytes, at);
    (bytes.get(at) == Some(&wanted)).then_some(at + 1)
}

/// The number there, behind white space or not.
#[inline(always)]
fn number_at(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    number::read(bytes, space_end(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<usize>, Tables) {
        let mut tables = Tables::default();
        let end = tables.read(text.as_bytes(), 0).map(|(_, end)| end);
        (end, tables)
    }

    fn numbers(tables: &Tables) -> Vec<f64> {
        tables.see(0..tables.numbers.borrow().len(), <[f64]>::to_vec)
    }

    #[test]
    fn positions_of_one_length_are_a_table() {
        let text = "[ [1,2.5], [ -3 , 4e2 ] ,\n[0.1000000000000000055,6]],";
        let (end, tables) = read(text);
        assert_eq!(end, Some(text.len() - 1));
        let table = tables.get(0).unwrap();
        let starts = [0, 1, 2].map(|position| tables.offset(0, position));
        assert_eq!((table.stride, table.len(), starts), (2, 3, [2, 11, 26]));
        assert_eq!(numbers(&tables), [1.0, 2.5, -3.0, 400.0, 0.1, 6.0]);
        assert!(tables.get(1).is_none());
    }

    #[test]
    fn every_position_is_found_however_far_apart_they_are() {
        let mut tables = Tables::default();
        let mut text = String::new();
        let mut wanted = Vec::new();
        for table in 0..5_usize {
            let start = text.len();
            let mut starts = Vec::new();
            for position in 0..=70 * table {
                text.push(if position == 0 { '[' } else { ',' });
                text.push_str(&" ".repeat(position * 37 % 300));
                starts.push(text.len());
                text.push_str("[1,2]");
            }
            text.push(']');
            tables.read(text.as_bytes(), start).unwrap();
            wanted.push(starts);
        }
        for (table, starts) in (0..).zip(wanted) {
            for (position, start) in starts.into_iter().enumerate() {
                assert_eq!(tables.offset(table, position), start, "{table} {position}");
            }
        }
    }

    #[test]
    fn anything_else_is_none_and_leaves_nothing() {
        for text in [
            "[]",
            "[[1,2],[1,2,3]]",
            "[[1,2],[1]]",
            "[[1,2],[1,2,3,4]]",
            "[[1,2],[1,1e400]]",
            "[[1,2],[1,\"2\"]]",
            "[[1,2],[1,02]]",
            "[[1,2],]",
            "[[1,2],[]]",
            "[[1,2] [1,2]]",
            "[[1,2],[1,2]",
            "[1,2]",
            "[[[1,2]]]",
        ] {
            let (end, tables) = read(text);
            assert_eq!(end, None, "{text}");
            let nothing = tables.places.gaps.is_empty() && tables.places.anchors.is_empty();
            assert!(nothing && tables.get(0).is_none() && numbers(&tables).is_empty());
        }
    }
}
