//! How dap-mcp 0.1.5 words its answers: tags like those of XML, with JSON as Python writes it.

use std::fmt::Write;
use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Map, Value};

/// Lines of source before and after the current one.
const AROUND: i64 = 20;

/// The plain answer to a request.
pub fn response(command: &str, body: &Value) -> String {
    tag("response", &[("command", command.into())], &python_json(&without_nulls(body)))
}

pub fn events(events: &[Value]) -> String {
    let one = |event: &Value| {
        let name = event["event"].as_str().expect("a name");
        let mut body = without_nulls(&event["body"]);
        // Of an event that DAP does not know, what is no text is written as JSON within a text.
        if name == "debugpySockets" {
            body["sockets"] = python_json(&body["sockets"]).into();
        }
        let is_empty = body.as_object().is_none_or(Map::is_empty);
        let content = if is_empty { String::new() } else { python_json(&body) };
        tag("event", &[("type", name.into())], &content)
    };
    tag("events", &[], &lines(events.iter().map(one)))
}

/// All that is shown of a stop.
pub struct Stop<'a> {
    pub program: &'a str,
    pub thread: &'a Value,
    pub threads: &'a Value,
    pub frames: &'a Value,
    pub scopes: &'a [(Value, Value)],
    pub events: &'a [Value],
}

impl Stop<'_> {
    pub fn view(&self) -> String {
        let parts = [
            self.source(),
            tag("variables", &[], &lines(self.scopes.iter().map(scope))),
            self.frames(),
            self.threads(),
            events(self.events),
        ];
        tag("debugger_view", &[], &lines(parts.into_iter()))
    }

    fn source(&self) -> String {
        let frame = &self.frames[0];
        let line = frame["line"].as_i64().expect("a line");
        let path = text(&frame["source"]["path"]);
        let shown = (1..).zip(self.program.lines());
        let shown = shown.filter(|(number, _)| (line - AROUND..=line + AROUND).contains(number));
        let shown = shown.map(|(number, text)| (number, text.to_owned())).collect();
        let total = self.program.lines().count();
        let attributes = [("path", path), ("total_lines", total.to_string())];
        tag("source", &attributes, &table(line, shown))
    }

    fn frames(&self) -> String {
        let row = |frame: &Value| {
            let (name, path) = (text(&frame["name"]), text(&frame["source"]["path"]));
            let (line, column) = (&frame["line"], &frame["column"]);
            let id = frame["id"].as_i64().expect("an id");
            (id, format!("{name}\tpath={path}\tline={line}\tcol={column}"))
        };
        let rows: Vec<_> = array(self.frames).iter().map(row).collect();
        tag("frames", &[], &table(rows[0].0, rows))
    }

    fn threads(&self) -> String {
        let id = |value: &Value| value.as_i64().expect("an id");
        let row = |thread: &Value| (id(&thread["id"]), text(&thread["name"]));
        let rows = array(self.threads).iter().map(row).collect();
        tag("threads", &[], &table(id(self.thread), rows))
    }
}

fn scope((name, variables): &(Value, Value)) -> String {
    let variables = array(variables).iter().map(|variable| {
        let fields = variable.as_object().expect("fields").iter();
        let fields = fields.filter(|(name, value)| *name != "value" && !value.is_null());
        let attributes: Vec<_> =
            fields.map(|(name, value)| (name.as_str(), python_text(value))).collect();
        tag("variable", &attributes, &text(&variable["value"]))
    });
    tag("scope", &[("name", text(name))], &lines(variables))
}

fn tag(name: &str, attributes: &[(&str, String)], content: &str) -> String {
    let mut begin = name.to_owned();
    for (name, value) in attributes {
        let _ = write!(begin, " {name}=\"{value}\"");
    }
    match content {
        "" => format!("<{begin}/>"),
        content => format!("<{begin}>{content}</{name}>"),
    }
}

/// Numbered rows, with an arrow at one of them.
fn table(active: i64, rows: Vec<(i64, String)>) -> String {
    let width = rows.iter().map(|(number, _)| number.to_string().len()).max().unwrap_or_default();
    let row = |(number, text): (i64, String)| {
        let arrow = if number == active { "->" } else { "  " };
        format!("{number:>width$} {arrow} {text}")
    };
    format!("\n{}\n", lines(rows.into_iter().map(row)))
}

fn lines(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join("\n")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// As `str` of Python writes a value.
fn python_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => python_json(other).replace('"', "'"),
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// JSON with a blank after every comma and colon.
fn python_json(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Blanks)).expect("JSON");
    String::from_utf8(bytes).expect("text")
}

struct Blanks;

impl Blanks {
    fn separate<W: io::Write + ?Sized>(writer: &mut W, is_first: bool) -> io::Result<()> {
        if is_first { Ok(()) } else { writer.write_all(b", ") }
    }
}

impl Formatter for Blanks {
    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> io::Result<()> {
        Self::separate(w, first)
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> io::Result<()> {
        Self::separate(w, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
