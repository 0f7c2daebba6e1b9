//! The rules that the contract keeps, as functions of its descriptors. Most are buf's.

use std::collections::BTreeMap;

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet,
};

/// RPCs about the whole server. All others are about one session.
const SERVER_WIDE: &[&str] =
    &["ListSessions", "StreamAllEvents", "GetInfo", "ListAdapters", "SetLogFilter"];

/// What the contract must keep. The offenders are named as a caller would name them.
pub struct Rule {
    pub says: &'static str,
    pub offenders: fn(&[FileDescriptorProto]) -> Vec<String>,
}

pub const RULES: &[Rule] = &[
    Rule { says: "package and folder are debugrelay.v1", offenders: misplaced_files },
    Rule { says: "a service's name is PascalCase and ends in Service", offenders: bad_services },
    Rule { says: "names of RPCs, messages and enums are PascalCase", offenders: bad_type_names },
    Rule { says: "names of fields and oneofs are lower_snake_case", offenders: bad_field_names },
    Rule {
        says: "an RPC has a request and a response of its own, named after it",
        offenders: bad_requests,
    },
    Rule {
        says: "an enum's values begin with its name, and its zero is UNSPECIFIED",
        offenders: bad_enum_values,
    },
    Rule {
        says: "a request about one session begins with `string session_id = 1`, or its RPC is in \
               SERVER_WIDE",
        offenders: bad_session_ids,
    },
    Rule { says: "everything has a comment", offenders: without_comment },
];

/// The files of the contract, without those of Google that they use.
pub fn contract() -> Vec<FileDescriptorProto> {
    let mut files = FileDescriptorSet::decode(debug_relay::proto::DESCRIPTORS).unwrap().file;
    files.retain(|file| !file.name().starts_with("google/"));
    files
}

fn misplaced_files(files: &[FileDescriptorProto]) -> Vec<String> {
    let is_placed = |file: &FileDescriptorProto| {
        let folder = file.name().rsplit_once('/').map_or("", |(folder, _)| folder);
        file.package() == "debugrelay.v1" && folder == "debugrelay/v1"
    };
    let misplaced = files.iter().filter(|file| !is_placed(file));
    misplaced.map(|file| format!("{} ({})", file.name(), file.package())).collect()
}

fn bad_services(files: &[FileDescriptorProto]) -> Vec<String> {
    let names = files.iter().flat_map(|file| &file.service).map(|service| service.name());
    names.filter(|name| !is_pascal(name) || !name.ends_with("Service")).map(String::from).collect()
}

fn bad_type_names(files: &[FileDescriptorProto]) -> Vec<String> {
    let is_type = |kind: Kind| matches!(kind, Kind::Rpc | Kind::Message | Kind::Enum);
    let types = elements(files).into_iter().filter(|element| is_type(element.kind));
    types.filter(|element| !is_pascal(element.own_name())).map(|element| element.name).collect()
}

fn bad_field_names(files: &[FileDescriptorProto]) -> Vec<String> {
    let is_part = |kind: Kind| matches!(kind, Kind::Field | Kind::Oneof);
    let parts = elements(files).into_iter().filter(|element| is_part(element.kind));
    parts.filter(|element| !is_snake(element.own_name())).map(|element| element.name).collect()
}

fn bad_requests(files: &[FileDescriptorProto]) -> Vec<String> {
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut offenders = Vec::new();
    for method in files.iter().flat_map(|file| &file.service).flat_map(|service| &service.method) {
        for (used, suffix) in [(method.input_type(), "Request"), (method.output_type(), "Response")]
        {
            users.entry(used).or_default().push(method.name());
            if used != format!(".debugrelay.v1.{}{suffix}", method.name()) {
                offenders.push(format!("{} has {used} as its {suffix}", method.name()));
            }
        }
    }
    let shared = users.into_iter().filter(|(_, users)| 1 < users.len());
    offenders.extend(shared.map(|(used, users)| format!("{used} is of {}", users.join(" and "))));
    offenders
}

fn bad_enum_values(files: &[FileDescriptorProto]) -> Vec<String> {
    let mut offenders = Vec::new();
    for found in elements(files) {
        let Some(descriptor) = found.descriptor else { continue };
        let prefix = upper_snake(descriptor.name());
        for value in &descriptor.value {
            let rest = value.name().strip_prefix(&prefix).and_then(|rest| rest.strip_prefix('_'));
            let is_good = rest.is_some_and(|rest| {
                is_snake(&rest.to_lowercase())
                    && rest == rest.to_uppercase()
                    && (rest == "UNSPECIFIED") == (value.number() == 0)
            });
            if !is_good {
                offenders.push(format!("{}.{}", found.name, value.name()));
            }
        }
        if !descriptor.value.iter().any(|value| value.number() == 0) {
            offenders.push(format!("{} has no zero", found.name));
        }
    }
    offenders
}

