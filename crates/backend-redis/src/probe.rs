//! What the server is, asked once before it is trusted. What would lose events is refused
//! with a sentence; what an operator should know is a warning.

use crate::connection::Connection;
use crate::failure::Trouble;
use crate::settings::{Persistence, Settings, Topology};
use hexlane_backend::{Code, Failure, Part};
use hexlane_streams::Refusal;
use redis::{Value, cmd};
use std::fmt;

/// The oldest Redis whose commands suffice.
const VERSION_MIN: (u32, u32) = (6, 2);

/// Something an operator should know; the queue works all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The log reaches the disk up to a second late, or whenever the system likes: a crash
    /// of the machine takes what was answered in between.
    AppendFsync(String),
    /// The user may not see `appendfsync`.
    AppendFsyncUnknown,
    /// The server keeps nothing over a restart, and the settings allow it.
    NoPersistence,
    /// Keys without an expiry are safe under this policy; it should be `noeviction`.
    EvictionPolicy(String),
    /// The server has no `maxmemory`: it takes what it needs until the system ends it.
    NoMaxmemory,
    /// A server of another make; its stream semantics were not tested with this build.
    UntestedServer(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppendFsync(value) => write!(
                formatter,
                "`appendfsync {value}`: a crash may lose what was answered last; `always` does not"
            ),
            Self::AppendFsyncUnknown => formatter
                .write_str("`appendfsync` cannot be seen: allow `CONFIG GET`, or see to `always`"),
            Self::NoPersistence => {
                formatter.write_str("`appendonly no`: a restart loses everything that waits")
            }
            Self::EvictionPolicy(policy) => {
                write!(formatter, "`maxmemory-policy {policy}`: set `noeviction`")
            }
            Self::NoMaxmemory => formatter.write_str("`maxmemory` is not set"),
            Self::UntestedServer(name) => write!(formatter, "{name}: not tested with this build"),
        }
    }
}

/// Asks every master.
pub(crate) async fn probe(
    connection: &Connection,
    settings: &Settings,
) -> Result<Vec<Warning>, Failure> {
    let masters = connection
        .info_of_masters()
        .await
        .map_err(|t| t.failure())?;
    let mut warnings = Vec::new();
    for info in &masters {
        let found = Info(info).judge(settings)?;
        warnings.extend(found);
    }
    if !warnings.contains(&Warning::NoPersistence) {
        warnings.extend(appendfsync(connection).await?);
    }
    warnings.dedup();
    Ok(warnings)
}

async fn appendfsync(connection: &Connection) -> Result<Option<Warning>, Failure> {
    let asked = cmd("CONFIG").arg("GET").arg("appendfsync").to_owned();
    let answer = match connection.send(&asked).await {
        Ok(answer) => answer,
        Err(Trouble::Refused(Refusal::NotPermitted(_) | Refusal::Other(_))) => {
            return Ok(Some(Warning::AppendFsyncUnknown));
        }
        Err(trouble) => return Err(trouble.failure()),
    };
    let words: Vec<String> = redis::from_redis_value(answer).unwrap_or_default();
    Ok(match words.get(1).map(String::as_str) {
        Some("always") => None,
        Some(other) => Some(Warning::AppendFsync(other.to_owned())),
        None => Some(Warning::AppendFsyncUnknown),
    })
}

/// The answer of `INFO`.
#[derive(Clone, Copy)]
pub(crate) struct Info<'a>(pub(crate) &'a str);

