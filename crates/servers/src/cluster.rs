//! A real cluster: three masters, three replicas, six processes.

use crate::redis::{ALWAYS, Server, ask, until};

/// How many servers have slots.
pub const MASTERS: usize = 3;
const SLOTS: usize = 16_384;

/// Six servers; the first three have the slots.
pub struct Cluster {
    /// The masters, then their replicas in the same order.
    pub servers: Vec<Server>,
}

impl Cluster {
    /// A cluster that does not fail over while a test kills and starts it.
    pub fn start() -> Self {
        Self::start_with_timeout("15000")
    }

    /// A cluster that thinks a node dead after that many ms.
    pub fn start_with_timeout(node_timeout_ms: &str) -> Self {
        let more = [
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            "%BUS%",
            "--cluster-node-timeout",
            node_timeout_ms,
            // A replica takes over whatever its link missed: the test says what may be lost.
            "--cluster-replica-validity-factor",
            "0",
        ];
        let arguments = [&ALWAYS[..], &more[..]].concat();
        let servers = (0..MASTERS * 2).map(|_| Server::start_with(&arguments));
        let cluster = Self {
            servers: servers.collect(),
        };
        cluster.join();
        cluster
    }

    /// Kills every server and starts it again, as a crash of all machines does.
    pub fn crash(&mut self) {
        for server in &mut self.servers {
            server.kill();
        }
        for server in &mut self.servers {
            server.start_again();
        }
        self.wait();
    }

    fn join(&self) {
        for (place, server) in self.servers.iter().enumerate() {
            let epoch = (place + 1).to_string();
            let _: () = server.ask(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch]);
        }
        for (place, master) in self.servers[..MASTERS].iter().enumerate() {
            let (from, to) = (SLOTS * place / MASTERS, SLOTS * (place + 1) / MASTERS - 1);
            let (from, to) = (from.to_string(), to.to_string());
            let _: () = master.ask(&["CLUSTER", "ADDSLOTSRANGE", &from, &to]);
        }
        for server in &self.servers[1..] {
            let (port, bus) = (server.port().to_string(), server.bus().to_string());
            let _: () = self.servers[0].ask(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]);
        }
        until("every node knows every node", || {
            self.servers.iter().all(|server| server.knows(MASTERS * 2))
        });
        for (place, replica) in self.servers[MASTERS..].iter().enumerate() {
            let master: String = self.servers[place].ask(&["CLUSTER", "MYID"]);
            let _: () = replica.ask(&["CLUSTER", "REPLICATE", &master]);
        }
        self.wait();
    }

    /// Until every slot is served and every replica follows.
    pub fn wait(&self) {
        until("the cluster is whole", || {
            self.servers.iter().all(|server| {
                let info: String = server.try_ask(&["CLUSTER", "INFO"]).unwrap_or_default();
                info.contains("cluster_state:ok")
            })
        });
        until("the replicas follow", || {
            self.servers.iter().all(|server| {
                let info: String = server.try_ask(&["INFO", "replication"]).unwrap_or_default();
                info.contains("role:master") || info.contains("master_link_status:up")
            })
        });
    }

    /// The place of the master that has a key's slot.
    pub fn master_of(&self, key: &str) -> usize {
        self.try_master_of(key).expect("a master has it")
    }

    /// The same, none when nobody has it right now.
    pub fn try_master_of(&self, key: &str) -> Option<usize> {
        let has = |server: &Server| {
            let answer: ::redis::RedisResult<i64> = ask(&server.address(), &["EXISTS", key]);
            let info: ::redis::RedisResult<String> = server.try_ask(&["INFO", "replication"]);
            answer.is_ok() && info.is_ok_and(|info| info.contains("role:master"))
        };
        self.servers.iter().position(has)
    }
}

impl Server {
    fn knows(&self, nodes: usize) -> bool {
        let info: String = self.ask(&["CLUSTER", "INFO"]);
        info.contains(&format!("cluster_known_nodes:{nodes}\r\n"))
    }
}
