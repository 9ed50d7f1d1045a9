//! Large payloads in R2, bound as `PAYLOADS`: stored under `incoming/` before their
//! envelope travels, read by the bridge, deleted once the relay has the event.
//!
//! A body is judged whole, in memory. What is longer than a part is stored while it arrives,
//! and taken back if it is refused; a part has a known length and is never streamed.

mod arriving;

pub(crate) use arriving::Arriving;

use crate::{bindings, clock};
use futures_util::StreamExt;
use hexlane_door::LargePayload;
use hexlane_door::bridge::{INCOMING, Pointed};
use hexlane_door::relay::Passed;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::ReadableStream;
use worker::{Bucket, ByteStream, Env, MultipartUpload, ResponseBody, UploadedPart};

/// Parts of a multipart upload: all of one length but the last.
const PART_BYTES: usize = 8 << 20;
/// For all payloads of a request: its sender waits about 30 s.
const STORE_MS: u32 = 15_000;
/// For one part that is stored while the body arrives.
const PART_MS: u32 = 10_000;
/// For an upload that failed to be taken back; the bucket drops it itself after a week.
const ABORT_MS: u32 = 2_000;
/// For one object to be read or deleted.
const OBJECT_MS: u32 = 20_000;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = randomUUID)]
    fn random_uuid() -> String;
}

#[wasm_bindgen(module = "/js/pour.js")]
extern "C" {
    fn pour(lead: &[u8], stream: &ReadableStream, length: f64) -> JsValue;
}

/// A key that no other object has: two events may have the same payload, and one of them
/// must not delete it for the other.
pub(crate) fn new_key() -> String {
    format!("{INCOMING}{}", random_uuid())
}

/// Stores them all, what has arrived already as well. Says why not in the log.
pub(crate) async fn store(
    payloads: Vec<LargePayload>,
    mut arriving: Arriving,
    env: &Env,
) -> Result<(), ()> {
    let failed = |reason: String| worker::console_error!("payloads.unavailable: {reason}");
    let bucket = bindings::bucket(env).map_err(failed)?;
    let until_ms = clock::now_ms().saturating_add(u64::from(STORE_MS));
    if let [payload] = payloads.as_slice() {
        let stored = arriving.finish(payload, STORE_MS).await;
        if stored.map_err(failed)? {
            return Ok(());
        }
    } else {
        arriving.take_back().await;
    }
    for payload in payloads {
        let left_ms = until_ms.saturating_sub(clock::now_ms());
        let left_ms = u32::try_from(left_ms).unwrap_or(STORE_MS);
        upload(&bucket, payload, left_ms).await.map_err(failed)?;
    }
    Ok(())
}

async fn upload(bucket: &Bucket, payload: LargePayload, within_ms: u32) -> Result<(), String> {
    let LargePayload { key, bytes } = payload;
    let began = bucket.create_multipart_upload(&key).execute();
    let upload = in_time(within_ms, began).await?;
    let id = upload.upload_id().await;
    let stored = in_time(within_ms, finish(upload, Vec::new(), &bytes)).await;
    if stored.is_err() {
        abort(bucket, &key, &id).await;
    }
    stored
}

/// Takes an upload back.
async fn abort(bucket: &Bucket, key: &str, id: &str) {
    if let Ok(again) = bucket.resume_multipart_upload(key, id)
        && let Err(reason) = in_time(ABORT_MS, again.abort()).await
    {
        worker::console_warn!("payloads.not_aborted: {key}: {reason}");
    }
}

/// Uploads what is left behind those parts, and ends the upload.
async fn finish(
    upload: MultipartUpload,
    mut parts: Vec<UploadedPart>,
    bytes: &[u8],
) -> worker::Result<()> {
    let rest = bytes.get(parts.len() * PART_BYTES..).unwrap_or_default();
    for part in rest.chunks(PART_BYTES) {
        parts.push(next_part(&upload, parts.len(), part).await?);
    }
    upload.complete(parts).await.map(drop)
}

/// Uploads the part behind so many others.
async fn next_part(
    upload: &MultipartUpload,
    others: usize,
    part: &[u8],
) -> worker::Result<UploadedPart> {
    let number = u16::try_from(others + 1).map_err(|_| worker::Error::from("too many parts"))?;
    upload.upload_part(number, part.to_vec()).await
}

async fn in_time<T>(
    within_ms: u32,
    work: impl Future<Output = worker::Result<T>>,
) -> Result<T, String> {
    match clock::within(within_ms, work).await {
        Some(done) => done.map_err(|error| error.to_string()),
        None => Err(format!("no answer within {within_ms} ms")),
    }
}

/// What is there of an event's payload, no more of it than there should be; nothing when
/// the object is not there.
///
/// # Errors
/// When the bucket does not say.
pub(crate) async fn read(bucket: &Bucket, pointed: &Pointed) -> Result<Vec<u8>, String> {
    let bytes_max = usize::try_from(pointed.size_bytes()).map_err(|error| error.to_string())?;
    in_time(OBJECT_MS, read_object(bucket, pointed.key(), bytes_max)).await
}

async fn read_object(bucket: &Bucket, key: &str, bytes_max: usize) -> worker::Result<Vec<u8>> {
    let mut found = Vec::new();
    let object = bucket.get(key).execute().await?;
    let Some(body) = object.as_ref().and_then(worker::Object::body) else {
        return Ok(found);
    };
    found
        .try_reserve_exact(bytes_max)
        .map_err(|_| worker::Error::from("no room for the object"))?;
    let mut stream = body.stream()?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        let room = bytes_max - found.len();
        found.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if found.len() == bytes_max {
            break;
        }
    }
    Ok(found)
}

/// The object of an event, as a stream; none when there is none of its length.
///
/// # Errors
/// When the bucket does not say.
pub(crate) async fn open(
    bucket: &Bucket,
    pointed: &Pointed,
) -> Result<Option<ReadableStream>, String> {
    let object = in_time(OBJECT_MS, bucket.get(pointed.key()).execute()).await?;
    let object = object.filter(|object| object.size() == pointed.size_bytes());
    let body = object.as_ref().and_then(worker::Object::body);
    match body.map(worker::ObjectBody::response_body).transpose() {
        Ok(Some(ResponseBody::Stream(stream))) => Ok(Some(stream)),
        Ok(Some(ResponseBody::Empty | ResponseBody::Body(_)) | None) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Hands on each piece of an object.
///
/// # Errors
/// When it does not come to its end.
pub(crate) async fn each(
    stream: ReadableStream,
    mut take: impl FnMut(&[u8]),
) -> Result<(), String> {
    let all = async {
        let mut stream = ByteStream::from(stream);
        while let Some(chunk) = stream.next().await {
            take(&chunk?);
        }
        Ok(())
    };
    in_time(OBJECT_MS, all).await
}

/// The body of a request: what stands before the payload, and the object as it comes.
pub(crate) fn behind(passed: &Passed, stream: &ReadableStream) -> JsValue {
    #[allow(clippy::cast_precision_loss, reason = "no batch has 2^53 bytes")]
    let length = passed.body_bytes as f64;
    pour(&passed.lead, stream, length)
}

/// Deletes an object whose event the relay has. One that stays goes by the lifecycle rule.
pub(crate) async fn delete(bucket: &Bucket, key: &str) {
    if let Err(reason) = in_time(OBJECT_MS, bucket.delete(key)).await {
        worker::console_warn!("payloads.not_deleted: {key}: {reason}");
    }
}