fn bad_session_ids(files: &[FileDescriptorProto]) -> Vec<String> {
    let methods = files.iter().flat_map(|file| &file.service).flat_map(|service| &service.method);
    let wide: Vec<String> = SERVER_WIDE.iter().map(|name| format!("{name}Request")).collect();
    let scoped: Vec<&str> = methods
        .filter_map(|method| method.input_type().rsplit('.').next())
        .filter(|request| !wide.iter().any(|wide| wide == request))
        .collect();
    let is_good = |message: &DescriptorProto| {
        let named: Vec<_> = message.field.iter().filter(|field| is_session_id(field)).collect();
        match (scoped.contains(&message.name()), named.as_slice()) {
            (true, [field]) => is_first_text(field),
            (true, _) => false,
            (false, named) => named.is_empty(),
        }
    };
    let messages = files.iter().flat_map(|file| &file.message_type);
    let requests = messages.filter(|message| message.name().ends_with("Request"));
    let bad = requests.filter(|message| !is_good(message));
    bad.map(|message| message.name().to_owned()).collect()
}

fn is_session_id(field: &FieldDescriptorProto) -> bool {
    field.name() == "session_id"
}

fn is_first_text(field: &FieldDescriptorProto) -> bool {
    field.number() == 1 && field.r#type() == Type::String && field.label() != Label::Repeated
}

fn without_comment(files: &[FileDescriptorProto]) -> Vec<String> {
    let has_comment = |element: &Element| {
        let places = element.file.source_code_info.iter().flat_map(|info| &info.location);
        let mut own = places.filter(|place| place.path == element.path);
        own.any(|place| !place.leading_comments().trim().is_empty())
    };
    let silent = elements(files).into_iter().filter(|element| !has_comment(element));
    silent.map(|element| element.name).collect()
}

#[derive(Clone, Copy)]
enum Kind {
    Service,
    Rpc,
    Message,
    Field,
    Oneof,
    Enum,
    EnumValue,
}

/// Anything that has a name in the contract.
struct Element<'a> {
    kind: Kind,
    /// With the names around it: `Session.state`.
    name: String,
    file: &'a FileDescriptorProto,
    /// Where it stands in its file, as SourceCodeInfo counts.
    path: Vec<i32>,
    /// If it is an enum.
    descriptor: Option<&'a EnumDescriptorProto>,
}

impl Element<'_> {
    fn own_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap()
    }
}

/// Everything that a person wrote into these files; not what the compiler adds for maps and
/// optional fields.
fn elements(files: &[FileDescriptorProto]) -> Vec<Element<'_>> {
    let mut found = Vec::new();
    for file in files {
        let mut walk = Walk { file, found: &mut found };
        for (index, message) in file.message_type.iter().enumerate() {
            walk.message("", &[], 4, index, message);
        }
        for (index, descriptor) in file.enum_type.iter().enumerate() {
            walk.enumeration("", &[], 5, index, descriptor);
        }
        for (index, service) in file.service.iter().enumerate() {
            let path = walk.add(Kind::Service, "", service.name(), &[], 6, index);
            for (index, method) in service.method.iter().enumerate() {
                walk.add(Kind::Rpc, service.name(), method.name(), &path, 2, index);
            }
        }
    }
    found
}

/// The numbers are those of the fields in descriptor.proto.
struct Walk<'a, 'b> {
    file: &'a FileDescriptorProto,
    found: &'b mut Vec<Element<'a>>,
}

impl<'a> Walk<'a, '_> {
    fn add(
        &mut self,
        kind: Kind,
        around: &str,
        name: &str,
        above: &[i32],
        field: i32,
        index: usize,
    ) -> Vec<i32> {
        let path = [above, &[field, i32::try_from(index).unwrap()]].concat();
        let name = if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
        let element = Element { kind, name, file: self.file, path: path.clone(), descriptor: None };
        self.found.push(element);
        path
    }

    fn message(
        &mut self,
        around: &str,
        above: &[i32],
        field: i32,
        index: usize,
        message: &'a DescriptorProto,
    ) {
        let path = self.add(Kind::Message, around, message.name(), above, field, index);
        let name = self.found.last().unwrap().name.clone();
        for (index, field) in message.field.iter().enumerate() {
            self.add(Kind::Field, &name, field.name(), &path, 2, index);
        }
        for (index, nested) in message.nested_type.iter().enumerate() {
            if !nested.options.as_ref().is_some_and(|options| options.map_entry()) {
                self.message(&name, &path, 3, index, nested);
            }
        }
        for (index, descriptor) in message.enum_type.iter().enumerate() {
            self.enumeration(&name, &path, 4, index, descriptor);
        }
        for (index, oneof) in message.oneof_decl.iter().enumerate() {
            let is_of_optional = message.field.iter().any(|field| {
                field.proto3_optional() && field.oneof_index == i32::try_from(index).ok()
            });
            if !is_of_optional {
                self.add(Kind::Oneof, &name, oneof.name(), &path, 8, index);
            }
        }
    }

    fn enumeration(
        &mut self,
        around: &str,
        above: &[i32],
        field: i32,
        index: usize,
        descriptor: &'a EnumDescriptorProto,
    ) {
        let path = self.add(Kind::Enum, around, descriptor.name(), above, field, index);
        let element = self.found.last_mut().unwrap();
        element.descriptor = Some(descriptor);
        let name = element.name.clone();
        for (index, value) in descriptor.value.iter().enumerate() {
            self.add(Kind::EnumValue, &name, value.name(), &path, 2, index);
        }
    }
}

fn is_pascal(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn is_snake(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    };
    name.split('_').all(is_word)
}

/// `SESSION_STATE` for `SessionState`.
pub fn upper_snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_uppercase());
    }
    snake
}

#[cfg(test)]
mod tests;
