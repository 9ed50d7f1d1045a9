//! The Worker, as bundled for upload, under `workerd serve`.

use crate::http::{self, Request};
use crate::process::Process;
use crate::{settings, tools};
use hexlane_servers::free_port;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use toml::{Table, Value};

const START_LIMIT: Duration = Duration::from_secs(30);

/// A running Worker.
#[derive(Debug)]
pub struct Edge {
    /// Where it listens.
    pub port: u16,
    /// workerd.
    pub process: Process,
    _folder: TempDir,
}

impl Edge {
    /// Where events of that source are sent.
    #[must_use]
    pub fn events(&self, source: &str) -> String {
        format!("http://127.0.0.1:{}/v1/events/{source}", self.port)
    }

    /// The Worker with the settings of the tests, relaying to that port.
    #[must_use]
    pub fn start(relay_port: u16) -> Self {
        Self::start_for(relay_port, settings::door())
    }

    /// The same with that door.
    #[must_use]
    pub fn start_for(relay_port: u16, door: Table) -> Self {
        let mut vars = Table::new();
        vars.insert("ROUTE".to_owned(), "relay".into());
        vars.insert(
            "RELAY_URL".to_owned(),
            format!("http://127.0.0.1:{relay_port}").into(),
        );
        vars.insert("DOOR".to_owned(), door.into());
        Self::start_with(&vars, &settings::SECRETS)
    }

    /// The Worker as `wrangler.toml` stands, relaying to that port.
    ///
    /// # Panics
    /// When `wrangler.toml` has no `[vars]`.
    #[must_use]
    pub fn start_as_it_stands(relay_port: u16) -> Self {
        let wrangler = settings::wrangler();
        let vars = wrangler.get("vars").and_then(Value::as_table);
        let mut vars = vars.expect("[vars] of wrangler.toml").clone();
        vars.insert(
            "RELAY_URL".to_owned(),
            format!("http://127.0.0.1:{relay_port}").into(),
        );
        Self::start_with(&vars, &settings::SECRETS)
    }

    /// The Worker with those variables and secrets.
    ///
    /// # Panics
    /// When it does not come up.
    #[must_use]
    pub fn start_with(vars: &Table, secrets: &[(&str, &str)]) -> Self {
        Self::launch(vars, secrets, None)
    }

    /// The Worker on route `queue`, its queue being an HTTP server at that port, which gets a
    /// POST for each call.
    #[must_use]
    pub fn start_on_queue(queue_port: u16) -> Self {
        let mut vars = Table::new();
        vars.insert("ROUTE".to_owned(), "queue".into());
        vars.insert("DOOR".to_owned(), settings::door().into());
        Self::launch(&vars, &settings::SECRETS, Some(queue_port))
    }

    /// The Worker on route `redis`.
    #[must_use]
    pub fn start_on_redis(url: &str) -> Self {
        let mut vars = Table::new();
        vars.insert("ROUTE".to_owned(), "redis".into());
        vars.insert("REDIS_URL".to_owned(), url.into());
        vars.insert("DOOR".to_owned(), settings::door().into());
        Self::start_with(&vars, &settings::SECRETS)
    }

    fn launch(vars: &Table, secrets: &[(&str, &str)], queue_port: Option<u16>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let modules = copy_bundle(folder.path());
        let port = free_port();
        let config = folder.path().join("workerd.capnp");
        let bindings = bindings(vars, secrets);
        fs::write(&config, capnp(port, &modules, &bindings, queue_port)).expect("a file");
        let mut command = Command::new(tools::workerd());
        command.arg("serve").arg(&config);
        let mut process = Process::start("workerd", &mut command, &folder.path().join("log"));
        process.until("an answer", START_LIMIT, || {
            http::send(port, &Request::get("/livez")).ok()
        });
        Self {
            port,
            process,
            _folder: folder,
        }
    }
}

/// workerd embeds files beside its configuration only. The entry comes first.
pub(crate) fn copy_bundle(folder: &Path) -> String {
    let bundle = tools::edge_bundle();
    let mut names = Vec::new();
    for entry in fs::read_dir(&bundle).expect("the bundle's folder") {
        let name = entry
            .expect("an entry of a folder")
            .file_name()
            .to_string_lossy()
            .into_owned();
        if kind_of(&name).is_some() {
            fs::copy(bundle.join(&name), folder.join(&name)).expect("a copy");
            names.push(name);
        }
    }
    names.sort_by_key(|name| (name != "index.js", name.clone()));
    let kinds = names
        .iter()
        .filter_map(|name| Some((quoted(name), kind_of(name)?)));
    kinds.fold(String::new(), |mut modules, (name, kind)| {
        let _ = writeln!(modules, "(name = {name}, {kind} = embed {name}),");
        modules
    })
}

fn kind_of(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "js" => Some("esModule"),
        "wasm" => Some("wasm"),
        _ => None,
    }
}

fn bindings(vars: &Table, secrets: &[(&str, &str)]) -> String {
    let vars = vars.iter().map(|(name, value)| match value.as_str() {
        Some(text) => (name.as_str(), format!("text = {}", quoted(text))),
        None => (name.as_str(), format!("json = {}", quoted(&json(value)))),
    });
    let secrets = secrets
        .iter()
        .map(|(name, value)| (*name, format!("text = {}", quoted(value))));
    vars.chain(secrets)
        .fold(String::new(), |mut bindings, (name, literal)| {
            let _ = writeln!(bindings, "(name = {}, {literal}),", quoted(name));
            bindings
        })
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).expect("settings are JSON")
}

fn capnp(port: u16, modules: &str, bindings: &str, queue_port: Option<u16>) -> String {
    let (queue, service) = queue_port.map_or_else(Default::default, queue);
    let wrangler = settings::wrangler();
    let date = wrangler.get("compatibility_date").and_then(Value::as_str);
    let date = quoted(date.expect("compatibility_date of wrangler.toml"));
    let flags = wrangler
        .get("compatibility_flags")
        .and_then(Value::as_array);
    let flags: Vec<String> = flags
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(quoted)
        .collect();
    let flags = flags.join(", ");
    format!(
        r#"using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [{modules}],
      bindings = [{bindings}{queue}],
      compatibilityDate = {date},
      compatibilityFlags = [{flags}],
    )),
    {service}(name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:{port}", http = (), service = "worker")],
);
"#
    )
}

/// A binding of a queue, and the server behind it.
fn queue(port: u16) -> (String, String) {
    let binding = r#"(name = "EVENTS", queue = "events")"#.to_owned();
    let address = format!("127.0.0.1:{port}");
    let service = format!(r#"(name = "events", external = (address = "{address}", http = ())),"#);
    (binding, service)
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
