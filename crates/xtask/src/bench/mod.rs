//! `cargo xtask bench …`: ours beside a peer, in the same run on the same machine.

pub(crate) mod report;
