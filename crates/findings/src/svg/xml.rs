//! XML by events: names are ours, every value and text is escaped.

use crate::printable::printable;
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use std::io::{self, Write};

/// Attributes by name.
pub(super) type Attributes<'a> = [(&'a str, &'a str)];

/// A document that is being written, one element a line.
pub(super) struct Xml<W> {
    writer: Writer<W>,
}

impl<W: Write> Xml<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            writer: Writer::new_with_indent(out, b' ', 0),
        }
    }

    pub(super) fn open(&mut self, name: &str, attributes: &Attributes<'_>) -> io::Result<()> {
        self.writer
            .write_event(Event::Start(start(name, attributes)))
    }

    pub(super) fn close(&mut self, name: &str) -> io::Result<()> {
        self.writer.write_event(Event::End(BytesEnd::new(name)))
    }

    /// An element of its own.
    pub(super) fn leaf(&mut self, name: &str, attributes: &Attributes<'_>) -> io::Result<()> {
        self.writer
            .write_event(Event::Empty(start(name, attributes)))
    }

    /// An element with text. What XML cannot hold is written as an escape; a line end stays.
    pub(super) fn text(
        &mut self,
        name: &str,
        attributes: &Attributes<'_>,
        text: &str,
    ) -> io::Result<()> {
        self.open(name, attributes)?;
        let lines: Vec<_> = text.split('\n').map(printable).collect();
        let lines = lines.join("\n");
        self.writer
            .write_event(Event::Text(BytesText::new(&lines)))?;
        self.close(name)
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.writer.into_inner().write_all(b"\n")
    }
}

fn start<'a>(name: &'a str, attributes: &Attributes<'a>) -> BytesStart<'a> {
    BytesStart::new(name).with_attributes(attributes.iter().copied())
}
