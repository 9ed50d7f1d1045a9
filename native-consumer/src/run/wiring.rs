//! The process as a whole: started in order, stopped in the other.

use super::opening::{self, Opening};
use super::signals::Signals;
use super::stores::{self, AnyStores, OpenError, Opened};
use crate::chance;
use crate::exit::Exit;
use crate::http::{App, Readiness, Server, router, serve};
use crate::metrics::Metrics;
use crate::reference::ReferenceLayers;
use crate::settings::Settings;
use hexlane_backend::Clock;
use hexlane_engine::{CoreReader, Engine, EngineError, StopHandle, StopSignal, Stopped, stop_pair};
use std::sync::Arc;
use tokio::task::{JoinError, JoinHandle};

/// Why the process did not start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("cannot listen on {0}: {1}")]
    Listen(std::net::SocketAddr, std::io::Error),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot hear signals: {0}")]
    Signals(std::io::Error),
}

/// Everything that runs.
struct Running {
    opened: Opened,
    readiness: Readiness,
    engine: JoinHandle<Result<Stopped, EngineError>>,
    server: JoinHandle<()>,
    stop: StopHandle,
    signals: Signals,
}

/// Starts, waits for a signal, stops.
pub(super) async fn run(settings: Settings, clock: Arc<dyn Clock>) -> Exit {
    match Box::pin(start(settings, clock)).await {
        Ok(Some(running)) => running.until_stopped().await,
        Ok(None) => {
            tracing::info!("stopped before it was ready");
            Exit::Good
        }
        Err(error) => {
            tracing::error!(%error, "not started");
            Exit::Unable
        }
    }
}

/// None when a signal came first.
async fn start(settings: Settings, clock: Arc<dyn Clock>) -> Result<Option<Running>, StartError> {
    let mut signals = Signals::listen().map_err(StartError::Signals)?;
    let listen = settings.run.listen;
    let server = Server::bind(listen, settings.run.connections_max).await;
    let server = server.map_err(|error| StartError::Listen(listen, error))?;
    let metrics = Arc::new(Metrics::default());
    let (stop, stopping) = stop_pair();
    let layers = ReferenceLayers::start(&settings.reference, &metrics, &stopping);
    let opened = opening::open(&settings, &clock, &server, &mut signals, layers);
    let (opened, layers) = match Box::pin(opened).await? {
        Opening::Opened(opened, layers) => (opened, layers),
        Opening::Stopped => return Ok(None),
    };
    let stores = opened.stores();
    let places = stores::places(&settings);
    let engine = engine(&settings, stores.clone(), &clock, &metrics).joined_by(Arc::new(layers));
    let engine = tokio::spawn(engine.run(stopping.clone()));
    let app = App::new(
        settings.door,
        settings.relay_secrets,
        settings.run.intake_bytes_in_flight_max,
        stores,
        clock,
        metrics,
    );
    let readiness = app.readiness().clone();
    let address = server.address().unwrap_or(listen);
    let server = tokio::spawn(serve_until(server, app, stopping));
    tracing::info!(%address, queue = %places.queue, map = %places.map, "ready");
    Ok(Some(Running {
        opened,
        readiness,
        engine,
        server,
        stop,
        signals,
    }))
}

async fn serve_until(server: Server, app: App<AnyStores>, stopping: StopSignal) {
    let stop = async move { stopping.stopping().await };
    serve(server, router(Arc::new(app)), stop).await;
}

fn engine(
    settings: &Settings,
    stores: AnyStores,
    clock: &Arc<dyn Clock>,
    metrics: &Arc<Metrics>,
) -> Engine<AnyStores> {
    let holder = stores::holder(settings, &**clock);
    let engine_settings = stores::engine(settings, holder, &stores.queue);
    let engine = Engine::new(
        stores,
        engine_settings,
        Arc::new(CoreReader),
        Arc::clone(clock),
        Arc::new(chance::seeded(&**clock)),
    );
    engine.observed_by(Arc::clone(metrics) as _)
}

/// Why it stops.
enum Cause {
    Signal,
    EngineEnded(EngineEnd),
    ServerEnded(ServerEnd),
}

type EngineEnd = Result<Result<Stopped, EngineError>, JoinError>;
type ServerEnd = Result<(), JoinError>;

