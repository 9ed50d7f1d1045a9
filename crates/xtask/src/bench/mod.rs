//! `cargo xtask bench …`: ours beside a peer, in the same run on the same machine.

mod drain;
mod edge;
mod load;
mod payload;
pub(crate) mod report;
mod validity;
mod workerd;

pub(crate) use self::{drain::drain, edge::edge, validity::validity};
