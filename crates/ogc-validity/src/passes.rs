//! Which rings pass through which points. Only points where a ring meets another or itself are noted.

use crate::exact::{Point, lexicographic};
use crate::fault::Place;
use crate::narrow;
use crate::pairs::Member;
use crate::rings::Rings;
use crate::sweep::Incidence;

/// A ring going through a point: at one of its points, or inside one of its edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pass {
    pub(crate) point: Point,
    pub(crate) ring: u32,
    /// Its point, or the edge when it passes `inside`.
    position: u32,
    inside: bool,
}

impl Pass {
    fn of(rings: &Rings, point: Point, member: Member) -> Self {
        let ring = &rings.table[member.ring];
        let [from, to] = rings.edge(member.edge);
        let (position, inside) = if point == from {
            (member.edge, false)
        } else if point == to {
            (ring.next(member.edge), false)
        } else {
            (member.edge, true)
        };
        Self {
            point,
            ring: narrow(member.ring),
            position: narrow(position),
            inside,
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "a hash keeps what bits it can"
    )]
    fn hash(&self) -> usize {
        let bits = self.point[0].to_bits()
            ^ self.point[1].to_bits().rotate_left(17)
            ^ u64::from(self.position);
        (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
    }

    /// Where the ring comes from and where it goes.
    pub(crate) fn arms(&self, rings: &Rings) -> [Point; 2] {
        let position = self.position as usize;
        let before = if self.inside {
            position
        } else {
            rings.table[self.ring as usize].previous(position)
        };
        [rings.points[before], rings.points[position + 1]]
    }

    pub(crate) fn place(&self, rings: &Rings) -> Place {
        let (ring, position) = (&rings.table[self.ring as usize], self.position as usize);
        if self.inside {
            rings.edge_place(ring, position)
        } else {
            rings.point_place(ring, position)
        }
    }
}

/// A set of passes. Repeats are kept out where they follow soon, else weeded out as the set grows, so that it stays in
/// proportion to the passes themselves.
#[derive(Debug, Default)]
pub(crate) struct Passes {
    noted: Vec<Pass>,
    distinct: usize,
    /// By a hash, where in `noted` a pass was put lately.
    recent: Vec<u32>,
}

/// Passes noted before the first weeding, and slots for recent ones.
const NOTED_MIN: usize = 4096;

impl Passes {
    pub(crate) fn note(&mut self, rings: &Rings, point: Point, members: [Member; 2]) {
        for pass in members.map(|member| Pass::of(rings, point, member)) {
            self.add(pass);
        }
    }

    pub(crate) fn note_incidence(&mut self, point: Point, incidence: &Incidence) {
        self.add(Pass {
            point,
            ring: incidence.ring,
            position: incidence.position,
            inside: incidence.inside,
        });
    }

    fn add(&mut self, pass: Pass) {
        if self.recent.is_empty() {
            self.recent.resize(NOTED_MIN, 0);
        }
        {
            let slot = pass.hash() % NOTED_MIN;
            if self.noted.get(self.recent[slot] as usize) != Some(&pass) {
                self.recent[slot] = narrow(self.noted.len());
                self.noted.push(pass);
            }
        }
        if self.noted.len() > 2 * self.distinct + NOTED_MIN {
            self.weed();
        }
    }

    fn weed(&mut self) {
        self.noted.sort_unstable_by(|a, b| {
            lexicographic(a.point, b.point)
                .then_with(|| (a.ring, a.position, a.inside).cmp(&(b.ring, b.position, b.inside)))
        });
        self.noted.dedup();
        self.distinct = self.noted.len();
    }

    /// The passes by point, then ring, then their order on the ring.
    pub(crate) fn into_sorted(mut self) -> Vec<Pass> {
        self.weed();
        self.noted
    }
}