impl Running {
    async fn until_stopped(mut self) -> Exit {
        let cause = tokio::select! {
            () = self.signals.next() => Cause::Signal,
            ended = &mut self.engine => Cause::EngineEnded(ended),
            ended = &mut self.server => Cause::ServerEnded(ended),
        };
        tracing::info!("stopping; a second signal ends at once");
        self.readiness.stop();
        self.stop.stop();
        let Self {
            opened,
            engine,
            server,
            stop,
            mut signals,
            ..
        } = self;
        let ended = async move {
            // The server goes last: once the engine's drain limit has passed or nothing is
            // in hand, requests in flight have their queue until the folder closes.
            let exit = match cause {
                Cause::Signal => {
                    let exit = exit_of_engine(engine.await);
                    exit_of_server(server).await.unwrap_or(exit)
                }
                Cause::EngineEnded(ended) => {
                    let exit = exit_of_engine(ended);
                    exit_of_server(server).await.unwrap_or(exit)
                }
                Cause::ServerEnded(ended) => {
                    tell_server_lost(ended);
                    exit_of_engine(engine.await);
                    Exit::Unable
                }
            };
            close(opened, exit).await
        };
        tokio::select! {
            exit = ended => exit,
            () = signals.next() => {
                stop.stop();
                tracing::warn!("ended by a second signal");
                Exit::Interrupted
            }
        }
    }
}

/// For requests in flight once the engine has stopped: a supervisor's patience, less ours.
const REQUESTS_WAIT_MAX: std::time::Duration = std::time::Duration::from_secs(3);

/// Nobody asked it to end, and without it no event comes in.
fn tell_server_lost(ended: ServerEnd) {
    match ended {
        Ok(()) => tracing::error!("the server ended by itself"),
        Err(error) => tracing::error!(%error, "the server died"),
    }
}

/// Waits for requests in flight; an exit only when the server died over them.
async fn exit_of_server(server: JoinHandle<()>) -> Option<Exit> {
    match tokio::time::timeout(REQUESTS_WAIT_MAX, server).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            tracing::error!(%error, "the server died");
            Some(Exit::Unable)
        }
        Err(_) => {
            tracing::warn!("requests in flight were cut");
            None
        }
    }
}

fn exit_of_engine(ended: EngineEnd) -> Exit {
    match ended {
        Ok(Ok(Stopped::Drained)) => Exit::Good,
        Ok(Ok(Stopped::CutOff)) => {
            tracing::warn!("the drain limit passed; what was in hand comes again");
            Exit::DrainCut
        }
        Ok(Err(error)) => {
            tracing::error!(%error, "delivery ended");
            Exit::Unable
        }
        Err(error) => {
            tracing::error!(%error, "delivery died");
            Exit::Unable
        }
    }
}

async fn close(opened: Opened, exit: Exit) -> Exit {
    match opened.stop().await {
        Ok(()) => {
            tracing::info!("stopped");
            exit
        }
        Err(failure) => {
            tracing::error!(%failure, "the stores were not closed cleanly; nothing is lost");
            exit.max(Exit::Unable)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::settings::{SettingsArgs, load};
    use hexlane_backend::clock::ManualClock;

    /// An engine that drains when it is told to stop, beside that server.
    async fn exit_with(server: impl Future<Output = ()> + Send + 'static) -> Exit {
        let folder = tempfile::tempdir().unwrap();
        let args = SettingsArgs {
            data: Some(folder.path().display().to_string()),
            ..SettingsArgs::default()
        };
        let settings = load(&args, &Environment::of(&[])).settings.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_us(0));
        let (stop, stopping) = stop_pair();
        let running = Running {
            opened: Opened::open(&settings, &clock).await.unwrap(),
            readiness: Readiness::default(),
            engine: tokio::spawn(async move {
                stopping.stopping().await;
                Ok(Stopped::Drained)
            }),
            server: tokio::spawn(server),
            stop,
            signals: Signals::listen().unwrap(),
        };
        running.until_stopped().await
    }

    #[tokio::test]
    async fn a_server_that_ends_by_itself_ends_the_run_with_an_error() {
        assert_eq!(exit_with(async {}).await, Exit::Unable);
        assert_eq!(exit_with(async { panic!("died") }).await, Exit::Unable);
    }
}
