//! Connections to the server: a bounded pool, each session prepared before its first use,
//! each call one statement with a limit in time.
//!
//! A call that was not answered takes its connection with it: what comes on it later would
//! be taken for the answer to something else.

use crate::failure::{Progress, ends_connection, failure, pool_failure};
use crate::session;
use crate::settings::{Settings, Tls};
use crate::tls;
use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use hexlane_backend::{Code, Failure, Part};
use std::str::FromStr;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The system counts in whole seconds and takes no zero.
const KEEPALIVE_MIN: Duration = Duration::from_secs(1);

/// What a statement is asked with.
pub(crate) type Parameters<'a> = [&'a (dyn ToSql + Sync)];

/// A pool of prepared sessions.
#[derive(Debug)]
pub(crate) struct Connections {
    pool: Pool,
    call_timeout: Duration,
}

impl Connections {
    /// A pool of at most that many; connects to nothing yet.
    pub(crate) fn new(settings: &Settings, connections_max: usize) -> Result<Self, Failure> {
        let config = config(settings)?;
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = match tls::config(&settings.tls)? {
            None => Manager::from_config(config, NoTls, recycling),
            Some(tls) => Manager::from_config(config, MakeRustlsConnect::new(tls), recycling),
        };
        let prepare = session::statements(settings);
        let hook = Hook::async_fn(move |client, _| {
            let prepare = prepare.clone();
            Box::pin(async move {
                client
                    .batch_execute(&prepare)
                    .await
                    .map_err(HookError::Backend)
            })
        });
        let pool = Pool::builder(manager)
            .max_size(connections_max)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(settings.connect_timeout))
            .wait_timeout(Some(settings.call_timeout))
            .post_create(hook)
            .build()
            .map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            pool,
            call_timeout: settings.call_timeout,
        })
    }

    /// A session of the pool, to be alone with.
    pub(crate) async fn session(&self, part: Part) -> Result<Client, Failure> {
        self.pool
            .get()
            .await
            .map_err(|error| pool_failure(part, &error))
    }

    /// The rows of one statement that changes nothing.
    pub(crate) async fn read(
        &self,
        part: Part,
        sql: &str,
        parameters: &Parameters<'_>,
    ) -> Result<Vec<Row>, Failure> {
        self.call(part, sql, parameters, Progress::Harmless).await
    }

    /// The rows of one statement, after its commit.
    pub(crate) async fn write(
        &self,
        part: Part,
        sql: &str,
        parameters: &Parameters<'_>,
    ) -> Result<Vec<Row>, Failure> {
        self.call(part, sql, parameters, Progress::Sent).await
    }

    async fn call(
        &self,
        part: Part,
        sql: &str,
        parameters: &Parameters<'_>,
        progress: Progress,
    ) -> Result<Vec<Row>, Failure> {
        let client = self.session(part).await?;
        let answer = self.ask(part, &client, sql, parameters, progress).await;
        if let Err(failure) = &answer
            && ends_connection(failure.code)
        {
            drop(Client::take(client));
        }
        answer
    }

    async fn ask(
        &self,
        part: Part,
        client: &Client,
        sql: &str,
        parameters: &Parameters<'_>,
        progress: Progress,
    ) -> Result<Vec<Row>, Failure> {
        let statement = timeout(self.call_timeout, client.prepare_cached(sql))
            .await
            .map_err(|_| unanswered(part, Progress::Harmless))?
            .map_err(|error| failure(part, &error, Progress::Harmless))?;
        // Rows are complete once the server is ready again, which is after the commit.
        timeout(self.call_timeout, client.query(&statement, parameters))
            .await
            .map_err(|_| unanswered(part, progress))?
            .map_err(|error| failure(part, &error, progress))
    }

    /// No session after this; calls answer `store.stopped`.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

fn unanswered(part: Part, progress: Progress) -> Failure {
    let code = match progress {
        Progress::Harmless => Code::Unavailable,
        Progress::Sent => Code::AnswerLost,
    };
    Failure::new(part, code).with_detail("no answer in time")
}

fn config(settings: &Settings) -> Result<Config, Failure> {
    let mut config = Config::from_str(&settings.url).map_err(|_| {
        wrong("the URL is not one of PostgreSQL's (sslmode: disable, prefer or require)")
    })?;
    let asked = config.get_ssl_mode();
    config.ssl_mode(match settings.tls {
        Tls::Off if asked == SslMode::Require => {
            return Err(wrong("the URL requires TLS, and tls is off"));
        }
        Tls::Off => SslMode::Disable,
        Tls::System | Tls::Authority(_) => SslMode::Require,
    });
    if let Some(password) = &settings.password {
        config.password(password);
    }
    config
        .application_name("hexlane")
        .connect_timeout(settings.connect_timeout)
        .tcp_user_timeout(settings.call_timeout)
        .keepalives_idle(settings.call_timeout.max(KEEPALIVE_MIN));
    Ok(config)
}

fn wrong(detail: impl Into<String>) -> Failure {
    Failure::new(Part::Sink, Code::Settings).with_detail(detail)
}
