//! One of each server, a consumer on them, and what must hold of it.

use hexlane_servers::{PASSWORD, redis};
use hexlane_tests::consumer::Consumer;
use hexlane_tests::deployment::{assert_each_once, servers};
use hexlane_tests::flood::{batch, deliver};
use hexlane_tests::http::{self, Request};
use hexlane_tests::postgis::Postgis;
use hexlane_tests::{settings, wait};
use serde_json::Value as Json;
use std::time::Duration;
use toml::Table;

/// Leases that end, waits for an operator of up to 30 s, a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_mins(2);
/// Lines that a fault may cost, each a change of what an operator has to know: what is away,
/// what that says by now (refused, starting, read-only), and intake beside delivery.
const LOG_LINES_MAX: usize = 12;
/// Shards that each meet a fault: a log of one line a shard is over the limit.
const SHARDS: usize = 64;

/// Both in servers, and a log that a test can read.
const MORE: &str = r#"
[run]
queue = "redis"
map = "postgis"
[log]
format = "json"
"#;

pub(crate) struct Deployment {
    pub(crate) redis: redis::Server,
    pub(crate) postgis: Postgis,
    pub(crate) consumer: Consumer,
    sent: u64,
    /// How many faults there are: what the log may grow by.
    faults: usize,
}

impl Deployment {
    /// All three, ready.
    pub(crate) fn start() -> Self {
        let mut deployment = Self::prepared(redis::Server::start(), &[]);
        deployment.consumer.restart();
        deployment
    }

    /// The servers, and a consumer that is not started yet.
    pub(crate) fn prepared(redis: redis::Server, variables: &[(&str, &str)]) -> Self {
        let postgis = Postgis::start();
        let mut all = settings::door();
        all.extend(servers(&redis, &postgis));
        let more: Table = MORE.parse().expect("settings");
        all.extend(more);
        let mut given = vec![("MAP_PASSWORD", PASSWORD)];
        given.extend(variables.iter().filter(|(name, _)| *name != "MAP_PASSWORD"));
        if let Some(other) = variables.iter().find(|(name, _)| *name == "MAP_PASSWORD") {
            given[0] = *other;
        }
        Self {
            redis,
            postgis,
            consumer: Consumer::prepared(&all, &given),
            sent: 0,
            faults: 1,
        }
    }

    /// Sends so many events, each until it is answered 202.
    pub(crate) fn take(&mut self, events: u64) {
        let request = batch(self.sent, events);
        let answer = deliver(self.consumer.port, &request, LIMIT);
        assert_eq!(answer.status, 202, "{}", answer.text());
        self.sent += events;
    }

    /// Counts events that somebody else sent and got a 202 for.
    pub(crate) const fn sent_besides(&mut self, events: u64) {
        self.sent += events;
    }

    /// Asks until an event is refused, as one that cannot be kept must be.
    pub(crate) fn refuses(&self) {
        // Of its own entity, and sent again below: refused or not, it may be on the queue.
        let request = batch(self.sent, 1);
        wait::until("a refusal", LIMIT, || {
            let answer = http::send(self.consumer.port, &request).ok()?;
            if answer.status == 202 {
                return None;
            }
            assert_eq!(answer.status, 503, "{}", answer.text());
            assert_eq!(answer.json()["code"], "queue.unavailable");
            let after = answer.header("retry-after").expect("a Retry-After");
            assert!(after.parse::<u32>().is_ok_and(|seconds| seconds >= 1));
            Some(())
        });
    }

    /// Not once in a while: no 202 as long as the fault lasts.
    pub(crate) fn refuses_every_time(&self) {
        self.refuses();
        for _ in 0..20 {
            let answer = http::send(self.consumer.port, &batch(self.sent, 1)).expect("an answer");
            assert_eq!(answer.status, 503, "{}", answer.text());
        }
    }