impl Info<'_> {
    fn field(&self, name: &str) -> Option<&str> {
        let line = |line: &str| {
            let rest = line.strip_prefix(name)?.strip_prefix(':')?;
            Some(rest.trim_end().len())
        };
        self.0.lines().find_map(|text| {
            let length = line(text)?;
            let start = name.len() + 1;
            text.get(start..start + length)
        })
    }

    /// `maxmemory`, when there is one.
    pub(crate) fn maxmemory(&self) -> Option<u64> {
        let value = self.field("maxmemory")?.parse().ok()?;
        (value > 0).then_some(value)
    }

    /// Memory in use, as it counts against `maxmemory`.
    pub(crate) fn used_memory(&self) -> u64 {
        let value = self.field("used_memory").map(str::parse);
        value.and_then(Result::ok).unwrap_or(0)
    }

    fn judge(&self, settings: &Settings) -> Result<Vec<Warning>, Failure> {
        let mut warnings = Vec::new();
        warnings.extend(self.judge_make()?);
        self.judge_place(settings)?;
        warnings.extend(self.judge_memory()?);
        warnings.extend(self.judge_log(settings)?);
        Ok(warnings)
    }

    fn judge_make(&self) -> Result<Option<Warning>, Failure> {
        for (field, name) in [
            ("dragonfly_version", "Dragonfly"),
            ("kvrocks_version", "Kvrocks"),
        ] {
            if self.field(field).is_some() {
                let told = format!("{name} is not Redis: its consumer groups differ");
                return Err(refused(told));
            }
        }
        let version = self.field("redis_version").unwrap_or_default();
        let mut parts = version
            .split('.')
            .map_while(|part| part.parse::<u32>().ok());
        let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
            return Err(refused(format!("no Redis version in `{version}`")));
        };
        if (major, minor) < VERSION_MIN {
            let told = format!("Redis {version}: 6.2 or newer is needed");
            return Err(refused(told));
        }
        let executable = self.field("executable").unwrap_or_default();
        let keydb = executable.contains("keydb");
        Ok(keydb.then(|| Warning::UntestedServer(format!("KeyDB {version}"))))
    }

    fn judge_place(&self, settings: &Settings) -> Result<(), Failure> {
        let clustered = self.field("cluster_enabled") == Some("1");
        match (&settings.topology, clustered) {
            (Topology::Cluster(_), false) => {
                return Err(refused("the server is no cluster: name it as one server"));
            }
            (Topology::Single(_) | Topology::Sentinel { .. }, true) => {
                return Err(refused("the server is part of a cluster: name it as one"));
            }
            (Topology::Cluster(_), true)
            | (Topology::Single(_) | Topology::Sentinel { .. }, false) => {}
        }
        if self.field("role") == Some("slave") {
            let told = "the server is a replica: it takes no writes";
            return Err(Failure::new(Part::Queue, Code::ReadOnly).with_detail(told));
        }
        Ok(())
    }

    fn judge_memory(&self) -> Result<Option<Warning>, Failure> {
        let policy = self.field("maxmemory_policy").unwrap_or("noeviction");
        let limited = self.maxmemory().is_some();
        if policy == "noeviction" {
            return Ok((!limited).then_some(Warning::NoMaxmemory));
        }
        if limited && policy.starts_with("allkeys") {
            let told = format!("`maxmemory-policy {policy}` would drop streams: set `noeviction`");
            return Err(refused(told));
        }
        Ok(Some(Warning::EvictionPolicy(policy.to_owned())))
    }

    fn judge_log(&self, settings: &Settings) -> Result<Option<Warning>, Failure> {
        if self.field("aof_enabled") == Some("1") {
            return Ok(None);
        }
        match settings.persistence {
            Persistence::Required => Err(refused(
                "`appendonly no`: a restart would lose what waits; set `appendonly yes`",
            )),
            Persistence::NotRequired => Ok(Some(Warning::NoPersistence)),
        }
    }
}

fn refused(told: impl Into<String>) -> Failure {
    Failure::new(Part::Queue, Code::Settings).with_detail(told)
}

/// Texts of `INFO`, one a master.
pub(crate) fn texts(answer: Value) -> Vec<String> {
    if let Value::Map(nodes) = answer {
        return nodes
            .into_iter()
            .filter_map(|(_, text)| one(text))
            .collect();
    }
    one(answer).into_iter().collect()
}

fn one(value: Value) -> Option<String> {
    redis::from_redis_value(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Server\r\nredis_version:7.0.15\r\ncluster_enabled:0\r\nrole:master\r\n\
                        maxmemory:1000\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n";

    fn judge(text: &str) -> Result<Vec<Warning>, Failure> {
        Info(text).judge(&Settings::at(Topology::Single("h:1".to_owned())))
    }

    fn refusal(from: &str, to: &str) -> String {
        judge(&GOOD.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn a_good_server_gives_no_warning() {
        assert_eq!(judge(GOOD), Ok(Vec::new()));
    }

    #[test]
    fn what_would_lose_events_is_refused_with_a_sentence() {
        assert!(refusal("7.0.15", "6.0.20").contains("6.2 or newer"));
        assert!(refusal("aof_enabled:1", "aof_enabled:0").contains("appendonly yes"));
        assert!(refusal("noeviction", "allkeys-lru").contains("noeviction"));
        assert!(refusal("role:master", "role:slave").contains("replica"));
        assert!(refusal("cluster_enabled:0", "cluster_enabled:1").contains("cluster"));
        assert!(refusal("redis_version", "dragonfly_version:1\r\nx").contains("Dragonfly"));
    }

    #[test]
    fn what_an_operator_should_know_is_a_warning() {
        let without = judge(&GOOD.replace("maxmemory:1000", "maxmemory:0"));
        assert_eq!(without, Ok(vec![Warning::NoMaxmemory]));
        let volatile = judge(&GOOD.replace("noeviction", "volatile-lru"));
        let policy = Warning::EvictionPolicy("volatile-lru".to_owned());
        assert_eq!(volatile, Ok(vec![policy]));
    }
}
