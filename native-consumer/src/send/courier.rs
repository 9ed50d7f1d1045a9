//! One request, tried until it has a final answer or its attempts are spent.

use super::answer::{self, Fault, Told};
use super::batch::Batch;
use crate::{chance, client};
use hexlane_backend::Clock;
use hexlane_core::signature::{Secret, sign_webhook};
use hexlane_delivery::{RetryAfter, RetryPolicy};
use hexlane_engine::{Chance, SeededChance};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use std::sync::Arc;
use std::time::Duration;

/// Where requests go, and what they prove.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) url: reqwest::Url,
    pub(super) secret: Option<Secret>,
    pub(super) bearer: Option<String>,
    pub(super) attempts_max: u32,
}

/// Carries batches.
#[derive(Debug)]
pub(super) struct Courier {
    client: reqwest::Client,
    target: Target,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
    chance: SeededChance,
}

/// Why an attempt is to be repeated, and how long the door asks to wait.
struct Again {
    fault: Fault,
    asked_ms: Option<u64>,
}

impl Courier {
    pub(super) fn new(target: Target, clock: Arc<dyn Clock>) -> reqwest::Result<Self> {
        let chance = chance::seeded(&*clock);
        Ok(Self {
            client: client::build()?,
            target,
            policy: RetryPolicy::default(),
            clock,
            chance,
        })
    }

    /// Sends a batch.
    ///
    /// # Errors
    /// The last reason, when no final answer came.
    pub(super) async fn carry(&self, batch: &Batch) -> Result<Told, Fault> {
        let body = batch.body();
        let id = Batch::id(&body);
        let body = bytes::Bytes::from(body);
        let mut attempt = 1;
        let mut drawn_ms = 0;
        loop {
            let again = match self.attempt(&body, &id, batch.len()).await {
                Ok(told) => return Ok(told),
                Err(again) if attempt >= self.target.attempts_max => return Err(again.fault),
                Err(again) => again,
            };
            let draw = self.chance.draw();
            let wait = self.policy.wait(attempt, drawn_ms, again.asked_ms, draw);
            tokio::time::sleep(Duration::from_millis(wait.delay_ms)).await;
            drawn_ms = wait.drawn_ms;
            attempt += 1;
        }
    }

    async fn attempt(&self, body: &bytes::Bytes, id: &str, features: usize) -> Result<Told, Again> {
        let unreachable = |error: reqwest::Error| Again {
            fault: Fault {
                code: "unreachable".to_owned(),
                message: client::reason(&error),
            },
            asked_ms: None,
        };
        let answer = self.request(body, id).send().await.map_err(unreachable)?;
        let status = answer.status().as_u16();
        let asked_ms = self.asked_ms(answer.headers());
        let document = answer.bytes().await.map_err(unreachable)?;
        let is_final = !matches!(status, 408 | 429 | 500 | 502..=504);
        if is_final {
            return Ok(answer::read(status, &document, features));
        }
        // Read as if it were final, for its code alone.
        match answer::read(status, &document, features) {
            Told::Closed(fault) => Err(Again { fault, asked_ms }),
            told @ (Told::Accepted { .. } | Told::Refused(_) | Told::RefusedWhole(_)) => Ok(told),
        }
    }

    /// Signed anew at each attempt, since the timestamp ages; the id stays.
    fn request(&self, body: &bytes::Bytes, id: &str) -> reqwest::RequestBuilder {
        let mut request = self.client.post(self.target.url.clone());
        request = request
            .header(CONTENT_TYPE, "application/geo+json")
            .body(body.clone());
        if let Some(token) = &self.target.bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(secret) = &self.target.secret {
            let timestamp_s = self.clock.now_us().div_euclid(1_000_000);
            request = request
                .header("webhook-id", id)
                .header("webhook-timestamp", timestamp_s)
                .header(
                    "webhook-signature",
                    sign_webhook(secret, id, timestamp_s, body),
                );
        }
        request
    }

    fn asked_ms(&self, headers: &reqwest::header::HeaderMap) -> Option<u64> {
        let raw = headers.get(RETRY_AFTER)?.to_str().ok()?;
        let most_ms = self.policy.retry_after_ms_max;
        RetryAfter::parse(raw, self.clock.now_us(), most_ms).wait_ms
    }
}
