//! A server: where it is, and what is said to it first. For who opens sockets by hand.
//!
//! URLs are read by whoever has a reader of them: the library's own would bring the tables
//! of international host names along, a third of the Worker.

use redis::cmd;
use std::fmt;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// Name or number, without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Address {
    /// Reads `host:port` as redirects write it. An empty host is that of who answered.
    #[must_use]
    pub fn of_redirect(text: &str, answered: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = if host.is_empty() || host == "?" {
            answered.host.clone()
        } else {
            host.to_owned()
        };
        let port = port.parse().ok()?;
        Some(Self { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// A server, and the greeting of a new connection to it. Shows no password.
#[derive(Clone)]
pub struct Server {
    /// Where it is.
    pub address: Address,
    /// Whether it is spoken to through TLS.
    pub tls: bool,
    greeting: Vec<u8>,
    replies: usize,
}

/// Who one is to a server.
#[derive(Clone, Copy, Default)]
pub struct Login<'a> {
    /// None for the default user.
    pub user: Option<&'a str>,
    /// None where none is asked for.
    pub password: Option<&'a str>,
}

impl Server {
    /// A server; `database` is zero in a cluster.
    #[must_use]
    pub fn new(address: Address, tls: bool, login: Login<'_>, database: u32) -> Self {
        let (mut greeting, mut replies) = (Vec::new(), 0);
        if let Some(password) = login.password {
            let mut auth = cmd("AUTH");
            if let Some(user) = login.user {
                auth.arg(user);
            }
            auth.arg(password).write_packed_command(&mut greeting);
            replies += 1;
        }
        if database != 0 {
            let mut select = cmd("SELECT");
            select.arg(database).write_packed_command(&mut greeting);
            replies += 1;
        }
        Self {
            address,
            tls,
            greeting,
            replies,
        }
    }

    /// Bytes that a new connection begins with; may be none.
    #[must_use]
    pub fn greeting(&self) -> &[u8] {
        &self.greeting
    }

    /// How many replies the greeting gets.
    #[must_use]
    pub const fn greeting_replies(&self) -> usize {
        self.replies
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("address", &self.address)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(host: &str, port: u16) -> Address {
        let host = host.to_owned();
        Address { host, port }
    }

    #[test]
    fn a_greeting_is_login_and_database_in_resp() {
        let login = Login {
            user: Some("door"),
            password: Some("p@ss"),
        };
        let server = Server::new(address("cache.example", 7000), true, login, 3);
        let said = String::from_utf8_lossy(server.greeting());
        let expected = "*3\r\n$4\r\nAUTH\r\n$4\r\ndoor\r\n$4\r\np@ss\r\n\
                        *2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n";
        assert_eq!((said.as_ref(), server.greeting_replies()), (expected, 2));
        let shown = format!("{server:?}");
        assert!(shown.contains("cache.example") && !shown.contains("p@ss"));
    }

    #[test]
    fn a_server_that_asks_for_nothing_is_not_greeted() {
        let server = Server::new(address("h", 6379), false, Login::default(), 0);
        assert_eq!(
            (server.greeting(), server.greeting_replies()),
            (&b""[..], 0)
        );
        let login = Login {
            user: None,
            password: Some("secret"),
        };
        let server = Server::new(address("h", 6379), false, login, 0);
        assert_eq!(server.greeting(), b"*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n");
    }

    #[test]
    fn a_redirect_without_a_host_is_to_the_host_that_answered() {
        let answered = address("10.0.0.1", 7001);
        let at = |text| Address::of_redirect(text, &answered).map(|found| found.to_string());
        assert_eq!(at(":7002").as_deref(), Some("10.0.0.1:7002"));
        assert_eq!(at("::1:7002").as_deref(), Some("::1:7002"));
        assert_eq!(at("nowhere"), None);
    }
}
