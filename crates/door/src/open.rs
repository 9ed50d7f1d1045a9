//! From the head of a request to its verdict.

use crate::answer::Answer;
use crate::coding::Coding;
use crate::enqueue::Decision;
use crate::head::{HEADERS, Head};
use crate::media::Media;
use crate::meter::{Budget, Meter};
use crate::prefer::Preferences;
use crate::problem::Problem;
use crate::proof;
use crate::verdict::{self, Policy};
use hexlane_core::code::Code;
use hexlane_core::judge::{self, Format, Request, RequestKey};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{Auth, Source};
use hexlane_core::violation::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// Where events are sent: this, and the source's name.
const EVENTS_PATH: &str = "/v1/events/";
/// As the draft of the header suggests for its stores.
const KEY_CHARACTERS_MAX: usize = 255;
/// W3C Trace Context has 55; a longer one of a later version is not passed on.
const TRACEPARENT_BYTES_MAX: usize = 64;

/// The door: its sources and its limits.
#[derive(Clone, Debug)]
pub struct Door {
    sources: BTreeMap<String, Source>,
    limits: Limits,
    shard_map: ShardMap,
    headers: Vec<&'static str>,
}

impl Door {
    pub(crate) fn new(
        sources: BTreeMap<String, Source>,
        limits: Limits,
        shard_map: ShardMap,
    ) -> Self {
        let own: BTreeSet<&str> = sources.values().flat_map(proof::headers_of).collect();
        let headers = HEADERS.into_iter().chain(own).collect();
        Self {
            sources,
            limits,
            shard_map,
            headers,
        }
    }

    /// The source of that name.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.get(name)
    }

    /// The headers that this door reads: [`HEADERS`], and those of its sources' schemes.
    #[must_use]
    pub fn headers(&self) -> &[&'static str] {
        &self.headers
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The rule lane → shard in force.
    #[must_use]
    pub const fn shard_map(&self) -> ShardMap {
        self.shard_map
    }

    /// Judges the head alone, before any byte of the body is read.
    ///
    /// # Errors
    /// The answer, when the head is enough to refuse.
    pub fn open<'a>(&'a self, head: &'a Head) -> Result<Opened<'a>, Answer> {
        self.opened(head).map_err(|problem| problem.answer())
    }

    fn opened<'a>(&'a self, head: &'a Head) -> Result<Opened<'a>, Problem> {
        let name = head
            .path()
            .strip_prefix(EVENTS_PATH)
            .ok_or(Problem::RouteUnknown)?;
        if head.method() != "POST" {
            return Err(Problem::MethodNotAllowed { allow: "POST" });
        }
        let source = self.sources.get(name).ok_or(Problem::SourceUnknown)?;
        proof::by_head(source, head)?;
        let opened = Opened {
            door: self,
            source,
            head,
            media: Media::of(head)?,
            key: request_key(source, head)?,
            declared: declared_length(head)?,
            coding: Coding::of(head)?,
        };
        let bytes_max = self.limits.body_bytes_max;
        if opened.declared.is_some_and(|declared| declared > bytes_max) {
            return Err(Problem::TooLarge { bytes_max });
        }
        Ok(opened)
    }
}

/// A request whose head was good.
#[derive(Debug)]
pub struct Opened<'a> {
    door: &'a Door,
    source: &'a Source,
    head: &'a Head,
    media: Media,
    coding: Coding,
    key: Option<RequestKey<'a>>,
    declared: Option<u64>,
}

