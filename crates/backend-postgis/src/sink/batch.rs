//! A batch as columns: what `unnest` takes apart again on the server.

use crate::crs::MapCrs;
use crate::text::to_stored;
use hexlane_backend::key::name_id;
use hexlane_backend::{Code, EventKey, Failure, Part};
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Op;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// One element of each a row.
#[derive(Debug, Default)]
pub(super) struct Batch {
    key_ids: Vec<Uuid>,
    sources: Vec<String>,
    keys: Vec<String>,
    event_ids: Vec<String>,
    shas: Vec<Vec<u8>>,
    entity_ids: Vec<Uuid>,
    entities: Vec<String>,
    versions: Vec<Vec<u8>>,
    version_values: Vec<i64>,
    accepted_us: Vec<i64>,
    deletes: Vec<bool>,
    cells: Vec<Option<String>>,
    properties: Vec<String>,
    joineds: Vec<Option<String>>,
    wkbs: Vec<Option<Vec<u8>>>,
}

impl Batch {
    /// The columns of these effects, and their keys; refused for a geometry that the map
    /// has no place for.
    pub(super) fn of(crs: MapCrs, effects: Vec<Effect>) -> Result<(Self, Vec<EventKey>), Failure> {
        let mut batch = Self::default();
        let mut keys = Vec::with_capacity(effects.len());
        for effect in effects {
            if let Some(refusal) = effect.wkb.as_deref().and_then(|wkb| crs.refusal(wkb)) {
                return Err(Failure::new(Part::Sink, Code::RowRefused).with_detail(refusal));
            }
            keys.push(EventKey::of(&effect.envelope));
            batch.push(effect);
        }
        Ok((batch, keys))
    }

    fn push(&mut self, effect: Effect) {
        let envelope = effect.envelope;
        let key = EventKey::of(&envelope);
        self.key_ids.push(Uuid::from_bytes(key.id()));
        self.sources.push(to_stored(&envelope.source).into_owned());
        self.keys.push(to_stored(&key.key).into_owned());
        self.event_ids
            .push(to_stored(&envelope.event_id).into_owned());
        self.shas.push(envelope.payload_sha256.to_vec());
        let entity_id = name_id(&envelope.source, &envelope.entity);
        self.entity_ids.push(Uuid::from_bytes(entity_id));
        self.entities.push(to_stored(&envelope.entity).into_owned());
        self.versions.push(envelope.version.to_bytes().to_vec());
        self.version_values.push(envelope.version.value);
        self.accepted_us.push(envelope.accepted_at_us);
        self.deletes.push(envelope.op == Op::Delete);
        self.cells.push(envelope.cell.map(|cell| cell.to_string()));
        self.properties.push(effect.properties);
        self.joineds.push(effect.joined);
        self.wkbs.push(effect.wkb);
    }

    /// In the order of `apply_v1`.
    pub(super) fn parameters<'a>(
        &'a self,
        shard: &'a i16,
        epoch: &'a i64,
    ) -> [&'a (dyn ToSql + Sync); 17] {
        [
            shard,
            epoch,
            &self.key_ids,
            &self.sources,
            &self.keys,
            &self.event_ids,
            &self.shas,
            &self.entity_ids,
            &self.entities,
            &self.versions,
            &self.version_values,
            &self.accepted_us,
            &self.deletes,
            &self.cells,
            &self.properties,
            &self.joineds,
            &self.wkbs,
        ]
    }
}
