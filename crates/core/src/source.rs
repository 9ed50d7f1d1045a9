//! A source: who may send, and where its events keep their identity, version and op.
//!
//! [`SourceSettings`] is what a person writes (in `hexlane.toml` or `wrangler.toml`,
//! the same tables); [`Source`] is what it resolves to, and cannot be half valid.
//! Secrets are written by name only; the caller looks the values up.

mod auth;
mod cloud_events;
mod member;
mod rfc3339;
mod version_rule;

pub use auth::{Auth, AuthSettings};
pub use cloud_events::{CloudEventSettings, TypeOp};
pub use member::MemberType;
pub(crate) use rfc3339::rfc3339_us;
pub use version_rule::{VersionForm, VersionRule, VersionSettings};

use crate::crs::{Canonical, CrsRule, OtherCrs};
use crate::lane::{Grid, LaneRule};
use crate::repair::Step;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A source as written. Unknown members are an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSettings {
    /// How requests prove where they come from; required, `"none"` must be said.
    pub auth: AuthSettings,
    /// JSON Pointers into the feature; the first that is there names the entity.
    #[serde(default = "default_entity")]
    pub entity: Vec<String>,
    /// JSON Pointer to the event id.
    #[serde(default = "default_event_id")]
    pub event_id: String,
    /// Where the version is and what it is; without it, `/properties/observed_at` as an
    /// RFC 3339 time where present, else the time of acceptance.
    #[serde(default)]
    pub version: Option<VersionSettings>,
    /// JSON Pointer to the op: `"upsert"` or `"delete"`.
    #[serde(default = "default_op")]
    pub op: String,
    /// What keeps its order: `cell`, `entity` or `cell+entity`.
    #[serde(default)]
    pub lane: LaneRule,
    /// The grid of the lane's cell: `h3`, `s2` or `quadkey`.
    #[serde(default)]
    pub grid: Grid,
    /// Resolution of the lane's cell; none is the usual one of the grid.
    #[serde(default)]
    pub resolution: Option<u8>,
    /// What happens to another CRS than OGC:CRS84.
    #[serde(default)]
    pub crs: CrsPolicy,
    /// How far from its place a reprojected position may come to lie, in millimetres, by what
    /// the list of systems states; none takes all of the list, whose worst are 20 m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crs_accuracy_mm_max: Option<u32>,
    /// The system of the map: what has no place in it is refused.
    #[serde(default)]
    pub canonical_crs: Canonical,
    /// The repairs that a sender may ask for with `Prefer: repair="…"`, by name; none is none.
    #[serde(default)]
    pub repair: Vec<String>,
    /// How far ahead of the door's clock a version's time may be, in seconds.
    #[serde(default = "default_future_max_s")]
    pub future_max_s: u32,
    /// Names of the reference layers that the consumer joins its events with. Nothing to the
    /// door, which takes the same table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub join: Vec<String>,
    /// The members that every upsert must have, by JSON Pointer, and their types.
    #[serde(default)]
    pub required: BTreeMap<String, MemberType>,
    /// What the source makes of `CloudEvents`.
    #[serde(default)]
    pub cloud_events: CloudEventSettings,
    /// What happens to a request that is judged bad.
    #[serde(default)]
    pub on_refusal: OnRefusal,
    /// Bytes of what is quarantined for one request, as an envelope; over it, it is refused.
    #[serde(default = "default_quarantine_bytes_max")]
    pub quarantine_bytes_max: u32,
}

/// What a source does with a request that is judged bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRefusal {
    /// The sender is told, and nothing is kept.
    #[default]
    Refuse,
    /// It is taken and kept as poison, for senders that would repeat a 422 for days.
    Quarantine,
}

/// What a source does with another CRS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrsPolicy {
    /// 422 with the code that was declared.
    #[default]
    Reject,
    /// The geometry is derived in OGC:CRS84 and travels beside the payload.
    Reproject,
}

fn default_entity() -> Vec<String> {
    vec!["/id".to_owned(), "/properties/device_id".to_owned()]
}

fn default_event_id() -> String {
    "/properties/event_id".to_owned()
}