    fn readyz(&self) -> Option<(u16, Json)> {
        let answer = http::send(self.consumer.port, &Request::get("/readyz")).ok()?;
        Some((answer.status, answer.json()))
    }

    /// Until it says that this part takes no events, and why.
    pub(crate) fn unready(&self, part: &str, reason: &str) {
        let mut last = None;
        let told = format!("not ready: {part}, {reason}");
        let deadline = wait::Deadline::after(LIMIT);
        loop {
            let seen = self.readyz();
            if let Some((503, document)) = &seen
                && document["part"] == part
                && document["reason"] == reason
            {
                break;
            }
            last = seen.or(last);
            assert!(!deadline.passed(), "{told}; last {last:?}");
            wait::pause(Duration::from_millis(20));
        }
        self.alive();
    }

    /// Until it says that shards wait for that, and takes events all the same.
    pub(crate) fn waits_for(&self, reason: &str) {
        let what = format!("a pause for {reason}");
        wait::until(&what, LIMIT, || {
            let (status, document) = self.readyz()?;
            (status == 200 && document["paused"][reason].as_u64()? >= 1).then_some(())
        });
        self.alive();
    }

    /// Until it is ready and waits for nothing.
    pub(crate) fn well(&self) {
        wait::until("readiness without a pause", LIMIT, || {
            let (status, document) = self.readyz()?;
            (status == 200 && document["paused"] == serde_json::json!({})).then_some(())
        });
    }

    pub(crate) fn alive(&self) {
        let answer = self.consumer.send(&Request::get("/livez"));
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    /// `hexlane status` of a process that cannot say: that, and which part is at fault.
    pub(crate) fn status_names(&self, words: &str) {
        let output = self.consumer.try_status();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(words), "{told}");
    }

    /// Warnings and errors so far: level and the whole line.
    fn complaints(&self) -> Vec<(String, String)> {
        let log = self.consumer.log();
        let lines = log.lines().filter_map(|line| {
            let document: Json = serde_json::from_str(line).ok()?;
            let level = document["level"].as_str()?.to_owned();
            matches!(level.as_str(), "WARN" | "ERROR").then(|| (level, line.to_owned()))
        });
        lines
            .filter(|(_, line)| !line.contains("redis.settings"))
            .collect()
    }

    /// The fault is made so often.
    pub(crate) const fn repeated(&mut self, faults: usize) {
        self.faults = faults;
    }

    /// Until one line of that level holds all these words; nothing floods the log beside it.
    pub(crate) fn told_once(&self, level: &str, words: &[&str]) {
        let deadline = wait::Deadline::after(LIMIT);
        loop {
            let complaints = self.complaints();
            let told = complaints
                .iter()
                .filter(|(at, line)| at == level && words.iter().all(|word| line.contains(word)));
            let told = told.count();
            if told == 1 {
                break;
            }
            let in_time = told == 0 && !deadline.passed();
            assert!(in_time, "{level} {words:?} {told} times: {complaints:#?}");
            wait::pause(Duration::from_millis(50));
        }
        self.log_is_short();
    }

    /// No more lines than there is news.
    pub(crate) fn log_is_short(&self) {
        let complaints = self.complaints();
        const { assert!(LOG_LINES_MAX < SHARDS) };
        let most = LOG_LINES_MAX * self.faults;
        assert!(complaints.len() <= most, "{complaints:#?}");
        let log = self.consumer.log();
        for secret in [PASSWORD, "right-password", "wrong-password"] {
            assert!(!log.contains(secret), "a password in the log");
        }
    }

    pub(crate) fn map_sql(&self, sql: &str) {
        self.postgis.sql("map", sql);
    }

    /// Everything sent, and one event that was refused before, is applied and once.
    pub(crate) fn drains(mut self) {
        self.take(10);
        self.well();
        assert_each_once(&self.consumer, &self.postgis, self.sent, LIMIT);
        self.log_is_short();
        self.consumer.stop();
    }
}
