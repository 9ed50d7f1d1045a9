//! Repairs that a sender asks for, and what they did to the geometry of one feature.
//!
//! What is derived travels beside the payload and is never derived again. Steps are done in the
//! declared system, and what needs degrees (`split-antimeridian`, and what is asked behind it)
//! after reprojecting.

pub use hexlane_repair::{Change, Step};

/// What was done to one feature's geometry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Derivation {
    /// In the declared system.
    pub(crate) declared: Vec<Change>,
    /// The EPSG code from which it was reprojected.
    pub(crate) reprojected: Option<u32>,
    /// In degrees, after reprojecting.
    pub(crate) degrees: Vec<Change>,
}

impl Derivation {
    /// Whether the geometry is still that of the payload.
    pub(crate) const fn is_none(&self) -> bool {
        self.declared.is_empty() && self.reprojected.is_none() && self.degrees.is_empty()
    }

    /// What changed, in order.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.declared.iter().chain(&self.degrees)
    }

    /// What was done, in order, as the envelope names it.
    pub(crate) fn steps(&self) -> Vec<String> {
        let name = |change: &Change| change.step.name().to_owned();
        let mut steps: Vec<String> = self.declared.iter().map(name).collect();
        steps.extend(self.reprojected.map(reprojection));
        steps.extend(self.degrees.iter().map(name));
        steps
    }

    /// Puts the steps into the order in which they were asked: members of a collection may have
    /// needed different ones.
    pub(crate) fn sort_by(&mut self, asked: &[Step]) {
        let rank = |change: &Change| asked.iter().position(|step| *step == change.step);
        self.declared.sort_by_key(rank);
        self.degrees.sort_by_key(rank);
    }
}

/// How the step of reprojecting begins.
const REPROJECT: &str = "reproject ";

fn reprojection(epsg: u32) -> String {
    format!("{REPROJECT}EPSG:{epsg} EPSG:4326")
}

/// Whether a step of an envelope's is that of reprojecting.
pub(crate) fn is_reprojection(step: &str) -> bool {
    step.starts_with(REPROJECT)
}

/// Adds changes of one member of a collection to those of the others: a sum for each step.
pub(crate) fn add(changes: &mut Vec<Change>, more: &[Change]) {
    for change in more {
        match changes.iter_mut().find(|each| each.step == change.step) {
            Some(sum) => *sum = both(sum, change),
            None => changes.push(*change),
        }
    }
}

fn both(a: &Change, b: &Change) -> Change {
    let pair = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    Change {
        step: a.step,
        parts: pair(a.parts, b.parts),
        rings: pair(a.rings, b.rings),
        area: [a.area[0] + b.area[0], a.area[1] + b.area[1]],
        vertices_added: a.vertices_added + b.vertices_added,
        vertices_dropped: a.vertices_dropped + b.vertices_dropped,
        vertices_moved: a.vertices_moved + b.vertices_moved,
        collapsed: a.collapsed + b.collapsed,
    }
}
