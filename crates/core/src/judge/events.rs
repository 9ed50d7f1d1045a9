//! `CloudEvents` in structured and batch mode: attributes, then the GeoJSON in `data` or
//! `data_base64`, judged where it stands.

use super::Judged;
use super::bench::Bench;
use crate::cloud_event::{self, Attribute, CloudEvent};
use crate::code::Code;
use crate::json::{Index, Kind, Value};
use crate::pointer;
use crate::read::{self, Offsets, Place};
use crate::violation::{Report, Violation};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The verdict on one event.
pub(super) fn one(mut bench: Bench<'_>) -> Judged {
    match read::outline(bench.request.body, bench.ask()) {
        Err(report) => bench.refuse_all(report),
        Ok((text, index)) => {
            let event = Event {
                value: Value::root(text, &index),
                index: &index,
                record: None,
                pointer: String::new(),
            };
            event.judge(&mut bench);
        }
    }
    bench.close()
}

/// The verdict on a batch.
pub(super) fn batch(mut bench: Bench<'_>) -> Judged {
    match read::outline(bench.request.body, bench.ask()) {
        Err(report) => bench.refuse_all(report),
        Ok((text, index)) => {
            let root = Value::root(text, &index);
            if root.kind() == Kind::Array {
                events(root, &index, &mut bench);
            } else {
                let message = "a batch is an array of events";
                let violation = Violation::new(Code::CloudEventForm, message);
                bench.refuse_whole(violation.at("", root.start));
            }
        }
    }
    bench.close()
}

fn events(root: Value<'_>, index: &Index, bench: &mut Bench<'_>) {
    for (number, value) in root.elements().enumerate() {
        let event = Event {
            value,
            index,
            record: Some(u32::try_from(number).unwrap_or(u32::MAX)),
            pointer: pointer::element("", number),
        };
        if !event.judge(bench) {
            break;
        }
    }
}

/// One event of a body.
struct Event<'a> {
    value: Value<'a>,
    index: &'a Index,
    record: Option<u32>,
    pointer: String,
}

/// Where the data of an event stands, and its bytes.
enum Data<'a> {
    Plain(Value<'a>),
    Encoded(Value<'a>, Vec<u8>),
}

impl<'a> Event<'a> {
    /// False when the request ends there: it holds too much.
    fn judge(&self, bench: &mut Bench<'_>) -> bool {
        let here = self.place(Offsets::From(self.value.start), "");
        if !bench.has_room(&here) {
            return false;
        }
        if self.value.kind() != Kind::Object {
            let message = format!("an event is {}, not an object", self.value.kind().as_str());
            let violation = Violation::new(Code::CloudEventForm, message);
            self.refuse(
                vec![violation.at(self.pointer.as_str(), self.value.start)],
                bench,
            );
            return true;
        }
        match (self.attributes(bench), self.data()) {
            (Ok(event), Ok(data)) => self.judge_data(event, &data, bench),
            (attributes, data) => {
                let mut violations = attributes.err().unwrap_or_default();
                violations.extend(data.err().map(|violation| *violation));
                self.refuse(violations, bench);
                true
            }
        }
    }

    fn attributes(&self, bench: &Bench<'_>) -> Result<CloudEvent, Vec<Violation>> {
        let find = |name: &'static str| {
            let value = self.value.member(name)?;
            (value.kind() != Kind::Null).then(|| Attribute {
                text: value.as_text(),
                pointer: pointer::child(&self.pointer, name),
                at: Some(value.start),
            })
        };
        let whole = (self.pointer.as_str(), Some(self.value.start));
        cloud_event::read(bench.request, find, whole)
    }

    fn data(&self) -> Result<Data<'a>, Box<Violation>> {
        let refuse = |message: String, name: &str, value: Value<'_>| {
            let at = if name.is_empty() {
                self.pointer.clone()
            } else {
                pointer::child(&self.pointer, name)
            };
            Box::new(Violation::new(Code::CloudEventData, message).at(at, value.start))
        };
        if let Some(kind) = self.value.member("datacontenttype")
            && !kind.as_text().is_some_and(|text| is_json(&text))
        {
            let message = "the data is not declared as JSON".to_owned();
            return Err(refuse(message, "datacontenttype", kind));
        }
        match (self.value.member("data"), self.value.member("data_base64")) {
            (Some(data), None) => Ok(Data::Plain(data)),
            (None, Some(encoded)) => {
                let text = encoded.as_text();
                let bytes = text.and_then(|text| STANDARD.decode(&*text).ok());
                let message = || "`data_base64` is not base64".to_owned();
                let bytes = bytes.ok_or_else(|| refuse(message(), "data_base64", encoded))?;
                Ok(Data::Encoded(encoded, bytes))
            }
            (Some(_), Some(encoded)) => {
                let message = "`data` and `data_base64` exclude each other".to_owned();
                Err(refuse(message, "data_base64", encoded))
            }
            (None, None) => {
                let message = "the event carries no data".to_owned();
                Err(refuse(message, "", self.value))
            }
        }
    }

    fn judge_data(&self, event: CloudEvent, data: &Data<'_>, bench: &mut Bench<'_>) -> bool {
        let value = match data {
            Data::Plain(value) | Data::Encoded(value, _) => *value,
        };
        let mut around = Report::new(bench.kept_max());
        read::duplicates(self.index, self.value.start, value.start, &mut around);
        read::duplicates(self.index, value.end, self.value.end, &mut around);
        if around.errors() > 0 {
            self.refuse_by(around, bench);
            return true;
        }
        bench.carry(event);
        match data {
            Data::Plain(value) => {
                let place = self.place(Offsets::From(value.start), "data");
                bench.part(value.raw().as_bytes(), &place)
            }
            Data::Encoded(value, bytes) => {
                let escaped = value.raw().contains('\\');
                let offsets = if escaped {
                    Offsets::At(value.start)
                } else {
                    Offsets::Base64(value.start + 1)
                };
                bench.part(bytes, &self.place(offsets, "data_base64"))
            }
        }
    }

    fn place(&self, offsets: Offsets, member: &str) -> Place {
        let pointer = if member.is_empty() {
            self.pointer.clone()
        } else {
            pointer::child(&self.pointer, member)
        };
        Place {
            record: self.record,
            pointer,
            offsets,
        }
    }

    fn refuse(&self, violations: Vec<Violation>, bench: &mut Bench<'_>) {
        let mut report = Report::new(bench.kept_max());
        for violation in violations {
            report.push(violation);
        }
        self.refuse_by(report, bench);
    }

    fn refuse_by(&self, mut report: Report, bench: &mut Bench<'_>) {
        report.record(self.record);
        bench.broken(report);
    }
}

/// `application/json`, or any type whose suffix says so.
fn is_json(text: &str) -> bool {
    let name = text
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    name == "application/json" || name.ends_with("+json")
}
