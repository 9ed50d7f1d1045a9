//! PostgreSQL with PostGIS. It refuses to run as root, and runs as `postgres` then.

use std::{
    fs,
    io::Write as _,
    os::unix::{
        fs::{OpenOptionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    command::{program, read, run, works},
    failure::Failure,
    interrupt::Interrupt,
    ports,
    process::{Echo, Process},
    secret, tools,
    workspace::Workspace,
};

/// Where Debian puts each major version, its programs not on PATH.
const VERSIONS: &str = "/usr/lib/postgresql";

const PACKAGES: &[&str] = &["postgresql-15", "postgresql-15-postgis-3"];

/// Not 5432: that one may be a developer's own.
const PORT: u16 = 15_432;

/// The database and its owner.
const NAME: &str = "hexlane";

/// Recovery after a kill reads the log since the last checkpoint.
const READY_LIMIT: Duration = Duration::from_mins(1);

/// A running PostgreSQL with an empty or kept database `hexlane`, in which PostGIS stands.
#[derive(Debug)]
pub(crate) struct Postgis {
    process: Process,
    password: String,
}

impl Postgis {
    /// Installs it when it is missing.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<(), Failure> {
        if programs().is_some_and(|programs| has_postgis(&programs)) {
            return Ok(());
        }
        tools::ensure_apt(
            workspace,
            tools::Package {
                tool: "PostgreSQL with PostGIS",
                probe: &["test", "-e", "/usr/lib/postgresql/15/lib/postgis-3.so"],
                packages: PACKAGES,
            },
        )
    }

    /// Starts it on a folder, made ready at the first time, and waits until it answers.
    pub(crate) fn start(
        workspace: &Workspace,
        folder: &Path,
        echo: Echo,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        ports::ensure_free(PORT, "PostgreSQL")?;
        let cluster = Cluster::at(workspace, folder)?;
        cluster.initialise()?;
        let mut command = cluster.program("postgres");
        command
            .arg("-D")
            .arg(cluster.data())
            .args(["-p", &PORT.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories="]);
        let mut process = Process::start("postgres", &mut command, echo)?;
        process.until("an answer of PostgreSQL", READY_LIMIT, interrupt, || {
            let mut probe = cluster.program("pg_isready");
            works(probe.args(["-q", "-h", "127.0.0.1", "-p", &PORT.to_string()]))
        })?;
        cluster.make_database()?;
        let password = cluster.password()?;
        Ok(Self { process, password })
    }

    /// Where the database is, without its password.
    pub(crate) fn url() -> String {
        format!("postgresql://{NAME}@127.0.0.1:{PORT}/{NAME}")
    }

    /// The password of its owner.
    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    /// Fails when it has ended.
    pub(crate) fn ensure_alive(&mut self, pause: Duration) -> Result<(), Failure> {
        self.process.ensure_alive(pause)
    }
}

/// The folder of a server, and who may use it.
struct Cluster<'a> {
    workspace: &'a Workspace,
    folder: &'a Path,
    programs: PathBuf,
    user: Option<[u32; 2]>,
}

impl<'a> Cluster<'a> {
    fn at(workspace: &'a Workspace, folder: &'a Path) -> Result<Self, Failure> {
        let missing = || Failure::Missing {
            tool: "PostgreSQL with PostGIS",
            remedy: format!(
                "On Debian or Ubuntu: sudo apt-get install {}",
                PACKAGES.join(" ")
            ),
        };
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        let user = if rustix::process::geteuid().is_root() {
            Some(user(workspace)?)
        } else {
            None
        };
        if let Some([uid, gid]) = user {
            chown(folder, Some(uid), Some(gid)).map_err(Failure::file("hand over", folder))?;
        }
        Ok(Self {
            workspace,
            folder,
            programs: programs().ok_or_else(missing)?,
            user,
        })
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn password_file(&self) -> PathBuf {
        self.folder.join("password")
    }

    fn password(&self) -> Result<String, Failure> {
        let file = self.password_file();
        let text = fs::read_to_string(&file).map_err(Failure::file("read", &file))?;
        Ok(text.trim().to_owned())
    }

    /// A program of the server, as the user that it runs as.
    fn program(&self, name: &str) -> Command {
        let mut command = program(self.workspace, self.programs.join(name));
        command.current_dir(self.folder);
        if let Some([uid, gid]) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Makes the data folder, once: under another name first, so that half of one is never
    /// taken for a whole.
    fn initialise(&self) -> Result<(), Failure> {
        if self.data().exists() {
            return Ok(());
        }
        let password = self.password_file();
        let secret = secret::generate()?.replace(['+', '/', '='], "");
        fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&password)
            .and_then(|mut file| writeln!(file, "{secret}"))
            .map_err(Failure::file("write", &password))?;
        if let Some([uid, gid]) = self.user {
            chown(&password, Some(uid), Some(gid))
                .map_err(Failure::file("hand over", &password))?;
        }
        let half = self.folder.join("data.new");
        if half.exists() {
            fs::remove_dir_all(&half).map_err(Failure::file("remove", &half))?;
        }
        let made = run(self
            .program("initdb")
            .arg("-D")
            .arg(&half)
            .args(["-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8"])
            .args(["--no-locale", "--no-instructions", "--pwfile"])
            .arg(&password));
        if made.is_err() && self.user.is_some() {
            return Err(Failure::Refused(format!(
                "initdb failed. PostgreSQL refuses root, so it runs as `postgres`: that user must \
                 be able to enter {}",
                self.folder.display()
            )));
        }
        made?;
        fs::rename(&half, self.data()).map_err(Failure::file("rename", &half))
    }

    /// Makes the role, the database and the extension that are missing.
    fn make_database(&self) -> Result<(), Failure> {
        let password = self.password()?;
        if self.ask(
            "postgres",
            &format!("select 1 from pg_roles where rolname = '{NAME}'"),
        )? != "1"
        {
            let role = format!("create role {NAME} login password '{password}'");
            self.ask("postgres", &role)?;
        }
        let database = format!("select 1 from pg_database where datname = '{NAME}'");
        if self.ask("postgres", &database)? != "1" {
            self.ask("postgres", &format!("create database {NAME} owner {NAME}"))?;
        }
        self.ask(NAME, "create extension if not exists postgis")?;
        Ok(())
    }

    /// What the superuser's statement gives, as text.
    fn ask(&self, database: &str, sql: &str) -> Result<String, Failure> {
        let answer = read(
            self.program("psql")
                .env("PGPASSWORD", self.password()?)
                .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
                .args(["-h", "127.0.0.1", "-p", &PORT.to_string(), "-U", "postgres"])
                .args(["-d", database, "-c", sql]),
        );
        // The command line would tell a password.
        let answer = answer
            .map_err(|_| Failure::Refused("psql refused to prepare the database".to_owned()))?;
        Ok(answer.trim().to_owned())
    }
}

/// The programs of the newest version that Debian installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?.flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|version| version.path()).max_by_key(number)?;
    let programs = newest.join("bin");
    programs.join("initdb").exists().then_some(programs)
}

fn has_postgis(programs: &Path) -> bool {
    let version = programs.parent();
    version.is_some_and(|version| version.join("lib/postgis-3.so").exists())
}

/// The numbers of user and group `postgres`.
fn user(workspace: &Workspace) -> Result<[u32; 2], Failure> {
    let number = |flag: &str| {
        let text = read(program(workspace, "id").args([flag, "postgres"]))?;
        let number = text.trim().parse();
        number.map_err(|_| Failure::Refused("there is no user `postgres`".to_owned()))
    };
    Ok([number("-u")?, number("-g")?])
}
