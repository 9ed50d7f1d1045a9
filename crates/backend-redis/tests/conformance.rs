//! The queue runs the conformance suite on a real server whose log is on disk before it
//! answers; a crash is `kill -9` and a start on what is on disk.

mod support;

use support::fixture::Stores;
use support::server::Server;

hexlane_backend::conformance_suite!(queue super::Stores::at(super::Server::start()).await);
