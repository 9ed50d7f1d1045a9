//! Settling: one script call, deferrals before acks. Sending the same again changes nothing.

use super::{Store, admitted};
use crate::failure::malformed;
use crate::retry_text;
use hexlane_backend::{Code, Failure, Lease, Part, Receipt, Settlement, StoreError};
use hexlane_streams::Call;
use hexlane_streams::names::GROUP;
use redis::Value;

impl Store {
    pub(super) async fn carry_out(
        &self,
        lease: &Lease,
        settlements: &[Settlement],
    ) -> Result<(), StoreError> {
        self.check_shard(lease)?;
        let call = self.settle_call(lease, settlements)?;
        let answer = self.connection.call(&call).await;
        let answer = answer.map_err(|trouble| trouble.failure())?;
        let parts = admitted(answer, lease)?;
        let Some(Value::Int(kept)) = parts.get(1) else {
            return Err(malformed(&format!("{parts:?}")).into());
        };
        let kept = u64::try_from(*kept).unwrap_or(0);
        // What is settled is settled: memory is looked at again by the next one.
        drop(
            self.trim
                .after_settling(&self.tools(), lease.shard, kept)
                .await,
        );
        Ok(())
    }

    fn settle_call(&self, lease: &Lease, settlements: &[Settlement]) -> Result<Call, Failure> {
        let keys = self.settings.layout.keys(lease.shard);
        let names = [&keys.stream, &keys.own, &keys.retry];
        let deferrals = settlements.iter().filter(|each| each.deferral().is_some());
        let mut call = self
            .scripts
            .settle
            .call(names.map(String::as_str))
            .with(GROUP)
            .with(lease.epoch.to_string())
            .with(deferrals.clone().count().to_string());
        for settlement in deferrals {
            if let Some(retry) = settlement.deferral() {
                call.push(entry_id(settlement.receipt())?);
                call.push(retry_text::to_text(&retry.clone().bounded()));
            }
        }
        for settlement in settlements.iter().filter(|each| each.deferral().is_none()) {
            call.push(entry_id(settlement.receipt())?);
            call.push(settlement.size_bytes().to_string());
        }
        Ok(call)
    }
}

/// The entry's id, as fetch wrote it; anything else would settle nothing.
fn entry_id(receipt: &Receipt) -> Result<String, Failure> {
    let text = receipt.as_str();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let split = text.split_once('-');
    if split.is_some_and(|(ms, sequence)| digits(ms) && digits(sequence)) {
        return Ok(text.to_owned());
    }
    let told = format!("`{text}` is no receipt of this queue");
    Err(Failure::new(Part::Queue, Code::Internal).with_detail(told))
}