impl Opened<'_> {
    /// Takes the body's bytes as they arrive.
    ///
    /// # Errors
    /// The answer, when there is no room for the declared length.
    pub fn meter(&self, budget: &Budget) -> Result<Meter, Answer> {
        Meter::new(budget, self.door.limits.body_bytes_max, self.declared)
    }

    /// Checks the size of a body that came whole, as [`Opened::meter`] does of one that
    /// arrives.
    ///
    /// # Errors
    /// The answer, when it is too large or not as long as declared.
    pub fn check(&self, body: &[u8]) -> Result<(), Answer> {
        let (length, bytes_max) = (body.len() as u64, self.door.limits.body_bytes_max);
        if length > bytes_max {
            return Err(Problem::TooLarge { bytes_max }.answer());
        }
        match self.declared {
            Some(declared) if declared != length => Err(Problem::BodyCut.answer()),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether the bytes on the wire may be the payload of one event.
    #[must_use]
    pub fn is_one_document(&self) -> bool {
        self.coding == Coding::Identity && self.media.format == Format::Document
    }

    /// Whether judging it may take long though its bytes are few: they are compressed.
    #[must_use]
    pub fn is_coded(&self) -> bool {
        self.coding != Coding::Identity
    }

    /// Verifies the signature over the bytes on the wire, undoes their coding and judges them. `now_us` becomes the time
    /// of acceptance of every event.
    #[must_use]
    pub fn judge(&self, body: &[u8], now_us: i64) -> Decision {
        if let Err(fault) = proof::by_body(self.source, self.head, body, now_us) {
            return Decision::Answer(Problem::Unauthorized(fault).answer());
        }
        let plain = match self.coding.undone(body, self.door.limits.body_bytes_max) {
            Ok(plain) => plain,
            Err(problem) => return Decision::Answer(problem.answer()),
        };
        let preferences = Preferences::of(self.head, &self.source.repair);
        let request = Request {
            source: self.source,
            body: &plain,
            format: self.media.format,
            event: self.media.event(self.head),
            content_type: self.media.payload,
            content_crs: self.head.header("content-crs"),
            key: self.key,
            repair: &preferences.repair,
            traceparent: self
                .head
                .header("traceparent")
                .filter(|text| text.len() <= TRACEPARENT_BYTES_MAX),
            accepted_at_us: now_us,
        };
        let (limits, shard_map) = (&self.door.limits, self.door.shard_map);
        let mut judged = judge::judge(&request, limits, shard_map);
        if let Some(reason) = &preferences.not_repaired {
            let warning = Violation::new(Code::RepairNotApplied, reason.clone());
            judged.report.push(warning);
        }
        let policy = Policy {
            request: &request,
            content_type: self.media.body,
            shard_map,
            envelope_bytes_max: limits.envelope_bytes_max,
            preferences: &preferences,
        };
        verdict::decide(judged, &policy)
    }
}

fn declared_length(head: &Head) -> Result<Option<u64>, Problem> {
    let Some(text) = head.header("content-length") else {
        return Ok(None);
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|_| digits)
        .map(Some)
        .ok_or(Problem::Length)
}

/// `Idempotency-Key`, else `webhook-id`. The first may stand in quotes (RFC 8941); what has
/// quotes inside is two keys that were joined.
fn request_key<'a>(source: &Source, head: &'a Head) -> Result<Option<RequestKey<'a>>, Problem> {
    let printable = |key: &str| {
        (1..=KEY_CHARACTERS_MAX).contains(&key.len())
            && key.bytes().all(|byte| (0x20..0x7f).contains(&byte))
    };
    if let Some(header) = head.header("idempotency-key") {
        let inner = header
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let key = inner.unwrap_or(header);
        let joined = inner.is_some_and(|inner| inner.contains('"'));
        return if printable(key) && !joined {
            Ok(Some(RequestKey::Idempotency(key)))
        } else {
            Err(Problem::KeyMalformed)
        };
    }
    let signed = match &source.auth {
        Auth::StandardWebhooks { .. } => true,
        Auth::None | Auth::GitHub { .. } | Auth::Stripe { .. } | Auth::Bearer { .. } => false,
    };
    match head.header("webhook-id") {
        Some(id) if printable(id) => Ok(Some(RequestKey::WebhookId(id))),
        Some(_) if signed => Err(Problem::KeyMalformed),
        Some(_) | None => Ok(None),
    }
}
