//! The sink: a batch is one call of `apply_v2`, which holds the fence, claims in key order,
//! puts versions, features and tombstones, and counts, in one commit.

mod batch;

use crate::map::{PostgisMap, shard_number, to_its_end, unfenced};
use crate::sql::Names;
use batch::Batch;
use hexlane_backend::{
    ClaimQuery, Code, EventKey, Failure, Landed, Lease, Part, Recorded, Sink, StoreError,
};
use hexlane_core::Outcome;
use hexlane_core::effect::Effect;
use std::sync::Arc;
use tokio_postgres::Row;
use uuid::Uuid;

const APPLY: &str = "
    SELECT fenced_by, conflicts, duplicates, stales FROM @schema.apply_v2(
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
      $20)";

const LOOKUP: &str = "
    SELECT c.payload_sha256, c.state FROM unnest($1::uuid[]) WITH ORDINALITY AS g (key_id, ord)
      LEFT JOIN @schema.claims c ON c.key_id = g.key_id
    ORDER BY g.ord";

/// The statements with names in them.
#[derive(Debug)]
pub(crate) struct Texts {
    apply: String,
    lookup: String,
}

impl Texts {
    pub(crate) fn new(names: &Names) -> Self {
        Self {
            apply: names.fill(APPLY),
            lookup: names.fill(LOOKUP),
        }
    }
}

/// Most rows in a call: its answer numbers them.
const ROWS_MAX: usize = 100_000;

/// What landed, by the row numbers of the answer.
fn landed(row: &Row, keys: Vec<EventKey>) -> Result<Vec<Landed>, Failure> {
    let mut ends = vec![Some(Outcome::Applied); keys.len()];
    let told = [
        ("conflicts", None),
        ("duplicates", Some(Outcome::Duplicate)),
        ("stales", Some(Outcome::Stale)),
    ];
    for (column, end) in told {
        for number in row.get::<_, Vec<i64>>(column) {
            let at = usize::try_from(number)
                .ok()
                .and_then(|at| at.checked_sub(1));
            let slot = at.and_then(|at| ends.get_mut(at));
            *slot.ok_or_else(|| Failure::new(Part::Sink, Code::Internal))? = end;
        }
    }
    let landed = keys.into_iter().zip(ends).map(|(key, end)| {
        end.map_or(Landed::Conflict, |outcome| {
            Landed::Recorded(Recorded::by_store(key, outcome))
        })
    });
    Ok(landed.collect())
}

/// What a claim says of an effect; none when it is not there.
fn found(row: &Row, query: ClaimQuery) -> Result<Option<Landed>, Failure> {
    let claim: (Option<Vec<u8>>, Option<&str>) = (row.get(0), row.get(1));
    let outcome = match claim {
        (None, _) | (_, None | Some("dead")) => return Ok(None),
        (Some(sha), _) if sha != query.payload_sha256 => return Ok(Some(Landed::Conflict)),
        (_, Some("applied")) => Outcome::Applied,
        (_, Some("stale")) => Outcome::Stale,
        (_, Some(other)) => {
            let detail = format!("claim state {other}");
            return Err(Failure::new(Part::Sink, Code::Corrupt).with_detail(detail));
        }
    };
    let recorded = Recorded::by_store(query.key, outcome);
    Ok(Some(Landed::Recorded(recorded)))
}

impl Sink for PostgisMap {
    async fn apply(&self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        if effects.len() > ROWS_MAX {
            return Err(Failure::new(Part::Sink, Code::BatchTooLarge).into());
        }
        let (batch, keys) = Batch::of(self.store.crs, effects)?;
        let (store, lease) = (Arc::clone(&self.store), lease.clone());
        to_its_end(Part::Sink, async move {
            let _turn = store.gates.enter(Part::Sink, &lease).await?;
            let shard = shard_number(&lease);
            let epoch = lease.epoch.get().cast_signed();
            let rows = store
                .connections
                .write(
                    Part::Sink,
                    &store.sink.apply,
                    &batch.parameters(&shard, &epoch),
                )
                .await?;
            let row = unfenced(Part::Sink, &lease, rows)?;
            Ok(landed(&row, keys)?)
        })
        .await
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        let ids: Vec<Uuid> = claims
            .iter()
            .map(|query| Uuid::from_bytes(query.key.id()))
            .collect();
        let (connections, texts) = (&self.store.connections, &self.store.sink);
        let rows = connections.read(Part::Sink, &texts.lookup, &[&ids]).await?;
        if rows.len() != claims.len() {
            return Err(Failure::new(Part::Sink, Code::Internal));
        }
        rows.iter()
            .zip(claims)
            .map(|(row, query)| found(row, query))
            .collect()
    }
}
