//! Least privilege: what a user must be allowed, and nothing else. Every command and option
//! that is sent stands here; a test runs everything as such a user.

use hexlane_streams::Layout;

/// What the consumer may do, beside its scripts.
const CONSUMER: [&str; 28] = [
    "asking",
    "cluster|slots",
    "config|get",
    "eval",
    "evalsha",
    "exists",
    "hdel",
    "hget",
    "hincrby",
    "hmget",
    "hset",
    "hsetnx",
    "info",
    "ping",
    "rename",
    "unlink",
    "xack",
    "xadd",
    "xdel",
    "xgroup|create",
    "xinfo|groups",
    "xinfo|stream",
    "xlen",
    "xpending",
    "xrange",
    "xread",
    "xreadgroup",
    "xtrim",
];

/// What the Worker may do: publish.
const PUBLISHER: [&str; 11] = [
    "eval",
    "evalsha",
    "hget",
    "hincrby",
    "hmget",
    "hset",
    "rename",
    "unlink",
    "xadd",
    "xinfo|groups",
    "xpending",
];

/// The rules of a consumer's user, for `ACL SETUSER name on >password …`.
#[must_use]
pub fn consumer_rules(layout: &Layout) -> Vec<String> {
    rules(layout, &CONSUMER)
}

/// The rules of a user that only publishes.
#[must_use]
pub fn publisher_rules(layout: &Layout) -> Vec<String> {
    rules(layout, &PUBLISHER)
}

fn rules(layout: &Layout, commands: &[&str]) -> Vec<String> {
    let namespace = layout.namespace();
    let keys = [
        "resetkeys".to_owned(),
        format!("~{namespace}"),
        format!("~{namespace}:*"),
        format!("~{{{namespace}}}:*"),
        "resetchannels".to_owned(),
        "-@all".to_owned(),
    ];
    let commands = commands.iter().map(|command| format!("+{command}"));
    keys.into_iter().chain(commands).collect()
}
