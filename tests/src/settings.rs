//! The settings of the tests: the sources of `wrangler.toml` as it stands, and some of
//! our own. The Worker gets them as `DOOR`, the native intake as `hexlane.toml`.

use crate::workspace::root;
use std::fs;
use toml::{Table, Value};

/// Bytes that a body may have: small, so that a test can go over it.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// Secrets by the names under which the settings know them.
pub const SECRETS: [(&str, &str); 4] = [
    (
        "HEXLANE_RELAY_SECRET",
        "whsec_cmVsYXktc2VjcmV0LW9mLXRoZS10ZXN0cw==",
    ),
    (
        "SIGNED_SECRET",
        "whsec_bmV3ZXItc2VjcmV0LW9mLXRoZS10ZXN0cw==",
    ),
    (
        "SIGNED_SECRET_OLD",
        "whsec_b2xkZXItc2VjcmV0LW9mLXRoZS10ZXN0cw==",
    ),
    ("TOKEN_SECRET", "token-of-the-tests-0123456789"),
];

const OWN: &str = r#"
[sources.entities]
auth = "none"
lane = "entity"

[sources.sequenced]
auth = "none"
lane = "entity"
version = { pointer = "/properties/seq", form = "sequence" }

[sources.signed]
auth = { standard_webhooks = { secrets = ["SIGNED_SECRET", "SIGNED_SECRET_OLD"] } }

[sources.typed]
auth = "none"
cloud_events = { types = { moved = "upsert", gone = "delete" } }

[sources.squares]
auth = "none"
grid = "s2"

[sources.tiles]
auth = "none"
grid = "quadkey"
resolution = 9
lane = "cell+entity"

[sources.contracted]
auth = "none"
required = { "/properties/speed" = "number", "/properties/seen" = "time" }

[sources.keeping]
auth = { bearer = { secrets = ["TOKEN_SECRET"] } }
on_refusal = "quarantine"
quarantine_bytes_max = 4096

[sources.mending]
auth = "none"
repair = ["close-ring", "make-valid", "split-antimeridian"]

[sources.hub]
auth = { github = { secrets = ["TOKEN_SECRET"] } }

[sources.token]
auth = { bearer = { secrets = ["TOKEN_SECRET"] } }

[limits]
body_bytes_max = 1_048_576
"#;

/// The door of the tests for bodies of up to so many bytes, each of which may be all
/// coordinates of one geometry.
///
/// # Panics
/// When it has no limits.
#[must_use]
pub fn door_for(body_bytes_max: u64) -> Table {
    /// `[0,0],` has as many bytes.
    const POSITION_BYTES_MIN: u64 = 6;
    /// Many times what the judge needs where boxes separate.
    const WORK_PER_BYTE: u64 = 10;
    let mut door = door();
    let limits = door.get_mut("limits").and_then(Value::as_table_mut);
    let limits = limits.expect("limits of the tests");
    // The envelope has some hundred bytes beside its payload.
    for (name, number) in [
        ("body_bytes_max", body_bytes_max),
        ("envelope_bytes_max", body_bytes_max + (64 << 10)),
        ("vertices_max", body_bytes_max / POSITION_BYTES_MIN),
        ("work_max", body_bytes_max * WORK_PER_BYTE),
    ] {
        let number = i64::try_from(number).expect("a small number");
        limits.insert(name.to_owned(), number.into());
    }
    door
}

/// A secret of [`SECRETS`].
///
/// # Panics
/// When there is none of that name.
#[must_use]
pub fn secret(name: &str) -> &'static str {
    let found = SECRETS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no secret {name}")).1
}

/// `wrangler.toml` as it stands.
///
/// # Panics
/// When it does not parse.
#[must_use]
pub fn wrangler() -> Table {
    let text = fs::read_to_string(root().join("wrangler.toml")).expect("wrangler.toml");
    text.parse()
        .unwrap_or_else(|error| panic!("wrangler.toml: {error}"))
}

/// The door of the tests: sources and limits.
///
/// # Panics
/// When `wrangler.toml` has no `[vars.DOOR]`.
#[must_use]
pub fn door() -> Table {
    let wrangler = wrangler();
    let door = wrangler
        .get("vars")
        .and_then(|vars| vars.get("DOOR"))
        .and_then(Value::as_table);
    let mut door = door.expect("[vars.DOOR] of wrangler.toml").clone();
    let own: Table = OWN.parse().expect("own settings parse");
    for (name, value) in own {
        match (door.get_mut(&name).and_then(Value::as_table_mut), value) {
            (Some(table), Value::Table(more)) => table.extend(more),
            (_, value) => drop(door.insert(name, value)),
        }
    }
    door
}
