//! `cargo xtask up`: the whole flow on one machine, with one command.
//!
//! Installs what is missing, builds, and runs the consumer (port 8788) and the Worker under
//! `wrangler dev` (port 8787) until Ctrl-C; with flags also a real Redis for the queue and a
//! real PostGIS for the map. Everything listens on loopback only. It keeps no state of its
//! own: events and map are in `hexlane-data`, the relay's secret in `.dev.vars`.

mod advice;

use std::{path::Path, time::Duration};

use crate::{
    consumer, edge,
    failure::Failure,
    http::answers,
    interrupt::Interrupt,
    ports,
    process::{Echo, Process},
    secret,
    servers::{Postgis, Redis},
    workspace::Workspace,
};

/// Where the Worker answers.
const WORKER_PORT: u16 = 8787;

/// wrangler runs the build command again and starts workerd.
const WORKER_LIMIT: Duration = Duration::from_mins(5);

/// Between two looks at the running programs.
const PAUSE: Duration = Duration::from_millis(100);

/// What runs besides the Worker and the consumer, and how they meet.
#[derive(Debug, clap::Args)]
pub(crate) struct UpArgs {
    /// The queue in a Redis of its own, started here
    #[arg(long)]
    redis: bool,
    /// The map in a PostGIS of its own, started here
    #[arg(long)]
    postgis: bool,
    /// How the Worker hands events on
    #[arg(long, value_enum, default_value_t = Route::Relay)]
    route: Route,
}

/// How the Worker hands events on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Route {
    /// A signed request to the consumer
    Relay,
    /// Cloudflare Queues, simulated, and the push bridge
    Queue,
    /// Redis Streams over a socket of the runtime
    Redis,
}

impl Route {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Relay => "relay",
            Self::Queue => "queue",
            Self::Redis => "redis",
        }
    }
}

/// Runs all of it until interrupted; fails when a part stops by itself.
pub(crate) fn up(workspace: &Workspace, args: &UpArgs) -> Result<(), Failure> {
    if args.route == Route::Redis && !args.redis {
        let why = "route `redis` needs a Redis: add --redis";
        return Err(Failure::Refused(why.to_owned()));
    }
    ports::ensure_free(WORKER_PORT, "the Worker (wrangler dev)")?;
    ports::ensure_free(consumer::PORT, "the consumer (hexlane run)")?;
    if args.redis {
        Redis::ensure(workspace)?;
    }
    if args.postgis {
        Postgis::ensure(workspace)?;
    }
    consumer::build(workspace)?;
    edge::build(workspace)?;
    let secret = secret::ensure(workspace.root())?;
    let interrupt = Interrupt::watch()?;
    match serve(workspace, args, &secret, &interrupt) {
        Err(Failure::Interrupted) => {
            println!("all stopped");
            Ok(())
        }
        other => other,
    }
}

fn serve(
    workspace: &Workspace,
    args: &UpArgs,
    secret: &str,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let root = workspace.root();
    let mut servers = Servers::start(workspace, args, interrupt)?;
    let settings = servers.settings();
    let mut consumer = consumer::start(
        workspace,
        root,
        secret,
        &settings,
        Echo::Prefixed,
        interrupt,
    )?;
    let mut worker = start_worker(workspace, args.route)?;
    worker.until("an answer of the Worker", WORKER_LIMIT, interrupt, || {
        answers(WORKER_PORT, "/", |_| true)
    })?;
    advice::print(WORKER_PORT, &servers.map_advice(root));
    loop {
        interrupt.check()?;
        consumer.ensure_alive(PAUSE)?;
        worker.ensure_alive(PAUSE)?;
        servers.ensure_alive()?;
    }
}

/// The servers that flags asked for. Dropped, and so stopped, after consumer and Worker.
struct Servers {
    redis: Option<Redis>,
    postgis: Option<Postgis>,
}

impl Servers {
    fn start(workspace: &Workspace, args: &UpArgs, interrupt: &Interrupt) -> Result<Self, Failure> {
        let data = workspace.root().join("hexlane-data");
        // A queue is bound to one map, so each map has its own.
        let queue = if args.postgis {
            "redis-postgis"
        } else {
            "redis"
        };
        let start_redis = || {
            let folder = data.join(queue);
            Redis::start(workspace, &folder, Echo::Silent, interrupt)
        };
        let start_postgis = || {
            let folder = data.join("postgis");
            Postgis::start(workspace, &folder, Echo::Silent, interrupt)
        };
        Ok(Self {
            redis: args.redis.then(start_redis).transpose()?,
            postgis: args.postgis.then(start_postgis).transpose()?,
        })
    }

    /// What the consumer is told by environment.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = Vec::new();
        if self.redis.is_some() {
            settings.push(("HEXLANE_RUN_QUEUE", "redis".to_owned()));
            settings.push((
                "HEXLANE_REDIS_SERVERS",
                format!("[\"{}\"]", Redis::address()),
            ));
        }
        if let Some(postgis) = &self.postgis {
            settings.push(("HEXLANE_RUN_MAP", "postgis".to_owned()));
            settings.push(("HEXLANE_POSTGIS_URL", Postgis::url()));
            settings.push(("HEXLANE_POSTGIS_PASSWORD", postgis.password().to_owned()));
        }
        settings
    }

    /// How to look at the map.
    fn map_advice(&self, root: &Path) -> String {
        let folder = root.join("hexlane-data");
        if self.postgis.is_some() {
            let password = folder.join("postgis/password");
            return format!(
                "  # the map: tables in schema hexlane, for QGIS or psql\n  \
                 PGPASSWORD=$(cat {}) psql {} -c 'select source, entity, st_astext(geom) from \
                 hexlane.features limit 9'",
                password.display(),
                Postgis::url(),
            );
        }
        format!(
            "  # the map: a GeoPackage for QGIS, or\n  ogrinfo -so {} features",
            folder.join("map.gpkg").display()
        )
    }

    fn ensure_alive(&mut self) -> Result<(), Failure> {
        if let Some(redis) = &mut self.redis {
            redis.ensure_alive(Duration::ZERO)?;
        }
        if let Some(postgis) = &mut self.postgis {
            postgis.ensure_alive(Duration::ZERO)?;
        }
        Ok(())
    }
}

fn start_worker(workspace: &Workspace, route: Route) -> Result<Process, Failure> {
    let mut command = edge::wrangler(workspace)?;
    command
        .args(["dev", "--env=", "--ip", "127.0.0.1", "--port"])
        .arg(WORKER_PORT.to_string())
        .arg("--show-interactive-dev-session=false")
        .args(["--var", &format!("ROUTE:{}", route.as_str())]);
    if route == Route::Redis {
        command.args(["--var", &format!("REDIS_URL:redis://{}", Redis::address())]);
    }
    Process::start("worker", &mut command, Echo::Prefixed)
}
