//! What the strict pass learned about a text: where its containers end, what is in them,
//! and which members were named twice.

use super::table::Tables;

/// The number of a container in the index; [`NO_SLOT`] for one that is not in it.
pub(super) type Slot = u32;
pub(super) const NO_SLOT: Slot = Slot::MAX;

/// A member named twice in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// Offset of the later name.
    pub(crate) at: usize,
    /// To the member; to the nearest object around it that a short pointer reaches.
    pub(crate) pointer: String,
    pub(crate) name: String,
}

/// Of each object that is not empty, and of each array that holds another container: arrays
/// of scalars, of which a body may hold millions, are read again when they are asked for.
/// Offsets are 32 bits wide, so that it takes half.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// In the order in which they start.
    pub(super) containers: Vec<Container>,
    /// Those of one object stand together, in document order.
    pub(super) members: Vec<Member>,
    /// The first duplicates.
    pub(crate) duplicates: Vec<Duplicate>,
    /// Offsets of all of them, ascending.
    pub(super) duplicates_at: Vec<usize>,
    pub(crate) tables: Tables,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Container {
    pub(super) start: u32,
    /// Exclusive.
    pub(super) end: u32,
    /// The first container behind it and all that is in it.
    pub(super) after: Slot,
    pub(super) content: Content,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    /// Of an object: its first member and how many there are.
    Members(u32, u32),
    /// Of an array of positions: which of the tables.
    Table(u32),
    /// Of any other array.
    Elements,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The name with its quotes.
    pub(super) name_start: u32,
    pub(super) name_end: u32,
    /// Whether the name holds an escape.
    pub(super) escaped: bool,
    pub(super) start: u32,
    /// Exclusive.
    pub(super) end: u32,
    pub(super) slot: Slot,
}

impl Index {
    pub(super) fn container(&self, slot: Slot) -> Option<&Container> {
        self.containers.get(slot as usize)
    }

    /// The container of that number, when it starts there.
    pub(super) fn container_at(&self, slot: Slot, start: usize) -> Option<&Container> {
        let container = self.container(slot)?;
        (container.start as usize == start).then_some(container)
    }

    /// The members of the object of that number.
    pub(super) fn members_of(&self, slot: Slot) -> &[Member] {
        match self.container(slot).map(|container| container.content) {
            Some(Content::Members(first, count)) => {
                let first = first as usize;
                let members = self.members.get(first..first + count as usize);
                members.unwrap_or_default()
            }
            Some(Content::Table(_) | Content::Elements) | None => &[],
        }
    }

    /// How many duplicates stand from `start` to `end` (exclusive).
    pub(crate) fn duplicates_within(&self, start: usize, end: usize) -> usize {
        if self.duplicates_at.is_empty() {
            return 0;
        }
        let before = |end| self.duplicates_at.partition_point(|at| *at < end);
        before(end).saturating_sub(before(start))
    }
}
