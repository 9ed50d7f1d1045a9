//! `cargo xtask bench …`: ours beside a peer, in the same run on the same machine.

mod drain;
mod edge;
mod intake;
mod load;
mod payload;
pub(crate) mod report;
mod side;
mod validity;
mod workerd;

pub(crate) use self::{drain::drain, edge::edge, intake::intake, validity::validity};
