//! What a server's error means to whoever asked. By the first word, which is the contract;
//! the sentence after it differs between versions.

use redis::ServerError;
use std::fmt;

/// The server refused. Unless said otherwise nothing has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has forgotten the script: send the code.
    ScriptMissing,
    /// The slot is another node's, for good.
    Moved {
        /// The slot.
        slot: u16,
        /// `host:port`; the host may be empty, then it is the one that answered.
        address: String,
    },
    /// The slot is on its way to another node; ask there, after `ASKING`.
    Ask {
        /// The slot.
        slot: u16,
        /// `host:port`.
        address: String,
    },
    /// Loading its data, moving a slot, failing over: later.
    NotReady(String),
    /// A replica: it takes no writes.
    ReadOnly(String),
    /// It cannot write to its disk, and takes no writes until it can.
    DiskTrouble(String),
    /// Over its `maxmemory`.
    OutOfMemory,
    /// Too few replicas, by its own setting.
    TooFewReplicas,
    /// Wrong or missing user or password.
    Unauthorized(String),
    /// The user may not do that.
    NotPermitted(String),
    /// The group is not there.
    NoGroup,
    /// A key holds something else than a stream.
    WrongType,
    /// The streams were written under another shard map.
    ShardMap {
        /// How many shards stand there.
        stored: String,
    },
    /// Anything else.
    Other(String),
}

impl Refusal {
    /// Reads an error by its first word. Scripts hand errors on with words before or after.
    #[must_use]
    pub fn of(error: &ServerError) -> Self {
        let code = error.code();
        let detail = error.details().unwrap_or_default();
        Self::of_words(code, detail)
    }

    /// Reads an error by its first word and the rest.
    #[must_use]
    pub fn of_words(code: &str, detail: &str) -> Self {
        let whole = || format!("{code} {detail}").trim_end().to_owned();
        match code {
            "NOSCRIPT" => Self::ScriptMissing,
            "MOVED" | "ASK" => redirect(code, detail).unwrap_or_else(|| Self::Other(whole())),
            "LOADING" | "TRYAGAIN" | "CLUSTERDOWN" | "MASTERDOWN" | "BUSY" | "UNBLOCKED" => {
                Self::NotReady(whole())
            }
            "READONLY" => Self::ReadOnly(whole()),
            "MISCONF" => Self::DiskTrouble(whole()),
            "OOM" => Self::OutOfMemory,
            "NOREPLICAS" => Self::TooFewReplicas,
            "NOAUTH" | "WRONGPASS" => Self::Unauthorized(whole()),
            "NOPERM" => Self::NotPermitted(whole()),
            "NOGROUP" => Self::NoGroup,
            "WRONGTYPE" => Self::WrongType,
            "SHARDMAP" => Self::ShardMap {
                stored: detail.split(' ').next().unwrap_or_default().to_owned(),
            },
            // Redis 6.2 hands a script's error on as `ERR Error running script (…): … -OOM …`.
            "ERR" => inner(detail).unwrap_or_else(|| Self::Other(whole())),
            _ => Self::Other(whole()),
        }
    }
}

fn redirect(code: &str, detail: &str) -> Option<Refusal> {
    let mut words = detail.split_ascii_whitespace();
    let slot = words.next()?.parse().ok()?;
    let address = words.next()?.to_owned();
    Some(if code == "MOVED" {
        Refusal::Moved { slot, address }
    } else {
        Refusal::Ask { slot, address }
    })
}

const HANDED_ON: [&str; 9] = [
    "OOM",
    "READONLY",
    "MISCONF",
    "NOREPLICAS",
    "NOPERM",
    "WRONGTYPE",
    "SHARDMAP",
    "NOGROUP",
    "CLUSTERDOWN",
];

/// What a server says to a long command of somebody who has not logged in: it does not read
/// on, and ends the connection.
const UNREAD: &str = "Protocol error: unauthenticated";

fn inner(detail: &str) -> Option<Refusal> {
    if detail.starts_with(UNREAD) {
        return Some(Refusal::Unauthorized(detail.to_owned()));
    }
    if detail.contains("can't run this command or subcommand") {
        return Some(Refusal::NotPermitted(detail.to_owned()));
    }
    let mut words = detail.split_ascii_whitespace();
    let code = words.find_map(|word| {
        let word = word.strip_prefix('-').unwrap_or(word);
        HANDED_ON.iter().find(|code| **code == word)
    })?;
    let rest: Vec<&str> = words.collect();
    Some(Refusal::of_words(code, &rest.join(" ")))
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ScriptMissing => formatter.write_str("the server has forgotten the script"),
            Self::Moved { slot, address } => write!(formatter, "slot {slot} is at {address}"),
            Self::Ask { slot, address } => write!(formatter, "slot {slot} moves to {address}"),
            Self::OutOfMemory => formatter.write_str("the server is over its maxmemory"),
            Self::TooFewReplicas => formatter.write_str("the server has too few replicas"),
            Self::NoGroup => formatter.write_str("the consumer group is not there"),
            Self::WrongType => formatter.write_str("a key holds something else than a stream"),
            Self::ShardMap { stored } => {
                write!(formatter, "the streams were written for {stored} shards")
            }
            Self::NotReady(text)
            | Self::ReadOnly(text)
            | Self::DiskTrouble(text)
            | Self::Unauthorized(text)
            | Self::NotPermitted(text)
            | Self::Other(text) => formatter.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_names_slot_and_address() {
        let moved = Refusal::Moved {
            slot: 3999,
            address: "127.0.0.1:6381".to_owned(),
        };
        assert_eq!(Refusal::of_words("MOVED", "3999 127.0.0.1:6381"), moved);
        assert!(matches!(
            Refusal::of_words("ASK", "1 h:2"),
            Refusal::Ask { .. }
        ));
        assert!(matches!(Refusal::of_words("MOVED", "x"), Refusal::Other(_)));
    }

    #[test]
    fn an_error_that_a_script_hands_on_is_found_in_older_wording() {
        let older = "Error running script (call to f_1): @user_script:9: @user_script: 9: \
                     -OOM command not allowed when used memory > 'maxmemory'.";
        assert_eq!(Refusal::of_words("ERR", older), Refusal::OutOfMemory);
        let shards = "Error running script: -SHARDMAP 8";
        let stored = "8".to_owned();
        assert_eq!(
            Refusal::of_words("ERR", shards),
            Refusal::ShardMap { stored }
        );
    }

    #[test]
    fn a_long_command_without_a_login_is_unauthorized_too() {
        for detail in ["multibulk length", "bulk length"] {
            let told = format!("Protocol error: unauthenticated {detail}");
            let expected = Refusal::Unauthorized(told.clone());
            assert_eq!(Refusal::of_words("ERR", &told), expected);
        }
    }

    #[test]
    fn an_unknown_error_keeps_its_words() {
        let other = Refusal::of_words("WOOPS", "such a thing");
        assert_eq!(other, Refusal::Other("WOOPS such a thing".to_owned()));
    }
}
