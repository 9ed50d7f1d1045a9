//! The connection that commands share. Lost, it is opened again by the next command; a
//! cluster's looks after itself.

use crate::failure::Trouble;
use crate::opener::Opener;
use crate::probe;
use hexlane_streams::{Call, Refusal};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo};
use redis::{Cmd, Value};
use std::sync::Arc;
use tokio::sync::Mutex;

/// A connection that commands share.
pub(crate) struct Connection {
    opener: Arc<Opener>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// Which connection it is, so that the one that failed is dropped and no later one.
    number: u64,
}

#[derive(Clone)]
enum Open {
    Server(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl Connection {
    pub(crate) fn new(opener: Arc<Opener>) -> Self {
        Self {
            opener,
            state: Mutex::default(),
        }
    }

    /// Sends a command.
    pub(crate) async fn send(&self, command: &Cmd) -> Result<Value, Trouble> {
        let (mut open, number) = self.open().await?;
        let answer = match &mut open {
            Open::Server(connection) => send_over(connection, command).await,
            Open::Cluster(connection) => send_over(connection, command).await,
        };
        match answer {
            Err(trouble) if trouble.ends_connection() => {
                self.drop_open(number).await;
                Err(self.in_place(trouble))
            }
            answer => answer,
        }
    }

    /// A server that only reads is a misplaced address where one server is named; where
    /// another may be the master by now it is a failover.
    fn in_place(&self, trouble: Trouble) -> Trouble {
        if let Trouble::Refused(Refusal::ReadOnly(text)) = &trouble
            && self.opener.fails_over()
        {
            return Trouble::Refused(Refusal::NotReady(text.clone()));
        }
        trouble
    }

    /// Calls a script by its digest, and with its code where the server has forgotten it.
    pub(crate) async fn call(&self, call: &Call) -> Result<Value, Trouble> {
        match self.send(&call.by_digest()).await {
            Err(Trouble::Refused(Refusal::ScriptMissing)) => self.send(&call.in_full()).await,
            answer => answer,
        }
    }

    async fn open(&self) -> Result<(Open, u64), Trouble> {
        let mut state = self.state.lock().await;
        if let Some(open) = &state.open {
            return Ok((open.clone(), state.number));
        }
        let open = match self.opener.cluster().await {
            Some(cluster) => Open::Cluster(cluster?),
            None => Open::Server(self.opener.open().await?),
        };
        state.number += 1;
        state.open = Some(open.clone());
        Ok((open, state.number))
    }

    /// A cluster's connection finds its nodes again; a server's is dropped.
    async fn drop_open(&self, number: u64) {
        let mut state = self.state.lock().await;
        if state.number == number && matches!(state.open, Some(Open::Server(_))) {
            state.open = None;
        }
    }
}

impl Connection {
    /// `INFO` of the server, or of every master of a cluster.
    pub(crate) async fn info_of_masters(&self) -> Result<Vec<String>, Trouble> {
        let (open, _) = self.open().await?;
        let info = redis::cmd("INFO");
        let Open::Cluster(mut cluster) = open else {
            return self.send(&info).await.map(probe::texts);
        };
        let masters = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
        let answer = cluster.route_command(info, masters).await;
        let answer = answer.map_err(|error| Trouble::of_command(&error))?;
        Ok(probe::texts(answer))
    }

    /// Whether it is a cluster: then a call may touch one shard only.
    pub(crate) fn is_cluster(&self) -> bool {
        self.opener.is_cluster()
    }
}

/// Sends a command over that connection.
pub(crate) async fn send_over(
    connection: &mut impl ConnectionLike,
    command: &Cmd,
) -> Result<Value, Trouble> {
    let answer = connection.req_packed_command(command).await;
    let answer = answer.and_then(Value::extract_error);
    answer.map_err(|error| Trouble::of_command(&error))
}

/// Calls a script over that connection.
pub(crate) async fn call_over(
    connection: &mut impl ConnectionLike,
    call: &Call,
) -> Result<Value, Trouble> {
    match send_over(connection, &call.by_digest()).await {
        Err(Trouble::Refused(Refusal::ScriptMissing)) => {
            send_over(connection, &call.in_full()).await
        }
        answer => answer,
    }
}
