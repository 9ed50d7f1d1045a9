//! Whether a port is free, and who has it if not.
//!
//! The owner is read from `/proc`, for this user's processes (all of them as
//! root); elsewhere the message names the port and what to type.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::Path,
};

use crate::failure::Failure;

/// Fails with the port and its owner unless `port` can be bound on loopback.
pub(crate) fn ensure_free(port: u16, wanted_by: &str) -> Result<(), Failure> {
    let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) else {
        return Ok(());
    };
    let advice = match owner(port) {
        Some((pid, name)) => format!("{name} (pid {pid}) has it. Stop it: kill {pid}"),
        None => format!("See who has it: ss -ltnp 'sport = :{port}' (or lsof -i :{port})"),
    };
    Err(Failure::PortInUse(format!(
        "port {port} on 127.0.0.1, needed by {wanted_by}, is not free ({error}).\n  {advice}"
    )))
}

fn owner(port: u16) -> Option<(u32, String)> {
    let socket = ["/proc/net/tcp", "/proc/net/tcp6"]
        .into_iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .find_map(|table| listening_inode(&table, port).map(|inode| format!("socket:[{inode}]")))?;
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        holds(&entry.path(), &socket).then(|| (pid, name(&entry.path())))
    })
}

/// The inode of the socket that listens on `port`, from a table of `/proc/net`.
fn listening_inode(table: &str, port: u16) -> Option<&str> {
    const LISTEN: &str = "0A";
    let suffix = format!(":{port:04X}");
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace();
        let local = fields.nth(1)?;
        let state = fields.nth(1)?;
        (local.ends_with(&suffix) && state == LISTEN)
            .then(|| fields.nth(5))
            .flatten()
    })
}

fn holds(process: &Path, socket: &str) -> bool {
    fs::read_dir(process.join("fd")).is_ok_and(|files| {
        files
            .flatten()
            .any(|file| fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == socket))
    })
}

fn name(process: &Path) -> String {
    fs::read_to_string(process.join("comm"))
        .map_or_else(|_| "a process".to_owned(), |name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, process};

    use super::{ensure_free, listening_inode};

    #[test]
    fn a_taken_port_is_reported_with_its_number_and_owner() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let text = ensure_free(port, "a test").unwrap_err().to_string();
        assert!(text.contains(&port.to_string()), "{text}");
        if cfg!(target_os = "linux") {
            assert!(text.contains(&format!("pid {}", process::id())), "{text}");
        }
    }

    #[test]
    fn only_a_listening_socket_counts_as_the_owner() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:2253 0100007F:8F4C 01 00000000:00000000 00:00000000 00000000 0 0 11 1 0\n\
            1: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 22 1 0\n";
        assert_eq!(listening_inode(table, 0x2253), Some("22"));
    }
}
