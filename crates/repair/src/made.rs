//! What a step makes of a geometry.

use ogc_validity::OwnedShape;

/// A result and what a look at it does not tell.
pub(crate) struct Made {
    pub(crate) geometry: OwnedShape,
    pub(crate) moved: usize,
    pub(crate) collapsed: usize,
}

impl Made {
    pub(crate) const fn plain(geometry: OwnedShape) -> Self {
        Self {
            geometry,
            moved: 0,
            collapsed: 0,
        }
    }
}
