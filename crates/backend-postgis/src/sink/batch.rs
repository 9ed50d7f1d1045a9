//! A batch as columns: what `unnest` takes apart again on the server. What can be told of
//! the rows without the tables is told beside them, so that the server need not look for it.

use crate::crs::MapCrs;
use crate::text::to_stored;
use hexlane_backend::key::name_id;
use hexlane_backend::{Code, EventKey, Failure, Part};
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Op;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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
    course: Course,
}

/// How entities move within a batch, if every row of it lands. Rows are numbered from 1.
#[derive(Debug, Default, PartialEq, Eq)]
struct Course {
    /// The newest row of each entity, in the order of their ids; of equals the first.
    newest: Vec<i64>,
    /// Beside it, the version of that entity's first row.
    firsts: Vec<Vec<u8>>,
    /// Rows that are not newer than one of their entity before them.
    behind: Vec<i64>,
}

impl Course {
    fn of(entity_ids: &[Uuid], versions: &[Vec<u8>]) -> Self {
        let mut course = Self::default();
        let mut entities: BTreeMap<Uuid, (i64, &[u8], &[u8])> = BTreeMap::new();
        for (row, (entity, version)) in (1..).zip(entity_ids.iter().zip(versions)) {
            match entities.entry(*entity) {
                Entry::Vacant(unseen) => {
                    unseen.insert((row, version, version));
                }
                Entry::Occupied(mut seen) => {
                    let (newest, highest, _) = seen.get_mut();
                    if version.as_slice() > *highest {
                        (*newest, *highest) = (row, version);
                    } else {
                        course.behind.push(row);
                    }
                }
            }
        }
        for (newest, _, first) in entities.into_values() {
            course.newest.push(newest);
            course.firsts.push(first.to_vec());
        }
        course
    }
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
        batch.course = Course::of(&batch.entity_ids, &batch.versions);
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

    /// In the order of `apply_v2`.
    pub(super) fn parameters<'a>(
        &'a self,
        shard: &'a i16,
        epoch: &'a i64,
    ) -> [&'a (dyn ToSql + Sync); 20] {
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
            &self.course.newest,
            &self.course.firsts,
            &self.course.behind,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_row_of_each_entity_and_what_is_not_newer_than_before_is_told() {
        let entities = [9, 2, 9, 9, 2, 9, 2].map(Uuid::from_u128);
        let versions = [5_u8, 1, 7, 6, 1, 8, 0].map(|version| vec![version]);
        let course = Course::of(&entities, &versions);
        let expected = Course {
            newest: vec![2, 6],
            firsts: vec![vec![1], vec![5]],
            behind: vec![4, 5, 7],
        };
        assert_eq!(course, expected);
        assert_eq!(Course::of(&[], &[]), Course::default());
    }
}
