//! Dead letters: durable before their deliveries are acked.

use crate::closing::{Closing, attempt_of};
use crate::context::Context;
use crate::end::End;
use crate::observer::{Observation, PauseReason};
use crate::pause::Pause;
use crate::reader::Refusal;
use crate::row::Row;
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{DeadLetter, DeadLetters, Destination, StoreError};
use hexlane_core::{FailureClass, Outcome};

/// An event that has to go, and why.
#[derive(Debug)]
pub(crate) struct Burial {
    pub(crate) row: Row,
    pub(crate) refusal: Refusal,
    pub(crate) destination: Destination,
    pub(crate) attempts: u32,
}

/// Records them all, and answers with their acks. Waits out an outage.
///
/// # Errors
/// When the work on the shard ends; they come again then.
pub(crate) async fn bury<B: Backends>(
    context: &Context<B>,
    tenure: &Tenure,
    burials: Vec<Burial>,
) -> Result<Vec<Closing>, End> {
    if burials.is_empty() {
        return Ok(Vec::new());
    }
    let shard = tenure.lease.shard;
    let mut outage = Pause::new(PauseReason::DeadLetters);
    let now_us = context.clock.now_us();
    let proofs = loop {
        tenure.may_dispatch(context)?;
        let letters = burials.iter().map(|burial| burial.letter(now_us)).collect();
        match context
            .stores
            .dead_letters()
            .record(&tenure.lease, letters)
            .await
        {
            Ok(proofs) => break proofs,
            Err(StoreError::Fenced { .. }) => return Err(End::Fenced),
            Err(StoreError::Failed(failure)) => outage.after(context, shard, &failure).await?,
        }
    };
    outage.over(context, shard);
    if proofs.len() != burials.len() {
        return Err(End::defect("dead_letters.miscounted"));
    }
    let buried = burials.into_iter().zip(proofs).map(|(burial, proof)| {
        if proof.outcome() == Outcome::Dead {
            burial.tell(context, tenure);
        }
        Closing::ack(burial.row, proof)
    });
    buried.collect()
}

impl Burial {
    fn letter(&self, now_us: i64) -> DeadLetter {
        let delivery = &self.row.delivery;
        let mut history = delivery.retry().history.clone();
        history.push(attempt_of(&self.refusal.cause, now_us));
        let seen_us = delivery.envelope().map(|envelope| envelope.accepted_at_us);
        DeadLetter {
            destination: self.destination,
            key: delivery.key(),
            body: delivery.body().clone(),
            class: self.refusal.cause.class(),
            code: self.refusal.cause.code().into_owned(),
            stage: self.refusal.cause.stage(),
            error_message: self.refusal.message.clone(),
            geometry_error: self.refusal.geometry_error.clone(),
            violations: self.refusal.violations.clone(),
            attempts: self.attempts.max(1),
            history,
            first_seen_at_us: seen_us
                .or(delivery.retry().first_attempt_at_us)
                .unwrap_or(now_us),
            dead_lettered_at_us: now_us,
            entry_ids: vec![delivery.receipt().as_str().to_owned()],
        }
    }

    fn tell<B: Backends>(&self, context: &Context<B>, tenure: &Tenure) {
        let cause = &self.refusal.cause;
        let (class, code) = (cause.class(), cause.code());
        tracing::warn!(
            shard = %tenure.lease.shard, key = %self.row.delivery.key(), class = class.as_str(),
            code = %code, destination = self.destination.as_str(), attempts = self.attempts,
            "dead letter recorded"
        );
        if class == FailureClass::Unknown {
            context.alert(tenure.lease.shard, &code, &self.refusal.message);
        }
        let observation = Observation::Buried {
            destination: self.destination,
            class,
            stage: cause.stage(),
            code,
        };
        context.observer.observe(tenure.lease.shard, observation);
    }
}
