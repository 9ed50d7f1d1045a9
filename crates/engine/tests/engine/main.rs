//! The engine over the in-memory backends, in virtual time: what holds whatever fails.

mod bisection;
mod crash;
mod dead_letters;
mod event;
mod garbled;
mod idle;
mod leases;
mod order;
mod outage;
mod stop;
mod tally;
mod verdict;
mod watched_sink;
mod world;
