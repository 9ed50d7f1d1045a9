//! `REDIS_URL`, read by the runtime's own URL reader: `redis://user:password@host:6379/0`,
//! or `rediss://` for TLS.

use hexlane_streams::{Address, Login, Server};
use js_sys::decode_uri_component;
use web_sys::Url;

const PORT_DEFAULT: u16 = 6_379;

/// The server that a URL names. What is told when it names none never repeats it: it may
/// hold a password.
pub(crate) fn server(text: &str) -> Result<Server, &'static str> {
    let url = Url::new(text).map_err(|_| "no URL")?;
    let tls = match url.protocol().as_str() {
        "redis:" => false,
        "rediss:" => true,
        _ => return Err("neither `redis://` nor `rediss://`"),
    };
    let host = url.hostname();
    let bare = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let host = bare.unwrap_or(&host).to_owned();
    if host.is_empty() {
        return Err("without a host");
    }
    let port = match url.port().as_str() {
        "" => PORT_DEFAULT,
        port => port.parse().map_err(|_| "of a port that is none")?,
    };
    let database = match url.pathname().trim_matches('/') {
        "" => 0,
        number => number
            .parse()
            .map_err(|_| "of a database that is no number")?,
    };
    let (user, password) = (decoded(&url.username())?, decoded(&url.password())?);
    let login = Login {
        user: user.as_deref(),
        password: password.as_deref(),
    };
    if login.user.is_some() && login.password.is_none() {
        return Err("of a user without a password");
    }
    Ok(Server::new(Address { host, port }, tls, login, database))
}

fn decoded(text: &str) -> Result<Option<String>, &'static str> {
    if text.is_empty() {
        return Ok(None);
    }
    let decoded = decode_uri_component(text).map_err(|_| "with a wrong escape in its login")?;
    Ok(Some(decoded.into()))
}
