//! Hostile requests, made up from the contract: noise, wire format without sense, and messages whose
//! every field has a value that nobody expects. Nothing here can harm the machine: what would start
//! a program or reach a process is taken from short lists, and whatever else comes out is dropped.

use std::collections::BTreeMap;

use bytes::Bytes;
use debug_relay::proto::attach_config::Target as AttachTarget;
use debug_relay::proto::create_session_request::Start;
use debug_relay::proto::launch_config::Target as LaunchTarget;
use debug_relay::proto::{
    AttachConfig, AttachRequest, CreateSessionRequest, DESCRIPTORS, Endpoint, LaunchConfig,
    LaunchRequest,
};
use prost::Message;
use prost::encoding::{encode_key, encode_varint};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

use super::values::{CODES, DOUBLES, HOSTS, MODULES, NUMBERS, PORTS, PROCESSES, PYTHONS, TEXTS};
use crate::raw_calls::{Rpc, first_field};
use crate::support::Random;

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Empty,
    /// Any bytes.
    Noise,
    /// Valid wire format, with any fields of any type.
    Wire,
    /// The fields of the request, with hostile values.
    Filled,
    /// The same, and nothing in it asks for a long wait.
    Brief,
}

pub const KINDS: &[Kind] =
    &[Kind::Empty, Kind::Noise, Kind::Wire, Kind::Wire, Kind::Filled, Kind::Brief, Kind::Brief];

/// Lists are not longer than this in bytes, most of the time.
const LIST: usize = 20_000;
/// Nearly the most that the server takes.
const LONG_LIST: usize = 3_000_000;
const DEEPEST: usize = 6;

/// The messages of the contract, and a program that does no harm.
pub struct Requests {
    messages: BTreeMap<String, DescriptorProto>,
    programs: Vec<String>,
}

impl Requests {
    pub fn new(program: String) -> Self {
        let mut messages = BTreeMap::new();
        for file in FileDescriptorSet::decode(DESCRIPTORS).unwrap().file {
            for message in &file.message_type {
                collect(&format!(".{}", file.package()), message, &mut messages);
            }
        }
        let long = format!("/nope/{}", "x".repeat(20_000));
        let nowhere = ["", "/nope.py", "../../nope", "/", "\0", "-c"].map(String::from);
        Self { messages, programs: [nowhere.to_vec(), vec![program, long]].concat() }
    }

    /// One request for an RPC, about `session` if it is about one.
    pub fn make(&self, random: &mut Random, rpc: &Rpc, kind: Kind, session: &str) -> Bytes {
        let mut bytes = match kind {
            Kind::Empty => Vec::new(),
            Kind::Noise => {
                let size = random.below(200);
                random.bytes(size)
            }
            Kind::Wire => wire(random, 0),
            Kind::Filled | Kind::Brief => {
                let density = *random.pick(&[15, 50, 100]);
                let is_crooked = random.chance(10);
                let is_brief = kind == Kind::Brief;
                let maker = Maker { requests: self, is_brief, is_crooked, density };
                maker.message(random, &rpc.request, 0)
            }
        };
        // The last value of a field counts.
        if rpc.is_of_session && rpc.name != "CreateSession" {
            bytes.extend_from_slice(&first_field(session));
        }
        if self.is_harmless(&rpc.request, &bytes) { bytes.into() } else { first_field(session) }
    }

    /// Whether this request can ask for a wait.
    pub fn can_wait(&self, message: &str) -> bool {
        let fields = self.messages.get(message).map(|message| message.field.iter());
        fields.into_iter().flatten().any(|field| {
            let kind = field.type_name();
            kind == ".google.protobuf.Duration" || kind == ".debugrelay.v1.WaitOptions"
        })
    }

    /// The last word on what is sent: no process but ours is started, reached or waited for.
    fn is_harmless(&self, request: &str, bytes: &[u8]) -> bool {
        let start = match request.rsplit('.').next() {
            Some("CreateSessionRequest") => {
                CreateSessionRequest::decode(bytes).ok().and_then(|request| request.start)
            }
            Some("LaunchRequest") => {
                let launch = LaunchRequest::decode(bytes).ok().and_then(|request| request.launch);
                launch.map(Start::Launch)
            }
            Some("AttachRequest") => {
                let attach = AttachRequest::decode(bytes).ok().and_then(|request| request.attach);
                attach.map(Start::Attach)
            }
            _ => None,
        };
        match start {
            None => true,
            Some(Start::Launch(launch)) => self.is_harmless_launch(&launch),
            Some(Start::Attach(attach)) => is_harmless_attach(&attach),
        }
    }

