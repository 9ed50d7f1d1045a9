//! `workerd serve`: a Worker without the development proxy of `wrangler dev`.
//!
//! Writes the configuration that workerd wants: the modules of a bundle, the
//! compatibility settings and `[vars]` of `wrangler.toml` as bindings, and the
//! relay's secret. A queue can be bound to a service that discards what it gets;
//! buckets are not made.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use toml::{Table, Value};

use crate::{
    command::program,
    failure::Failure,
    http::answers,
    interrupt::Interrupt,
    process::{Echo, Process},
    workspace::Workspace,
};

const START_LIMIT: Duration = Duration::from_secs(30);

/// What one workerd serves.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) name: &'static str,
    pub(crate) port: u16,
    /// A folder with `index.js` and the modules it imports.
    pub(crate) modules: PathBuf,
    /// Name and capnp literal of each binding.
    pub(crate) bindings: Vec<(String, String)>,
    /// The name of a queue's binding.
    pub(crate) queue: Option<&'static str>,
}

/// What stands behind a queue: it confirms each call and keeps nothing.
const DISCARD: &str = include_str!("../../peers/discard.js");

impl Worker {
    /// Starts it and waits for an answer.
    pub(crate) fn serve(
        &self,
        workspace: &Workspace,
        settings: &Table,
        interrupt: &Interrupt,
    ) -> Result<Process, Failure> {
        let config = self.modules.join(format!("{}.capnp", self.name));
        fs::write(&config, self.config(settings)?).map_err(Failure::file("write", &config))?;
        let mut command = program(workspace, workspace.npm_bin("workerd"));
        command.arg("serve").arg(&config);
        let mut process = Process::start(self.name, &mut command, Echo::Silent)?;
        process.until("an answer of workerd", START_LIMIT, interrupt, || {
            answers(self.port, "/", |_| true)
        })?;
        Ok(process)
    }

    fn config(&self, settings: &Table) -> Result<String, Failure> {
        let date = settings["compatibility_date"].as_str();
        let date = quoted(date.unwrap_or("2026-01-01"));
        let mut bindings = String::new();
        for (name, literal) in &self.bindings {
            let _ = writeln!(bindings, "        (name = {}, {literal}),", quoted(name));
        }
        let mut services = String::new();
        if let Some(queue) = self.queue {
            let _ = writeln!(
                bindings,
                "        (name = {}, queue = \"discard\"),",
                quoted(queue)
            );
            let _ = writeln!(
                services,
                "    (name = \"discard\", worker = (modules = [(name = \"discard.js\", esModule = {})], compatibilityDate = {date})),",
                quoted(DISCARD),
            );
        }
        Ok(format!(
            r#"using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [
{modules}      ],
      bindings = [
{bindings}      ],
      compatibilityDate = {date},
      compatibilityFlags = [{flags}],
    )),
{services}    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:{port}", http = (), service = "worker")],
);
"#,
            modules = modules(&self.modules)?,
            flags = flags(settings),
            port = self.port,
        ))
    }
}

/// `wrangler.toml`, as far as workerd needs it.
pub(crate) fn settings(workspace: &Workspace) -> Result<Table, Failure> {
    let path = workspace.root().join("wrangler.toml");
    let text = fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
    let table: Table = text
        .parse()
        .map_err(|error| Failure::Refused(format!("wrangler.toml: {error}")))?;
    if table.contains_key("compatibility_date") {
        Ok(table)
    } else {
        Err(Failure::Refused(
            "wrangler.toml has no compatibility_date".to_owned(),
        ))
    }
}

/// `[vars]` as bindings: text stays text, anything else becomes JSON.
pub(crate) fn vars(settings: &Table) -> Result<Vec<(String, String)>, Failure> {
    let vars = settings.get("vars").and_then(Value::as_table);
    vars.into_iter()
        .flatten()
        .map(|(name, value)| Ok((name.clone(), literal(value)?)))
        .collect()
}

/// A text binding.
pub(crate) fn text(value: &str) -> String {
    format!("text = {}", quoted(value))
}

fn literal(value: &Value) -> Result<String, Failure> {
    if let Some(value) = value.as_str() {
        return Ok(text(value));
    }
    serde_json::to_string(value)
        .map(|json| format!("json = {}", quoted(&json)))
        .map_err(|error| Failure::Refused(format!("a var of wrangler.toml is not JSON: {error}")))
}

fn flags(settings: &Table) -> String {
    let flags = settings
        .get("compatibility_flags")
        .and_then(Value::as_array);
    let flags = flags.into_iter().flatten().filter_map(Value::as_str);
    flags.map(quoted).collect::<Vec<_>>().join(", ")
}

/// The module list; the entry comes first, as workerd wants it.
fn modules(folder: &Path) -> Result<String, Failure> {
    let mut names = Vec::new();
    collect(folder, "", &mut names)?;
    names.sort_by_key(|name| (name != "index.js", name.clone()));
    let mut list = String::new();
    for name in &names {
        let kind = match Path::new(name).extension().and_then(|kind| kind.to_str()) {
            Some("js") => "esModule",
            Some("wasm") => "wasm",
            _ => continue,
        };
        let name = quoted(name);
        let _ = writeln!(list, "        (name = {name}, {kind} = embed {name}),");
    }
    Ok(list)
}

/// The files below `folder`, each by its path under it.
fn collect(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(Failure::file("list", folder))? {
        let path = entry.map_err(Failure::file("list", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::vars;

    #[test]
    fn a_var_becomes_text_and_a_table_becomes_json() {
        let settings: Table = "[vars]\nMODE = \"a \\\"b\\\"\"\n[vars.SOURCES]\ndemo = 1\n"
            .parse()
            .unwrap();
        let vars = vars(&settings).unwrap();
        assert_eq!(
            vars,
            [
                ("MODE".to_owned(), r#"text = "a \"b\"""#.to_owned()),
                ("SOURCES".to_owned(), r#"json = "{\"demo\":1}""#.to_owned()),
            ]
        );
    }
}
