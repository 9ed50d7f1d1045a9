//! Which CRS a payload declares: the header `Content-Crs`, the `crs` member of GeoJSON
//! 2008, or JSON-FG's `coordRefSys`; the nearest level wins, and two that disagree on
//! one level are an error. It transforms nothing. A link is never fetched.

mod rule;

pub(crate) use rule::{CrsRule, OtherCrs};

use crate::json::{Kind, Value};
use serde::{Deserialize, Serialize};

/// The system that the map is stored in: every place must have one there. Geometry travels as
/// longitude and latitude whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Canonical {
    /// Longitude and latitude on WGS 84.
    #[default]
    #[serde(rename = "EPSG:4326")]
    LonLat,
    /// Web Mercator, which ends before the poles.
    #[serde(rename = "EPSG:3857")]
    WebMercator,
}

/// The latitude at which the square map of EPSG:3857 ends.
pub const MERCATOR_LATITUDE_MAX: f64 = 85.051_129;

/// A coordinate reference system, by its registered name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crs {
    /// OGC:CRS84 or CRS84h: longitude, latitude in degrees. The default.
    Crs84,
    /// An EPSG code.
    Epsg(u32),
}

impl Crs {
    /// Whether coordinates are longitude, latitude on WGS 84 as they stand. GeoJSON is
    /// x, y whatever the code says of its axes, so EPSG:4326 and 4979 are.
    #[must_use]
    pub const fn is_crs84(self) -> bool {
        matches!(self, Self::Crs84 | Self::Epsg(4326 | 4979))
    }

    /// The EPSG code; 4326 for CRS84.
    #[must_use]
    pub const fn epsg(self) -> u32 {
        match self {
            Self::Crs84 => 4326,
            Self::Epsg(code) => code,
        }
    }
}

/// A declaration as found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A name that is known.
    Known(Crs, String),
    /// `crs: null`: unknown by GeoJSON 2008, section 3.
    Null,
    /// A name, link or object that is not understood.
    Unsupported(String),
}

impl Declared {
    /// The declaration as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Known(_, text) | Self::Unsupported(text) => text,
            Self::Null => "null",
        }
    }
}

/// Bytes of a declaration: no registered name is longer, and every event carries it.
const NAME_BYTES_MAX: usize = 200;

/// Reads a name in any of its usual forms.
#[must_use]
pub fn parse_name(name: &str) -> Declared {
    let trimmed = name.trim();
    if trimmed.len() > NAME_BYTES_MAX {
        return unsupported(trimmed);
    }
    match parse_known(trimmed) {
        Some(crs) => Declared::Known(crs, trimmed.to_owned()),
        None => unsupported(trimmed),
    }
}

/// What is made of coordinates that are said to be of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// They are longitude and latitude as they stand.
    Degrees,
    /// They are reprojected.
    Reprojected,
    /// Only a datum grid would reproject them well enough.
    NeedsGrid,
    /// The system is not in this build's list.
    NotListed,
    /// The text names no system.
    NoName,
}

/// What is made of the system of that name.
#[must_use]
pub fn support(name: &str) -> Support {
    match parse_name(name) {
        Declared::Known(crs, _) if crs.is_crs84() => Support::Degrees,
        #[cfg(feature = "reproject")]
        Declared::Known(crs, _) => match hexlane_reproject::look_up(crs.epsg()) {
            hexlane_reproject::Lookup::Supported(_) => Support::Reprojected,
            hexlane_reproject::Lookup::NeedsGrid => Support::NeedsGrid,
            hexlane_reproject::Lookup::Unsupported => Support::NotListed,
        },
        #[cfg(not(feature = "reproject"))]
        Declared::Known(..) => Support::NotListed,
        Declared::Null | Declared::Unsupported(_) => Support::NoName,
    }
}

fn unsupported(text: &str) -> Declared {
    Declared::Unsupported(text.chars().take(NAME_BYTES_MAX).collect())
}