    fn is_harmless_launch(&self, launch: &LaunchConfig) -> bool {
        let is_known = match &launch.target {
            None => true,
            Some(LaunchTarget::Program(path)) => self.programs.contains(path),
            Some(LaunchTarget::Module(name)) => MODULES.contains(&name.as_str()),
            Some(LaunchTarget::Code(text)) => CODES.contains(&text.as_str()),
        };
        is_known && PYTHONS.contains(&launch.python.as_str())
    }
}

fn is_harmless_attach(attach: &AttachConfig) -> bool {
    let is_nobodys = |endpoint: &Endpoint| {
        HOSTS.contains(&endpoint.host.as_str()) && PORTS.contains(&endpoint.port.into())
    };
    match &attach.target {
        None => true,
        Some(AttachTarget::ProcessId(pid)) => PROCESSES.contains(pid),
        Some(AttachTarget::Connect(endpoint) | AttachTarget::Listen(endpoint)) => {
            is_nobodys(endpoint)
        }
    }
}

fn collect(scope: &str, message: &DescriptorProto, found: &mut BTreeMap<String, DescriptorProto>) {
    let name = format!("{scope}.{}", message.name());
    for nested in &message.nested_type {
        collect(&name, nested, found);
    }
    found.insert(name, message.clone());
}

/// Makes one message.
struct Maker<'a> {
    requests: &'a Requests,
    is_brief: bool,
    /// Some fields have another type, and some texts are none. One is enough to refuse it all.
    is_crooked: bool,
    /// How many of a hundred fields are set.
    density: u64,
}

impl Maker<'_> {
    fn message(&self, random: &mut Random, name: &str, depth: usize) -> Vec<u8> {
        match name {
            ".google.protobuf.Value" if DEEPEST <= depth => return deep_value(random),
            ".google.protobuf.Duration" => return self.duration(random),
            _ => {}
        }
        let mut out = Vec::new();
        let message = &self.requests.messages[name];
        for field in &message.field {
            // A wait that is not there has its default, which is long.
            let is_wait = self.is_brief
                && (field.type_name() == ".google.protobuf.Duration"
                    || field.type_name() == ".debugrelay.v1.WaitOptions");
            if !is_wait && (!random.chance(self.density) || 2 * DEEPEST < depth) {
                continue;
            }
            let times = match (field.label(), random.below(60)) {
                (Label::Repeated, 0) => LONG_LIST,
                (Label::Repeated, 1..10) => LIST,
                (Label::Repeated, 10..) => 40,
                (_, ..4) if !is_wait => 2,
                _ => 1,
            };
            self.field(random, name, field, times, depth, &mut out);
        }
        out
    }

    /// A field, once, twice, or up to so many bytes of a list.
    fn field(
        &self,
        random: &mut Random,
        message: &str,
        field: &FieldDescriptorProto,
        times: usize,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let begun = out.len();
        for _ in 0..times {
            if field.label() == Label::Repeated && times <= out.len() - begun {
                return;
            }
            self.value(random, message, field, depth, out);
            // Lists in lists would have no end.
            if 2 < depth && LIST < out.len() {
                return;
            }
        }
    }

    fn value(
        &self,
        random: &mut Random,
        message: &str,
        field: &FieldDescriptorProto,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let number = field.number() as u32;
        let owner = message.rsplit('.').next().unwrap();
        if self.is_crooked && random.chance(20) {
            return put(random, number, out);
        }
        match field.r#type() {
            Type::Message => {
                let inner = self.message(random, field.type_name(), depth + 1);
                put_bytes(number, &inner, out);
            }
            Type::String => put_bytes(number, &self.text(random, owner, field.name()), out),
            Type::Bytes => {
                let size = *random.pick(&[0, 1, 10, 10_000]);
                put_bytes(number, &random.bytes(size), out);
            }
            Type::Double => {
                encode_key(number, prost::encoding::WireType::SixtyFourBit, &mut *out);
                out.extend_from_slice(&random.pick(DOUBLES).to_le_bytes());
            }
            _ => {
                let value = match (owner, field.name()) {
                    ("AttachConfig", "process_id") => *random.pick(PROCESSES) as u64,
                    ("Endpoint", "port") => *random.pick(PORTS),
                    _ if random.chance(50) => random.below(4) as u64,
                    _ => *random.pick(NUMBERS),
                };
                encode_key(number, prost::encoding::WireType::Varint, &mut *out);
                encode_varint(value, &mut *out);
            }
        }
    }

    fn text(&self, random: &mut Random, owner: &str, field: &str) -> Vec<u8> {
        let text = match (owner, field) {
            ("LaunchConfig", "program") => random.pick(&self.requests.programs).as_str(),
            ("LaunchConfig", "module") => random.pick(MODULES),
            ("LaunchConfig", "code") => random.pick(CODES),
            ("LaunchConfig", "python") => random.pick(PYTHONS),
            ("Endpoint", "host") => random.pick(HOSTS),
            _ => match random.below(40) {
                0 if self.is_crooked => return vec![0xff, 0xfe, 0x00],
                1 => return "x".repeat(70_000).into(),
                2 => return "(".repeat(3000).into(),
                3 => return format!("{}1", "-".repeat(3000)).into(),
                4 => return "\u{1f600}\n".repeat(2000).into(),
                5 => return "x".repeat(1_100_000).into(),
                6 => {
                    let size = random.below(20);
                    return String::from_utf8_lossy(&random.bytes(size)).into_owned().into();
                }
                _ => random.pick(TEXTS),
            },
        };
        text.as_bytes().to_vec()
    }

    fn duration(&self, random: &mut Random) -> Vec<u8> {
        let (seconds, nanos) = match self.is_brief {
            true => (0, random.below(50_000_000) as i64),
            false => {
                let seconds = [0, 1, -1, 60, 3600, 3601, 315_576_000_001, i64::MAX, i64::MIN];
                let nanos =
                    [0, 1, -1, 999_999_999, 1_000_000_000, i32::MAX.into(), i32::MIN.into()];
                (*random.pick(&seconds), *random.pick(&nanos))
            }
        };
        let mut out = Vec::new();
        prost::encoding::int64::encode(1, &seconds, &mut out);
        prost::encoding::int64::encode(2, &nanos, &mut out);
        out
    }
}