fn default_op() -> String {
    "/properties/op".to_owned()
}

/// One broken clock must not freeze an entity: a day.
const fn default_future_max_s() -> u32 {
    86_400
}

/// A usual webhook many times over, and little enough for any broker.
const fn default_quarantine_bytes_max() -> u32 {
    65_536
}

/// A source as resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in the URL; scopes keys and entities.
    pub name: String,
    /// How requests prove where they come from.
    pub auth: Auth,
    pub(crate) entity: Vec<String>,
    pub(crate) event_id: String,
    pub(crate) version: VersionRule,
    pub(crate) op: String,
    pub(crate) crs: CrsRule,
    /// The repairs that a sender may ask for.
    pub repair: Vec<Step>,
    pub(crate) lane: LaneRule,
    pub(crate) grid: Grid,
    pub(crate) resolution: u8,
    pub(crate) future_max_us: i64,
    pub(crate) required: Vec<(String, MemberType)>,
    pub(crate) cloud_events: CloudEventSettings,
    /// Bytes of what is quarantined for one request; none where the source refuses.
    pub quarantine_bytes_max: Option<u32>,
}

/// Why settings do not make a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The name does not fit into a URL and a label.
    #[error("source `{0}`: a name is 1 to 64 of a-z, 0-9, `-`, `_`")]
    Name(String),
    /// Not an RFC 6901 pointer.
    #[error("source `{source_name}`: `{member}` is not a JSON Pointer: `{pointer}`")]
    Pointer {
        /// The source.
        source_name: String,
        /// The setting.
        member: &'static str,
        /// What stands there.
        pointer: String,
    },
    /// The grid has no such resolution.
    #[error(
        "source `{source_name}`: `resolution` is {resolution}, {} has {} to {}",
        grid.as_str(), grid.resolutions().start(), grid.resolutions().end()
    )]
    Resolution {
        /// The source.
        source_name: String,
        /// Its grid.
        grid: Grid,
        /// What stands there.
        resolution: u8,
    },
    /// A secret is named and not there.
    #[error("source `{source_name}`: the secret `{secret}` is not set")]
    SecretMissing {
        /// The source.
        source_name: String,
        /// The name that was looked up.
        secret: String,
    },
    /// A secret is there and not usable.
    #[error("source `{source_name}`: the secret `{secret}` {reason}")]
    SecretUnusable {
        /// The source.
        source_name: String,
        /// The name that was looked up.
        secret: String,
        /// What is wrong with it; never its value.
        reason: &'static str,
    },
    /// A public key is none.
    #[error("source `{source_name}`: public key {number} {reason}")]
    PublicKey {
        /// The source.
        source_name: String,
        /// Which of them, from 1; never its text: a secret may stand there by mistake.
        number: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Two rules would order one entity in two ways.
    #[error("source `{0}`: `cloud_events.time_is_version` and `version` exclude each other")]
    TwoVersions(String),
    /// What nobody vouches for must not be kept.
    #[error(
        "source `{0}`: `on_refusal = \"quarantine\"` needs an `auth`: anybody could fill the poison"
    )]
    QuarantineOpen(String),
    /// The list of systems is left out of this build.
    #[error("source `{0}`: this build cannot do `crs = \"reproject\"`")]
    Reproject(String),
    /// Nothing is reprojected.
    #[error("source `{0}`: `crs_accuracy_mm_max` needs `crs = \"reproject\"`")]
    Accuracy(String),
    /// No repair has that name.
    #[error(
        "source `{source_name}`: `repair` has no step `{step}`: {}",
        Step::NAMES.map(|(name, _)| name).join(", ")
    )]
    Repair {
        /// The source.
        source_name: String,
        /// What stands there.
        step: String,
    },
    /// An `auth` without a secret would let everybody in.
    #[error("source `{0}`: `auth` names no secret; say `auth = \"none\"` to let everybody in")]
    NoSecret(String),
}

