//! The one table of refusals: each with its status, code and title.

use crate::answer::Answer;
use crate::coding::CodingFault;
use crate::document;
use crate::leading::Leading;
use crate::media;
use hexlane_core::code::Code;
use hexlane_core::signature::SignatureFault;
use hexlane_core::violation::Report;

/// Why a request is refused before, beside or after its verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// No such path.
    RouteUnknown,
    /// No such source.
    SourceUnknown,
    /// The path takes other methods.
    MethodNotAllowed {
        /// Which, as the header `Allow` lists them.
        allow: &'static str,
    },
    /// A media type that holds no GeoJSON, or none that is read here.
    MediaType,
    /// A Content-Encoding that is not undone here.
    Encoding,
    /// The bytes are not what their Content-Encoding says.
    Coded(CodingFault),
    /// `Content-Length` is not a number.
    Length,
    /// `Idempotency-Key` is empty, too long or not printable.
    KeyMalformed,
    /// The body is larger than the limit, or the declared length is.
    TooLarge {
        /// The limit.
        bytes_max: u64,
    },
    /// The body ended early or was cut.
    BodyCut,
    /// The signature is missing, malformed, old or wrong.
    Unauthorized(SignatureFault),
    /// The verdict.
    Refused {
        /// Every violation, bounded, with totals.
        report: Report,
        /// Every feature that has an error, by index: never cut.
        features: Vec<u32>,
        /// Whether each feature was judged for itself, as the sender preferred, and none was
        /// good.
        each: bool,
    },
    /// A key came again with another payload; the indices of the features.
    KeyReused(Vec<u32>),
    /// The backlog is at its cap.
    Backlog {
        /// When to come again.
        retry_after_s: u32,
    },
    /// No room for this body beside those in flight.
    Busy,
    /// The queue did not take it, or did not say whether it did. Sending again with the
    /// same keys has one effect.
    QueueUnavailable {
        /// When to come again.
        retry_after_s: u32,
    },
    /// The settings do not make a door; the log says why.
    Misconfigured,
    /// Relay bytes that are no batch of envelopes.
    RelayMalformed(&'static str),
}

/// When room or the queue may be back.
const RETRY_AFTER_S: u32 = 1;

impl Problem {
    /// HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status_by(self.leading())
    }

    /// The violation that a refusal is named after.
    fn leading(&self) -> Option<Leading<'_>> {
        if let Self::Refused { report, .. } = self {
            Leading::of(report)
        } else {
            None
        }
    }

    /// The status, where what leads is known.
    pub(crate) fn status_by(&self, leading: Option<Leading<'_>>) -> u16 {
        match self {
            Self::Length
            | Self::KeyMalformed
            | Self::BodyCut
            | Self::Coded(_)
            | Self::RelayMalformed(_) => 400,
            Self::Unauthorized(_) => 401,
            Self::RouteUnknown | Self::SourceUnknown => 404,
            Self::MethodNotAllowed { .. } => 405,
            Self::TooLarge { .. } => 413,
            Self::MediaType | Self::Encoding => 415,
            Self::Refused { each: true, .. } | Self::KeyReused(_) => 422,
            Self::Refused { .. } => leading.map_or(422, Leading::status),
            Self::Backlog { .. } => 429,
            Self::Misconfigured => 500,
            Self::Busy | Self::QueueUnavailable { .. } => 503,
        }
    }

    /// The stable code of the problem as a whole.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code_by(self.leading())
    }

    /// The code, where what leads is known.
    pub(crate) fn code_by(&self, leading: Option<Leading<'_>>) -> &'static str {
        match self {
            Self::RouteUnknown => "route.unknown",
            Self::SourceUnknown => "source.unknown",
            Self::MethodNotAllowed { .. } => "method.not_allowed",
            Self::MediaType => "media_type.unsupported",
            Self::Encoding => "encoding.unsupported",
            Self::Coded(fault) => fault.as_str(),
            Self::Length => "length.malformed",
            Self::KeyMalformed => "idempotency.key_malformed",
            Self::TooLarge { .. } => Code::LimitBytes.as_str(),
            Self::BodyCut => "body.cut",
            Self::Unauthorized(fault) => fault.as_str(),
            Self::Refused { .. } => {
                leading.map_or("payload.refused", |leading| leading.code.as_str())
            }
            Self::KeyReused(_) => Code::IdempotencyKeyReused.as_str(),
            Self::Backlog { .. } => "backlog.full",
            Self::Busy => "door.busy",
            Self::QueueUnavailable { .. } => "queue.unavailable",
            Self::Misconfigured => "settings.invalid",
            Self::RelayMalformed(_) => "relay.malformed",
        }
    }

    /// One line for a person; the same for every problem of the code.
    pub(crate) fn title(&self) -> &'static str {
        match self {
            Self::RouteUnknown => "There is nothing at this path",
            Self::SourceUnknown => "No source of this name is set up",
            Self::MethodNotAllowed { .. } => {
                "This path does not take this method; Allow lists those it takes"
            }
            Self::MediaType => "Send GeoJSON in UTF-8; Accept-Post lists the media types",
            Self::Encoding => "Send the body as it is, or in gzip",
            Self::Coded(_) => "The body is not whole and sound gzip",
            Self::Length => "Content-Length is not a number",
            Self::KeyMalformed => "Idempotency-Key is 1 to 255 printable ASCII characters",
            Self::TooLarge { .. } => "The body is larger than the limit",
            Self::BodyCut => "The body ended before its declared length",
            Self::Unauthorized(_) => "The request does not prove where it comes from",
            Self::Refused { .. } => "The payload was refused",
            Self::KeyReused(_) => "The idempotency key was used for another payload",
            Self::Backlog { .. } => "Too many events wait already",
            Self::Busy => "Too many bytes are in flight",
            Self::QueueUnavailable { .. } => "The queue did not confirm the events",
            Self::Misconfigured => "The settings of this door are not valid",
            Self::RelayMalformed(_) => "The body is not a batch of envelopes",
        }
    }

    /// The answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let leading = self.leading();
        let answer = Answer::json(
            self.status_by(leading),
            "application/problem+json",
            document::problem(self, leading),
        );
        match self {
            Self::Refused { report, .. } => answer.told(report.totals()),
            Self::MethodNotAllowed { allow } => answer.with("allow", *allow),
            Self::MediaType => answer.with("accept-post", media::ACCEPTED),
            Self::Encoding => answer.with("accept-encoding", "gzip, identity"),
            Self::Unauthorized(_) => answer.with("www-authenticate", "Bearer"),
            Self::Backlog { retry_after_s } | Self::QueueUnavailable { retry_after_s } => {
                answer.with("retry-after", retry_after_s.to_string())
            }
            Self::Busy => answer.with("retry-after", RETRY_AFTER_S.to_string()),
            Self::RouteUnknown
            | Self::SourceUnknown
            | Self::Coded(_)
            | Self::Length
            | Self::KeyMalformed
            | Self::TooLarge { .. }
            | Self::BodyCut
            | Self::KeyReused(_)
            | Self::Misconfigured
            | Self::RelayMalformed(_) => answer,
        }
    }
}