/// Lists in lists, beyond what any decoder follows.
fn deep_value(random: &mut Random) -> Vec<u8> {
    let mut value = Vec::new();
    for _ in 0..*random.pick(&[1, 20, 200, 2000]) {
        let mut list = Vec::new();
        put_bytes(1, &value, &mut list);
        value.clear();
        put_bytes(6, &list, &mut value);
    }
    value
}

/// Fields without sense, in valid wire format but for now and then.
fn wire(random: &mut Random, depth: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..random.below(12) {
        let number = match random.below(10) {
            0 => *random.pick(&[0, 19_000, (1 << 29) - 1, 1000]),
            _ => 1 + random.below(16) as u32,
        };
        match random.below(12) {
            0 if depth < 4 => {
                let inner = wire(random, depth + 1);
                put_bytes(number, &inner, &mut out);
            }
            // Groups that begin and do not end, or end and did not begin.
            1 => out.extend(std::iter::repeat_n(0x0b + 8 * random.below(15) as u8, 3000)),
            2 => out.push(0x0c + 8 * random.below(15) as u8),
            _ => put(random, number, &mut out),
        }
    }
    if random.chance(10) {
        out.pop();
    }
    out
}

/// A field of any type.
fn put(random: &mut Random, number: u32, out: &mut Vec<u8>) {
    let kind = *random.pick(&[0, 1, 2, 5]);
    encode_varint(u64::from(number) << 3 | kind, &mut *out);
    match kind {
        0 => encode_varint(*random.pick(NUMBERS), &mut *out),
        1 => out.extend_from_slice(&random.bytes(8)),
        2 => {
            let size = random.below(30);
            encode_varint(size as u64, &mut *out);
            out.extend_from_slice(&random.bytes(size));
        }
        _ => out.extend_from_slice(&random.bytes(4)),
    }
}

fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    encode_varint(u64::from(number) << 3 | 2, &mut *out);
    encode_varint(bytes.len() as u64, &mut *out);
    out.extend_from_slice(bytes);
}

#[test]
fn nothing_that_could_harm_is_sent() {
    let requests = Requests::new("/tmp/own.py".into());
    let attach = |target| AttachRequest {
        attach: Some(AttachConfig { target: Some(target), ..Default::default() }),
        ..Default::default()
    };
    let launch = |target| LaunchRequest {
        launch: Some(LaunchConfig { target: Some(target), ..Default::default() }),
        ..Default::default()
    };
    let far = Endpoint { host: "192.0.2.1".into(), port: 1 };
    let somebody = Endpoint { host: "127.0.0.1".into(), port: 5678 };
    let is_attach = |target| {
        requests.is_harmless(".debugrelay.v1.AttachRequest", &attach(target).encode_to_vec())
    };
    let is_launch = |target| {
        requests.is_harmless(".debugrelay.v1.LaunchRequest", &launch(target).encode_to_vec())
    };

    assert!(!is_attach(AttachTarget::ProcessId(1)) && is_attach(AttachTarget::ProcessId(-1)));
    assert!(!is_attach(AttachTarget::Connect(far)) && !is_attach(AttachTarget::Listen(somebody)));
    assert!(!is_launch(LaunchTarget::Program("/bin/sh".into())));
    assert!(!is_launch(LaunchTarget::Code("import os".into())));
    assert!(is_launch(LaunchTarget::Program("/tmp/own.py".into())));
}
