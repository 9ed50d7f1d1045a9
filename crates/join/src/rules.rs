//! How a layer is read and asked.

/// What a layer is told. The defaults are those of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerRules {
    /// What a match is.
    pub predicate: Predicate,
    /// Properties that a match carries; all when none are named.
    pub properties: Option<Vec<String>>,
    /// Matches kept of one event; the rest is counted. At most [`crate::MATCHES_MAX`].
    pub matches_max: usize,
    /// What becomes of a feature that is not valid.
    pub faulty: Faulty,
}

impl Default for LayerRules {
    fn default() -> Self {
        Self {
            predicate: Predicate::Intersects,
            properties: None,
            matches_max: 16,
            faulty: Faulty::Mend,
        }
    }
}

/// What a match is, by the names of OGC Simple Features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Feature and event have a point in common, if only on a border.
    #[default]
    Intersects,
    /// The feature contains the whole event: no point of it outside, and not all on the
    /// border.
    Contains,
}

impl Predicate {
    /// Both, in the order of the declaration.
    pub const ALL: [Self; 2] = [Self::Intersects, Self::Contains];

    /// The fixed name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intersects => "intersects",
            Self::Contains => "contains",
        }
    }

    /// The predicate of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.as_str() == name)
    }
}

/// What becomes of a reference feature that is not valid. It is told in each case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faulty {
    /// A polygon is made valid: each by itself by the even-odd rule, then all of the
    /// feature united. What cannot be mended is left out.
    #[default]
    Mend,
    /// The feature matches nothing.
    LeaveOut,
    /// The layer is not made.
    Refuse,
}

impl Faulty {
    /// Every choice, in the order of the declaration.
    pub const ALL: [Self; 3] = [Self::Mend, Self::LeaveOut, Self::Refuse];

    /// The fixed name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mend => "mend",
            Self::LeaveOut => "leave_out",
            Self::Refuse => "refuse",
        }
    }

    /// The choice of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.as_str() == name)
    }
}
