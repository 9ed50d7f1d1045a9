//! A server by its URL: where it is, and what is said to it first.
//!
//! `redis://user:password@host:6379/0`, or `rediss://` for TLS. For who opens sockets by
//! hand; a client library reads the same URLs itself.

use redis::{ConnectionAddr, IntoConnectionInfo, cmd};
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

/// Why a URL names no server. Does not repeat it: it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not `redis://[user:password@]host[:port][/db]`, nor that with `rediss`: {0}")]
pub struct ServerError(String);

impl Server {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it names no server.
    pub fn of_url(url: &str) -> Result<Self, ServerError> {
        let wrong = |reason: &str| ServerError(reason.to_owned());
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("no scheme"))?;
        let tls = match scheme {
            "redis" => false,
            "rediss" => true,
            _ => return Err(wrong("another scheme")),
        };
        // TLS is the socket's affair here: the library reads the rest the same.
        let plain = format!("redis://{rest}");
        let info = plain.as_str().into_connection_info();
        let info = info.map_err(|error| wrong(error.category()))?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            return Err(wrong("no TCP address"));
        };
        let address = Address {
            host: host.clone(),
            port: *port,
        };
        let (mut greeting, mut replies) = (Vec::new(), 0);
        let settings = info.redis_settings();
        if let Some(password) = settings.password() {
            let mut auth = cmd("AUTH");
            if let Some(username) = settings.username() {
                auth.arg(username);
            }
            auth.arg(password).write_packed_command(&mut greeting);
            replies += 1;
        }
        if settings.db() != 0 {
            let mut select = cmd("SELECT");
            select
                .arg(settings.db())
                .write_packed_command(&mut greeting);
            replies += 1;
        }
        Ok(Self {
            address,
            tls,
            greeting,
            replies,
        })
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

    #[test]
    fn a_url_gives_the_greeting_in_resp() {
        let server = Server::of_url("rediss://door:p%40ss@cache.example:7000/3").unwrap();
        assert_eq!(server.address.to_string(), "cache.example:7000");
        assert!(server.tls);
        let said = String::from_utf8_lossy(server.greeting());
        let expected = "*3\r\n$4\r\nAUTH\r\n$4\r\ndoor\r\n$4\r\np@ss\r\n\
                        *2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n";
        assert_eq!((said.as_ref(), server.greeting_replies()), (expected, 2));
        assert!(!format!("{server:?}").contains("p@ss"));
    }

    #[test]
    fn a_server_without_password_is_not_greeted() {
        let server = Server::of_url("redis://[::1]").unwrap();
        assert_eq!(
            (server.address.host.as_str(), server.address.port),
            ("::1", 6379)
        );
        assert_eq!(
            (server.greeting(), server.greeting_replies()),
            (&b""[..], 0)
        );
        let by_password = Server::of_url("redis://:secret@h").unwrap();
        assert_eq!(
            by_password.greeting(),
            b"*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n"
        );
    }

    #[test]
    fn what_names_no_server_is_refused_without_repeating_it() {
        for bad in [
            "",
            "host:6379",
            "http://:secret@h",
            "redis://",
            "redis://:secret@h/x",
        ] {
            let told = Server::of_url(bad).unwrap_err().to_string();
            assert!(!told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn a_redirect_without_a_host_is_to_the_host_that_answered() {
        let answered = Server::of_url("redis://10.0.0.1:7001").unwrap().address;
        let at = |text| Address::of_redirect(text, &answered).map(|found| found.to_string());
        assert_eq!(at(":7002").as_deref(), Some("10.0.0.1:7002"));
        assert_eq!(at("::1:7002").as_deref(), Some("::1:7002"));
        assert_eq!(at("nowhere"), None);
    }
}
