//! The two ways to stop: once is "finish what is in flight", twice is "now".

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
    Draining,
    Ending,
}

/// Asks an engine to stop. Dropping it asks nothing.
#[derive(Clone, Debug)]
pub struct StopHandle(watch::Sender<Phase>);

/// How an engine hears of it.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<Phase>);

/// A handle and the signal it gives.
#[must_use]
pub fn stop_pair() -> (StopHandle, StopSignal) {
    let (sender, receiver) = watch::channel(Phase::Running);
    (StopHandle(sender), StopSignal(receiver))
}

impl StopHandle {
    /// The first call lets what is in flight finish; the second ends at once.
    pub fn stop(&self) {
        self.0.send_modify(|phase| {
            *phase = match *phase {
                Phase::Running => Phase::Draining,
                Phase::Draining | Phase::Ending => Phase::Ending,
            };
        });
    }
}

impl StopSignal {
    /// Whether anything new may still be started.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.0.borrow() >= Phase::Draining
    }

    /// Waits for the first stop.
    pub async fn stopping(&self) {
        self.reached(Phase::Draining).await;
    }

    /// Waits for the second stop.
    pub async fn ending(&self) {
        self.reached(Phase::Ending).await;
    }

    async fn reached(&self, wanted: Phase) {
        let mut receiver = self.0.clone();
        let heard = receiver.wait_for(|phase| *phase >= wanted).await.is_ok();
        if !heard {
            std::future::pending::<()>().await;
        }
    }
}