fn parse_known(name: &str) -> Option<Crs> {
    let name = name
        .strip_prefix('<')
        .and_then(|inner| inner.strip_suffix('>'))
        .unwrap_or(name);
    let name = name
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    let gml = "http://www.opengis.net/gml/srs/epsg.xml#";
    if let Some(code) = lower.strip_prefix(gml) {
        return epsg(code);
    }
    let uri = [
        "http://www.opengis.net/def/crs/",
        "https://www.opengis.net/def/crs/",
    ];
    if let Some(path) = uri.iter().find_map(|prefix| lower.strip_prefix(prefix)) {
        let mut parts = path.split('/');
        return authority(parts.next()?, parts.next()?, parts.next()?, parts.next());
    }
    let urn = ["urn:ogc:def:crs:", "urn:x-ogc:def:crs:"];
    if let Some(path) = urn.iter().find_map(|prefix| lower.strip_prefix(prefix)) {
        let mut parts = path.split(':');
        return authority(parts.next()?, parts.next()?, parts.next()?, parts.next());
    }
    match lower.as_str() {
        "crs84" | "ogc:crs84" | "crs84h" | "ogc:crs84h" => Some(Crs::Crs84),
        other => other
            .strip_prefix("epsg:")
            .and_then(|code| epsg(code.strip_prefix(':').unwrap_or(code))),
    }
}

fn authority(authority: &str, _version: &str, code: &str, more: Option<&str>) -> Option<Crs> {
    match (authority, code, more) {
        ("ogc", "crs84" | "crs84h", None) => Some(Crs::Crs84),
        ("epsg", code, None) => epsg(code),
        _ => None,
    }
}

fn epsg(code: &str) -> Option<Crs> {
    if !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match code.parse::<u32>().ok()? {
        102_100 | 900_913 => Some(Crs::Epsg(3857)),
        code @ 1..=999_999 => Some(Crs::Epsg(code)),
        _ => None,
    }
}

/// How the keywords of well-known text end, in both of its versions.
const WKT_KEYWORDS: [&str; 4] = ["crs[", "cs[", "crs(", "cs("];

/// Why a declaration that is no name is refused.
pub(crate) fn refusal(text: &str) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let is_object = lower.starts_with('{');
    let has = |member: &str| lower.contains(&format!("\"{member}\""));
    if is_object && (has("link") || has("href")) {
        "is a link, and links are not fetched"
    } else if is_object && (has("$schema") || has("base_crs") || has("datum")) {
        "is PROJJSON, which is not read"
    } else if lower.starts_with("+proj") || lower.starts_with("+init") {
        "is a PROJ text, which is not read"
    } else if WKT_KEYWORDS.iter().any(|keyword| {
        let start = lower.split_inclusive(['[', '(']).next();
        start.is_some_and(|start| start.ends_with(keyword))
    }) {
        "is well-known text, which is not read"
    } else {
        "is not understood"
    }
}

/// The member that declares a CRS, and where its value starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declarant {
    pub(crate) member: &'static str,
    pub(crate) start: usize,
}

/// The declaration of one object, its `crs` or `coordRefSys` member; the second of two that
/// disagree is the error.
pub(crate) fn of_object(object: Value<'_>) -> Result<Option<(Declared, Declarant)>, Declarant> {
    let mut found: Option<(Declared, Declarant)> = None;
    for (name, value) in object.members() {
        let (member, declared) = match &*name {
            "crs" => ("crs", of_crs(value)),
            "coordRefSys" => ("coordRefSys", of_coord_ref_sys(value)),
            _ => continue,
        };
        let start = value.start;
        let declarant = Declarant { member, start };
        match &found {
            Some((earlier, _)) if !agree(earlier, &declared) => return Err(declarant),
            Some(_) => {}
            None => found = Some((declared, declarant)),
        }
    }
    Ok(found)
}

/// Whether two declarations name the same CRS.
pub(crate) fn agree(one: &Declared, other: &Declared) -> bool {
    match (one, other) {
        (Declared::Known(one, _), Declared::Known(other, _)) => {
            one == other || (one.is_crs84() && other.is_crs84())
        }
        _ => one == other,
    }
}

