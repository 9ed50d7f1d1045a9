//! The engine over the in-memory backends, in virtual time: what holds whatever fails.

#![allow(
    clippy::unwrap_used,
    reason = "a world that cannot be set up is a failed test"
)]

mod bisection;
mod crash;
mod dead_letters;
mod event;
mod garbled;
mod idle;
mod join;
mod leases;
mod order;
mod outage;
mod stop;
mod tally;
mod verdict;
mod watched_sink;
mod world;
