//! The Worker under `wrangler dev`, with the queue and the bucket of `wrangler.toml`: both
//! are simulated there as the platform has them, and hand-overs come by themselves.

use crate::http::{self, Request, Response};
use crate::process::Process;
use crate::{edge, settings, tools, wait};
use hexlane_servers::free_port;
use serde_json::{Value as Json, json};
use std::fs;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use toml::{Table, Value};

const START_LIMIT: Duration = Duration::from_mins(1);
const HARNESS: &str = include_str!("dev/harness.js");
const WATCH: &str = include_str!("dev/watch.js");

/// A running Worker with its queue and bucket.
#[derive(Debug)]
pub struct Dev {
    /// Where it listens.
    pub port: u16,
    /// wrangler, and with it workerd.
    pub process: Process,
    _folder: TempDir,
}

impl Dev {
    /// The Worker on route `queue`, its bridge posting to that port, for bodies of 8 MiB.
    #[must_use]
    pub fn start(relay_port: u16) -> Self {
        Self::start_with(relay_port, settings::door_for(8 << 20))
    }

    /// The same with that door.
    ///
    /// # Panics
    /// When it does not come up.
    #[must_use]
    pub fn start_with(relay_port: u16, door: Table) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // wrangler watches the folder of the entry: nothing else may be written there.
        let bundle = folder.path().join("bundle");
        fs::create_dir(&bundle).expect("a folder");
        edge::copy_bundle(&bundle);
        for (name, text) in [("harness.js", HARNESS), ("watch.js", WATCH)] {
            fs::write(bundle.join(name), text).expect("a file");
        }
        let config = folder.path().join("wrangler.toml");
        fs::write(&config, settings(relay_port, door).to_string()).expect("a file");
        let port = free_port();
        let mut command = Command::new(tools::node());
        command.arg(tools::wrangler().canonicalize().expect("a path"));
        command.args(["dev", "--no-bundle", "--ip", "127.0.0.1", "--port"]);
        command.arg(port.to_string());
        command.args(["--inspector-port", &free_port().to_string()]);
        command.arg("--show-interactive-dev-session=false");
        command.arg("--config").arg(&config);
        command.current_dir(folder.path());
        command
            .env("CI", "1")
            .env("WRANGLER_SEND_METRICS", "false")
            .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
            .env("WRANGLER_REGISTRY_PATH", folder.path().join("registry"))
            .env("WRANGLER_LOG_PATH", folder.path().join("wrangler-logs"));
        let log = folder.path().join("log");
        let mut process = Process::start_group("wrangler", &mut command, &log);
        process.until("an answer", START_LIMIT, || {
            let answer = http::send(port, &Request::get("/livez")).ok()?;
            (answer.status == 200).then_some(())
        });
        Self {
            port,
            process,
            _folder: folder,
        }
    }

    /// One request to it.
    ///
    /// # Panics
    /// When no answer comes.
    #[must_use]
    pub fn send(&self, request: &Request) -> Response {
        http::send(self.port, request).expect("an answer of the Worker")
    }

    /// Keys and sizes of the objects in the bucket.
    #[must_use]
    pub fn objects(&self) -> Vec<(String, u64)> {
        let listed = self.look(&Request::get("/test/objects"));
        let objects = listed.as_array().expect("a list").iter();
        let object = |object: &Json| {
            let key = object["key"].as_str().expect("a key").to_owned();
            (key, object["size"].as_u64().expect("a size"))
        };
        objects.map(object).collect()
    }

    /// Puts other bytes in the place of an object.
    pub fn overwrite(&self, key: &str, bytes: &[u8]) {
        self.look(&Request::post(&format!("/test/object?key={key}"), bytes));
    }

    /// Takes an object away.
    pub fn remove(&self, key: &str) {
        self.look(&Request::post(&format!("/test/object?key={key}"), "").method("DELETE"));
    }

    /// Puts a message of that content type on the queue, past the door.
    pub fn put(&self, content_type: &str, body: &[u8]) {
        let path = format!("/test/message?type={content_type}");
        self.look(&Request::post(&path, body));
    }

    /// Sets members of the plan by which bindings fail.
    pub fn plan(&self, plan: &Json) {
        self.look(&Request::post("/test/plan", plan.to_string()));
    }

    /// What the bindings have seen so far.
    #[must_use]
    pub fn seen(&self) -> Json {
        self.look(&Request::get("/test/plan"))
    }

    /// The most linear memory that the Worker's wasm ever had, of its request handler and its
    /// bridge together.
    ///
    /// # Panics
    /// When it does not say.
    #[must_use]
    pub fn wasm_bytes(&self) -> u64 {
        let told = self.look(&Request::get("/test/memory"));
        told.as_u64().expect("a number")
    }

    /// Waits until so many messages were handed over, repeats included.
    pub fn await_hand_overs(&self, messages: u64, limit: Duration) {
        wait::until("hand-overs", limit, || {
            let handed = self.seen()["handed"].as_u64()?;
            (handed >= messages).then_some(())
        });
    }

    fn look(&self, request: &Request) -> Json {
        let answer = self.send(request);
        assert_eq!(answer.status, 200, "{}: {}", request.path, answer.text());
        answer.json()
    }
}

/// `wrangler.toml` as it stands, but for the route, the secrets and the entry.
fn settings(relay_port: u16, door: Table) -> Table {
    let mut wrangler = settings::wrangler();
    for name in ["build", "env", "dev"] {
        wrangler.remove(name);
    }
    wrangler.insert("main".to_owned(), "bundle/harness.js".into());
    wrangler.insert("base_dir".to_owned(), "bundle".into());
    let rule: Table = json!({"type": "ESModule", "globs": ["**/index.js", "**/watch.js"]})
        .as_object()
        .map(|rule| toml::Table::try_from(rule).expect("a table"))
        .expect("an object");
    wrangler.insert("rules".to_owned(), Value::Array(vec![rule.into()]));
    let mut vars = Table::new();
    vars.insert("ROUTE".to_owned(), "queue".into());
    let relay = format!("http://127.0.0.1:{relay_port}");
    vars.insert("RELAY_URL".to_owned(), relay.into());
    vars.insert("DOOR".to_owned(), door.into());
    for (name, value) in settings::SECRETS {
        vars.insert(name.to_owned(), value.into());
    }
    wrangler.insert("vars".to_owned(), vars.into());
    wrangler
}