fn of_crs(value: Value<'_>) -> Declared {
    if value.kind() == Kind::Null {
        return Declared::Null;
    }
    let properties = value.member("properties");
    let kind = value.member("type").and_then(|kind| kind.as_text());
    let name = properties
        .and_then(|inner| inner.member("name"))
        .and_then(|name| name.as_text());
    let code = properties
        .and_then(|inner| inner.member("code"))
        .map(|code| code.raw().to_owned());
    match (kind.as_deref(), name, code) {
        (Some("name"), Some(name), _) => parse_name(&name),
        (Some("EPSG"), _, Some(code)) => parse_name(&format!("EPSG:{}", code.trim_matches('"'))),
        _ => unsupported(value.raw()),
    }
}

fn of_coord_ref_sys(value: Value<'_>) -> Declared {
    match (value.kind(), value.as_text()) {
        (Kind::Null, _) => Declared::Null,
        (_, Some(name)) => parse_name(&name),
        _ => unsupported(value.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_form_of_a_name_is_understood() {
        for name in [
            "urn:ogc:def:crs:OGC:1.3:CRS84",
            "urn:ogc:def:crs:OGC::CRS84",
            "urn:ogc:def:crs:OGC:0:CRS84",
            "urn:x-ogc:def:crs:OGC:1.3:CRS84",
            "OGC:CRS84",
            "CRS84",
            "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
            "https://www.opengis.net/def/crs/OGC/0/CRS84h",
            "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>",
            "[OGC:CRS84]",
        ] {
            assert_eq!(
                parse_name(name),
                Declared::Known(Crs::Crs84, name.to_owned()),
                "{name}"
            );
        }
        for name in [
            "urn:ogc:def:crs:EPSG::25832",
            "urn:ogc:def:crs:EPSG:9.8:25832",
            "urn:x-ogc:def:crs:EPSG::25832",
            "EPSG:25832",
            "epsg:25832",
            "EPSG::25832",
            "http://www.opengis.net/def/crs/EPSG/0/25832",
            "https://www.opengis.net/def/crs/EPSG/0/25832",
            "<http://www.opengis.net/def/crs/EPSG/0/25832>",
            "http://www.opengis.net/gml/srs/epsg.xml#25832",
        ] {
            let known = Declared::Known(Crs::Epsg(25832), name.to_owned());
            assert_eq!(parse_name(name), known, "{name}");
        }
        for name in ["EPSG:102100", "EPSG:900913", "EPSG:3857"] {
            assert!(
                matches!(parse_name(name), Declared::Known(Crs::Epsg(3857), _)),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_no_name_is_refused_as_what_it_is() {
        for (name, reason) in [
            ("", "is not understood"),
            ("EPSG:", "is not understood"),
            ("EPSG:0", "is not understood"),
            ("EPSG:x", "is not understood"),
            ("EPSG:+4326", "is not understood"),
            ("EPSG:99999999999", "is not understood"),
            ("EPSG:::4326", "is not understood"),
            ("urn:ogc:def:crs:EPSG", "is not understood"),
            ("urn:ogc:def:crs:EPSG::4326:5773", "is not understood"),
            ("urn:ogc:def:crs:IGNF::LAMB93", "is not understood"),
            ("ESRI:102100", "is not understood"),
            (
                "GEOGCRS[\"WGS 84\",DATUM[\"WGS\"]]",
                "is well-known text, which is not read",
            ),
            (
                "PROJCS[\"x\",GEOGCS[\"WGS 84\"]]",
                "is well-known text, which is not read",
            ),
            ("+proj=utm +zone=32", "is a PROJ text, which is not read"),
        ] {
            let Declared::Unsupported(text) = parse_name(name) else {
                panic!("{name} is understood");
            };
            assert_eq!(refusal(&text), reason, "{name}");
        }
    }

    #[test]
    fn a_name_is_kept_to_its_bound() {
        let long = "ü".repeat(NAME_BYTES_MAX);
        assert!(parse_name(&long).text().chars().count() <= NAME_BYTES_MAX);
        let spaces = format!("  EPSG:25832{}", " ".repeat(NAME_BYTES_MAX));
        assert!(matches!(parse_name(&spaces), Declared::Known(..)));
    }
}