impl SourceSettings {
    /// Settings with every default and that way of proof.
    #[must_use]
    pub fn new(auth: AuthSettings) -> Self {
        Self {
            auth,
            entity: default_entity(),
            event_id: default_event_id(),
            version: None,
            op: default_op(),
            lane: LaneRule::default(),
            grid: Grid::default(),
            resolution: None,
            crs: CrsPolicy::default(),
            crs_accuracy_mm_max: None,
            canonical_crs: Canonical::default(),
            repair: Vec::new(),
            future_max_s: default_future_max_s(),
            join: Vec::new(),
            required: BTreeMap::new(),
            cloud_events: CloudEventSettings::default(),
            on_refusal: OnRefusal::default(),
            quarantine_bytes_max: default_quarantine_bytes_max(),
        }
    }

    /// The source of that name; `secret` looks a secret up by its name.
    ///
    /// # Errors
    /// When a setting has no meaning, or a secret is missing.
    pub fn resolve(
        &self,
        name: &str,
        secret: impl Fn(&str) -> Option<String>,
    ) -> Result<Source, SourceError> {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
            return Err(SourceError::Name(name.to_owned()));
        }
        let grid = self.grid;
        let resolution = self.resolution.unwrap_or(grid.resolution_default());
        if !grid.resolutions().contains(&resolution) {
            return Err(SourceError::Resolution {
                source_name: name.to_owned(),
                grid,
                resolution,
            });
        }
        for pointer in &self.entity {
            check_pointer(name, "entity", pointer)?;
        }
        check_pointer(name, "event_id", &self.event_id)?;
        check_pointer(name, "op", &self.op)?;
        if let Some(version) = &self.version {
            check_pointer(name, "version.pointer", &version.pointer)?;
        }
        for pointer in self.required.keys() {
            check_pointer(name, "required", pointer)?;
        }
        if self.cloud_events.time_is_version && self.version.is_some() {
            return Err(SourceError::TwoVersions(name.to_owned()));
        }
        if self.crs == CrsPolicy::Reproject && !cfg!(feature = "reproject") {
            return Err(SourceError::Reproject(name.to_owned()));
        }
        if self.crs_accuracy_mm_max.is_some() && self.crs == CrsPolicy::Reject {
            return Err(SourceError::Accuracy(name.to_owned()));
        }
        let quarantines = self.on_refusal == OnRefusal::Quarantine;
        if quarantines && self.auth == AuthSettings::None {
            return Err(SourceError::QuarantineOpen(name.to_owned()));
        }
        Ok(Source {
            name: name.to_owned(),
            auth: self.auth.resolve(name, secret)?,
            entity: self.entity.clone(),
            event_id: self.event_id.clone(),
            version: VersionRule::of(self.version.as_ref()),
            op: self.op.clone(),
            crs: CrsRule {
                accuracy_mm_max: self.crs_accuracy_mm_max,
                canonical: self.canonical_crs,
                ..OtherCrs::from(self.crs).rule()
            },
            repair: self.steps(name)?,
            lane: self.lane,
            grid,
            resolution,
            future_max_us: i64::from(self.future_max_s) * 1_000_000,
            required: self.required.clone().into_iter().collect(),
            cloud_events: self.cloud_events.clone(),
            quarantine_bytes_max: quarantines.then_some(self.quarantine_bytes_max),
        })
    }
}

impl SourceSettings {
    /// The repairs, by name. Those that a build leaves out may be named all the same: the same
    /// table serves the edge and the consumer, and a preference is not owed to anybody.
    fn steps(&self, name: &str) -> Result<Vec<Step>, SourceError> {
        let step = |written: &String| {
            Step::by_name(written).ok_or_else(|| SourceError::Repair {
                source_name: name.to_owned(),
                step: written.clone(),
            })
        };
        self.repair.iter().map(step).collect()
    }
}

fn check_pointer(name: &str, member: &'static str, pointer: &str) -> Result<(), SourceError> {
    let escapes_fine = pointer
        .split('~')
        .skip(1)
        .all(|rest| rest.starts_with(['0', '1']));
    if pointer.starts_with('/') && escapes_fine {
        return Ok(());
    }
    let pointer = pointer.to_owned();
    Err(SourceError::Pointer {
        source_name: name.to_owned(),
        member,
        pointer,
    })
}
