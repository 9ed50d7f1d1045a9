//! A body that is stored while it arrives: all but its last part is in the bucket before the
//! verdict, which then decides what comes of it.

use super::{PART_BYTES, PART_MS, abort, finish, in_time, new_key, next_part};
use crate::bindings;
use hexlane_door::LargePayload;
use worker::{Bucket, Env, MultipartUpload, UploadedPart};

/// What is stored of a body so far.
#[derive(Default)]
pub(crate) struct Arriving {
    /// None where nothing is stored before the verdict.
    bucket: Option<Bucket>,
    begun: Option<Begun>,
    /// Bytes that have arrived.
    bytes: usize,
}

struct Begun {
    key: String,
    upload: MultipartUpload,
    id: String,
    parts: Vec<UploadedPart>,
}

impl Arriving {
    /// Of a body that may be the payload of one event.
    pub(crate) fn awaited(env: &Env) -> Self {
        Self {
            bucket: bindings::bucket(env).ok(),
            ..Self::default()
        }
    }

    /// The key under which it lies; none while nothing of it is stored.
    pub(crate) fn key(&self) -> Option<String> {
        self.begun.as_ref().map(|begun| begun.key.clone())
    }

    /// Stores each part of `body`, which is all that has arrived, but the last: what is refused
    /// and fits into one part is never stored. Where the bucket fails, nothing more is
    /// stored before the verdict; who stores it then, whole, tells of it.
    pub(crate) async fn see(&mut self, body: &[u8]) {
        self.bytes = body.len();
        while let Some(bucket) = &self.bucket {
            let stored = self.begun.as_ref().map_or(0, |begun| begun.parts.len());
            let (start, end) = (stored * PART_BYTES, (stored + 1) * PART_BYTES);
            let Some(part) = body.get(start..end).filter(|_| end < body.len()) else {
                return;
            };
            let stored = in_time(PART_MS, store(bucket, &mut self.begun, part)).await;
            if let Err(reason) = stored {
                worker::console_warn!("payloads.not_stored_early: {reason}");
                self.take_back().await;
            }
        }
    }

    /// Ends the upload if that payload is the whole body, and says whether it was. One
    /// that is begun for nothing is taken back.
    ///
    /// # Errors
    /// When the bucket fails.
    pub(crate) async fn finish(
        mut self,
        payload: &LargePayload,
        within_ms: u32,
    ) -> Result<bool, String> {
        let is_body = payload.bytes.len() == self.bytes;
        if !is_body {
            self.take_back().await;
        }
        let (Some(bucket), Some(begun)) = (self.bucket, self.begun) else {
            return Ok(false);
        };
        let ended = finish(begun.upload, begun.parts, &payload.bytes);
        let stored = in_time(within_ms, ended).await;
        if stored.is_err() {
            abort(&bucket, &begun.key, &begun.id).await;
        }
        stored.map(|()| true)
    }

    /// Takes back what is stored; nothing is stored from here on.
    pub(crate) async fn take_back(&mut self) {
        if let (Some(bucket), Some(begun)) = (self.bucket.take(), self.begun.take()) {
            abort(&bucket, &begun.key, &begun.id).await;
        }
    }
}

/// Stores the next part, the first in a new upload.
async fn store(bucket: &Bucket, begun: &mut Option<Begun>, part: &[u8]) -> worker::Result<()> {
    if begun.is_none() {
        let key = new_key();
        let upload = bucket.create_multipart_upload(&key).execute().await?;
        *begun = Some(Begun {
            id: upload.upload_id().await,
            key,
            upload,
            parts: Vec::new(),
        });
    }
    if let Some(begun) = begun {
        let next = next_part(&begun.upload, begun.parts.len(), part).await?;
        begun.parts.push(next);
    }
    Ok(())
}
