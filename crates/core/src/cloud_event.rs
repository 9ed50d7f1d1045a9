//! CloudEvents 1.0: the attributes that identity, op and version rest on.
//!
//! Attributes come from headers (binary mode) or from members (structured and batch mode);
//! what is asked of them is the same. Where the data stands is the reader's matter.

mod headers;

pub use headers::EventHeaders;

use crate::code::Code;
use crate::judge::Request;
use crate::source::{TypeOp, rfc3339_us};
use crate::violation::Violation;
use std::borrow::Cow;

/// The one version there is.
const SPECVERSION: &str = "1.0";

/// An event whose attributes are good.
#[derive(Clone, Debug)]
pub(crate) struct CloudEvent {
    /// `source`, a space, and `id`: a URI reference holds no space.
    pub(crate) identity: String,
    pub(crate) id: String,
    pub(crate) op: TypeOp,
    /// `time`, µs since 1970.
    pub(crate) time_us: Option<i64>,
    /// The index of its first feature in the request.
    pub(crate) first: u32,
}

/// An attribute, and where it stands.
pub(crate) struct Attribute<'a> {
    /// None when it is no string.
    pub(crate) text: Option<Cow<'a, str>>,
    pub(crate) pointer: String,
    /// None in a header.
    pub(crate) at: Option<usize>,
}

/// Reads the attributes that `find` leads to; `whole` is where an absent one is told.
pub(crate) fn read<'a>(
    request: &Request<'_>,
    find: impl Fn(&'static str) -> Option<Attribute<'a>>,
    whole: (&str, Option<usize>),
) -> Result<CloudEvent, Vec<Violation>> {
    let mut attributes = Attributes {
        request,
        find,
        whole,
        violations: Vec::new(),
    };
    attributes.specversion();
    let id = attributes.required("id");
    let source = attributes.source();
    let op = attributes.op();
    let time_us = attributes.time();
    if !attributes.violations.is_empty() {
        return Err(attributes.violations);
    }
    Ok(CloudEvent {
        identity: format!("{source} {id}"),
        id,
        op,
        time_us,
        first: 0,
    })
}

struct Attributes<'a, F> {
    request: &'a Request<'a>,
    find: F,
    whole: (&'a str, Option<usize>),
    violations: Vec<Violation>,
}

impl<'v, F: Fn(&'static str) -> Option<Attribute<'v>>> Attributes<'_, F> {
    fn refuse(&mut self, code: Code, at: Option<&Attribute<'_>>, message: String) {
        let mut violation = Violation::new(code, message);
        let (pointer, offset) = at.map_or(self.whole, |at| (&at.pointer, at.at));
        pointer.clone_into(&mut violation.pointer);
        violation.byte_offset = offset.map(|offset| offset as u64);
        self.violations.push(violation);
    }

    /// A non-empty string without U+0000; an empty one where it is none, and told.
    fn required(&mut self, name: &'static str) -> String {
        let found = (self.find)(name);
        let fault = match &found {
            None => format!("the event has no `{name}`"),
            Some(Attribute { text: None, .. }) => format!("`{name}` is not a string"),
            Some(Attribute {
                text: Some(text), ..
            }) => match &**text {
                "" => format!("`{name}` is empty"),
                text if text.contains('\0') => format!("`{name}` holds U+0000"),
                text => return text.to_owned(),
            },
        };
        self.refuse(Code::CloudEventAttribute, found.as_ref(), fault);
        String::new()
    }

    fn specversion(&mut self) {
        let found = (self.find)("specversion");
        let text = found.as_ref().and_then(|found| found.text.as_deref());
        if text != Some(SPECVERSION) {
            let message = "`specversion` is not \"1.0\"".to_owned();
            self.refuse(Code::CloudEventSpecversion, found.as_ref(), message);
        }
    }

    fn source(&mut self) -> String {
        let source = self.required("source");
        if source.bytes().any(|byte| byte <= b' ') {
            let found = (self.find)("source");
            let message = "`source` is no URI reference: it holds white space".to_owned();
            self.refuse(Code::CloudEventAttribute, found.as_ref(), message);
        }
        source
    }

    fn op(&mut self) -> TypeOp {
        let name = self.required("type");
        let types = &self.request.source.cloud_events.types;
        if name.is_empty() || types.is_empty() {
            return TypeOp::Feature;
        }
        if let Some(op) = types.get(&name) {
            return *op;
        }
        let found = (self.find)("type");
        let name: String = name.chars().take(60).collect();
        let message = format!("the source takes no event of type `{name}`");
        self.refuse(Code::CloudEventType, found.as_ref(), message);
        TypeOp::Feature
    }

    fn time(&mut self) -> Option<i64> {
        let source = self.request.source;
        let is_version = source.cloud_events.time_is_version;
        let Some(found) = (self.find)("time") else {
            if is_version {
                let message = "the event has no `time`, which is its version".to_owned();
                self.refuse(Code::SchemaVersionMissing, None, message);
            }
            return None;
        };
        let time_us = found.text.as_deref().and_then(rfc3339_us);
        let latest_us = self
            .request
            .accepted_at_us
            .saturating_add(source.future_max_us);
        if time_us.is_none() {
            let message = "`time` is no RFC 3339 time with offset".to_owned();
            self.refuse(Code::CloudEventAttribute, Some(&found), message);
        } else if is_version && time_us.is_some_and(|time_us| time_us > latest_us) {
            let message = "`time` is ahead of the door's clock".to_owned();
            self.refuse(Code::SchemaTimeInFuture, Some(&found), message);
        }
        time_us
    }
}
