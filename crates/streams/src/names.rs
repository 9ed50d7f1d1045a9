//! Names: streams, keys, group, consumer.

use hexlane_core::lane::{Shard, ShardMap};

/// The usual prefix of every key.
pub const NAMESPACE_DEFAULT: &str = "spatial.events";

/// The consumer group, on every stream.
pub const GROUP: &str = "geometry-workers";

/// Longest namespace: it stands in every key.
pub const NAMESPACE_BYTES_MAX: usize = 128;

/// One set of streams: a namespace and a shard map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    namespace: String,
    shard_map: ShardMap,
}

/// Why a namespace cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "namespace `{0}`: 1 to {NAMESPACE_BYTES_MAX} visible ASCII characters, no braces: they decide the slot"
)]
pub struct LayoutError(pub String);

impl Layout {
    /// The layout under that namespace.
    ///
    /// # Errors
    /// When the namespace is empty, too long, or would change the slot of its keys.
    pub fn new(namespace: &str, shard_map: ShardMap) -> Result<Self, LayoutError> {
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"{}*?[]\\".contains(&byte);
        let fits = !namespace.is_empty() && namespace.len() <= NAMESPACE_BYTES_MAX;
        if !fits || !namespace.bytes().all(plain) {
            return Err(LayoutError(namespace.to_owned()));
        }
        Ok(Self {
            namespace: namespace.to_owned(),
            shard_map,
        })
    }

    /// The prefix of every key; also the stream that other producers write.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Which lane is on which shard.
    #[must_use]
    pub const fn shard_map(&self) -> ShardMap {
        self.shard_map
    }

    /// The hash that holds the shard map, and the name of the map that the queue is bound to.
    #[must_use]
    pub fn meta_key(&self) -> String {
        format!("{}:meta", self.namespace)
    }

    /// The number under which the stream of other producers is read: the one after the
    /// last shard.
    #[must_use]
    pub const fn unsharded(&self) -> Shard {
        Shard::new(self.shard_map.shards())
    }

    /// The keys of a shard, of the stream of other producers for [`Layout::unsharded`].
    #[must_use]
    pub fn keys(&self, shard: Shard) -> ShardKeys {
        if shard == self.unsharded() {
            // The stream's name has no tag; a tag of the whole name gives the same slot.
            let stream = self.namespace.clone();
            return ShardKeys::of(stream, &format!("{{{}}}", self.namespace));
        }
        let stream = format!("{}:{{{shard}}}", self.namespace);
        ShardKeys::of(stream.clone(), &stream)
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            namespace: NAMESPACE_DEFAULT.to_owned(),
            shard_map: ShardMap::default(),
        }
    }
}

/// The keys of one shard, all in one slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardKeys {
    /// The stream.
    pub stream: String,
    /// Epoch and position of the owner, counts, the shard map.
    pub own: String,
    /// What was tried, by entry id.
    pub retry: String,
    /// Idempotency keys, this generation.
    pub keys: String,
    /// Idempotency keys, the generation before.
    pub keys_old: String,
}

impl ShardKeys {
    fn of(stream: String, prefix: &str) -> Self {
        Self {
            stream,
            own: format!("{prefix}:own"),
            retry: format!("{prefix}:retry"),
            keys: format!("{prefix}:keys"),
            keys_old: format!("{prefix}:keys:old"),
        }
    }

    /// The slot of a cluster in which they are (16,384 slots, CRC-16 of the tag).
    #[must_use]
    pub fn slot(&self) -> u16 {
        crc16::State::<crc16::XMODEM>::calculate(tag(&self.own).as_bytes()) % 16_384
    }
}

/// What stands between the first braces, or the whole when nothing does.
fn tag(key: &str) -> &str {
    let inside = key
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    inside.map_or(key, |(tag, _)| if tag.is_empty() { key } else { tag })
}

/// The consumer of a shard: a stable name, so that a takeover finds what is pending.
#[must_use]
pub fn consumer(shard: Shard) -> String {
    format!("shard-{shard}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_documented() {
        let keys = Layout::default().keys(Shard::new(17));
        assert_eq!(keys.stream, "spatial.events:{017}");
        assert_eq!(keys.own, "spatial.events:{017}:own");
        assert_eq!(keys.retry, "spatial.events:{017}:retry");
        assert_eq!(keys.keys_old, "spatial.events:{017}:keys:old");
        assert_eq!(consumer(Shard::new(17)), "shard-017");
    }

    #[test]
    fn the_stream_of_other_producers_shares_its_slot_with_its_keys() {
        let layout = Layout::default();
        let keys = layout.keys(layout.unsharded());
        assert_eq!(keys.stream, "spatial.events");
        assert_eq!(keys.own, "{spatial.events}:own");
        assert_eq!(tag(&keys.stream), tag(&keys.own));
    }

    #[test]
    fn a_slot_is_what_redis_says() {
        // CLUSTER KEYSLOT of Redis 7.0.
        let slot = |shard| Layout::default().keys(Shard::new(shard)).slot();
        assert_eq!(
            crc16::State::<crc16::XMODEM>::calculate(b"123456789"),
            0x31C3
        );
        assert_eq!((slot(0), slot(17)), (SLOT_000, SLOT_017));
    }

    const SLOT_000: u16 = 13_923;
    const SLOT_017: u16 = 13_749;

    #[test]
    fn a_namespace_cannot_move_its_keys() {
        for bad in ["", "a{b", "a}b", "a b", "a*", &"x".repeat(129)] {
            assert!(Layout::new(bad, ShardMap::default()).is_err(), "{bad}");
        }
    }
}
