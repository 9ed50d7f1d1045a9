//! Opening the stores, and waiting for a server that is not there yet: machines start in any
//! order, and a supervisor that has restarted a process often enough gives it up.

use super::signals::Signals;
use super::stores::{OpenError, Opened};
use crate::http::{Server, Starting, serve_meanwhile, starting};
use crate::reference::ReferenceLayers;
use crate::settings::Settings;
use hexlane_backend::{Clock, Failure};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Between two tries.
const PAUSE: Duration = Duration::from_secs(1);
/// Tries after which the log says again what is waited for: a minute.
const TRIES_TOLD: u32 = 60;

/// What came of it.
pub(super) enum Opening {
    /// The stores, and the layers as far as they could be read.
    Opened(Opened, ReferenceLayers),
    /// A signal came first.
    Stopped,
}

/// Opens the stores, then reads the layers; tries again while a server is away. Whoever
/// asks meanwhile is told so.
///
/// # Errors
/// What no waiting mends.
pub(super) async fn open(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    server: &Server,
    signals: &mut Signals,
    layers: impl Future<Output = Result<ReferenceLayers, Failure>>,
) -> Result<Opening, OpenError> {
    let (told, ended) = (Starting::default(), Notify::new());
    let serving = serve_meanwhile(server, starting(told.clone()), ended.notified());
    let opening = async {
        let opened = open_all(settings, clock, &told, signals, layers).await;
        ended.notify_one();
        opened
    };
    let ((), opened) = tokio::join!(serving, opening);
    opened
}

async fn open_all(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    told: &Starting,
    signals: &mut Signals,
    layers: impl Future<Output = Result<ReferenceLayers, Failure>>,
) -> Result<Opening, OpenError> {
    let opened = tokio::select! {
        opened = open_when_there(settings, clock, told) => opened?,
        () = signals.next() => return Ok(Opening::Stopped),
    };
    opened.warn(settings);
    let read = tokio::select! {
        layers = layers => layers.map(Some),
        () = signals.next() => Ok(None),
    };
    match read {
        Ok(Some(layers)) => Ok(Opening::Opened(opened, layers)),
        // Nothing was begun: the map is left as a stop leaves it.
        Ok(None) => {
            drop(opened.stop().await);
            Ok(Opening::Stopped)
        }
        Err(failure) => {
            drop(opened.stop().await);
            Err(OpenError::of_layers(failure))
        }
    }
}

async fn open_when_there(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    told: &Starting,
) -> Result<Opened, OpenError> {
    let (mut tries, mut last) = (0_u32, None);
    loop {
        let error = match open_and_bind(settings, clock).await {
            Ok(opened) => return Ok(opened),
            Err(error) if error.may_pass() => error,
            Err(error) => return Err(error),
        };
        told.wait_for(&error.failure);
        let code = error.failure.code;
        if last != Some(code) || tries.is_multiple_of(TRIES_TOLD) {
            let code = code.as_str();
            tracing::warn!(code, %error, "waiting for it to start; no event is taken until then");
        }
        last = Some(code);
        tries = tries.saturating_add(1);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Opens both, and holds the queue to the map. What it cannot hold is left as a stop
/// leaves it.
async fn open_and_bind(settings: &Settings, clock: &Arc<dyn Clock>) -> Result<Opened, OpenError> {
    let opened = Opened::open(settings, clock).await?;
    if let Err(error) = opened.bind().await {
        drop(opened.stop().await);
        return Err(error);
    }
    Ok(opened)
}
