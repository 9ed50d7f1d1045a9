//! The consumer's scripts. Each that writes begins with the fence's helpers, and touches one
//! shard or `spatial.events:meta`; the one that counts touches shards of one slot.

use hexlane_streams::Script;

/// Every script, with its digest.
#[derive(Debug)]
pub(crate) struct Scripts {
    pub(crate) fetch: Script,
    pub(crate) settle: Script,
    pub(crate) trim: Script,
    pub(crate) backlog: Script,
    pub(crate) last: Script,
    pub(crate) bind: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            fetch: Script::new(concat!(
                include_str!("scripts/fence.lua"),
                include_str!("scripts/fetch.lua")
            )),
            settle: Script::new(concat!(
                include_str!("scripts/fence.lua"),
                include_str!("scripts/settle.lua")
            )),
            trim: Script::new(concat!(
                include_str!("scripts/fence.lua"),
                include_str!("scripts/edge.lua"),
                include_str!("scripts/trim.lua")
            )),
            backlog: Script::new(concat!(
                include_str!("scripts/edge.lua"),
                include_str!("scripts/backlog.lua")
            )),
            last: Script::new(include_str!("scripts/last.lua")),
            bind: Script::new(concat!(
                include_str!("scripts/fence.lua"),
                include_str!("scripts/bind.lua")
            )),
        }
    }
}
