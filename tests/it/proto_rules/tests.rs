//! Each rule of the contract is seen to fail on a contract that breaks it.

use std::collections::BTreeSet;

use prost_types::source_code_info::Location;
use prost_types::{
    EnumValueDescriptorProto, MessageOptions, MethodDescriptorProto, OneofDescriptorProto,
    ServiceDescriptorProto, SourceCodeInfo,
};

use super::*;

fn text_field(name: &str, number: i32) -> FieldDescriptorProto {
    let mut field = FieldDescriptorProto { name: Some(name.into()), ..Default::default() };
    field.number = Some(number);
    field.set_type(Type::String);
    field
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.into()), field, ..Default::default() }
}

/// A small contract that keeps every rule.
fn good() -> FileDescriptorProto {
    let rpc = MethodDescriptorProto {
        name: Some("GetThing".into()),
        input_type: Some(".debugrelay.v1.GetThingRequest".into()),
        output_type: Some(".debugrelay.v1.GetThingResponse".into()),
        ..Default::default()
    };
    let value = |name: &str, number| EnumValueDescriptorProto {
        name: Some(name.into()),
        number: Some(number),
        options: None,
    };
    let mut file = FileDescriptorProto {
        name: Some("debugrelay/v1/thing.proto".into()),
        package: Some("debugrelay.v1".into()),
        message_type: vec![
            message("GetThingRequest", vec![text_field("session_id", 1)]),
            message("GetThingResponse", vec![text_field("big_thing", 1)]),
        ],
        enum_type: vec![EnumDescriptorProto {
            name: Some("ThingKind".into()),
            value: vec![value("THING_KIND_UNSPECIFIED", 0), value("THING_KIND_RED", 1)],
            ..Default::default()
        }],
        service: vec![ServiceDescriptorProto {
            name: Some("ThingService".into()),
            method: vec![rpc],
            options: None,
        }],
        ..Default::default()
    };
    comment(&mut file);
    file
}

/// Gives everything a comment.
fn comment(file: &mut FileDescriptorProto) {
    let places = elements(std::slice::from_ref(file)).into_iter().map(|element| Location {
        path: element.path,
        leading_comments: Some(" What it is.".into()),
        ..Default::default()
    });
    let location = places.collect();
    file.source_code_info = Some(SourceCodeInfo { location });
}

#[test]
fn every_rule_finds_its_offenders_and_only_them() {
    type Breakage = fn(&mut FileDescriptorProto);
    let broken: &[(Breakage, &[&str])] = &[
        (|_| {}, &[]),
        (
            |file| file.name = Some("debugrelay/v2/thing.proto".into()),
            &["debugrelay/v2/thing.proto (debugrelay.v1)"],
        ),
        (
            |file| file.package = Some("debugrelay.v2".into()),
            &["debugrelay/v1/thing.proto (debugrelay.v2)"],
        ),
        (|file| file.service[0].name = Some("Things".into()), &["Things"]),
        (|file| file.message_type[1].name = Some("thing".into()), &["thing"]),
        (
            |file| file.message_type[1].field[0].name = Some("bigThing".into()),
            &["GetThingResponse.bigThing"],
        ),
        (
            |file| {
                let method = &mut file.service[0].method[0];
                method.output_type = Some(".debugrelay.v1.Thing".into());
            },
            &["GetThing has .debugrelay.v1.Thing as its Response"],
        ),
        (
            |file| {
                let again = file.service[0].method[0].clone();
                file.service[0].method.push(again);
                comment(file);
            },
            &[
                ".debugrelay.v1.GetThingRequest is of GetThing and GetThing",
                ".debugrelay.v1.GetThingResponse is of GetThing and GetThing",
            ],
        ),
        (|file| file.enum_type[0].value[1].name = Some("KIND_RED".into()), &["ThingKind.KIND_RED"]),
        (
            |file| file.enum_type[0].value[0].name = Some("THING_KIND_NONE".into()),
            &["ThingKind.THING_KIND_NONE"],
        ),
        (|file| file.message_type[0].field[0].number = Some(2), &["GetThingRequest"]),
        (|file| file.message_type[0].field[0].set_type(Type::Bytes), &["GetThingRequest"]),
        (|file| file.message_type[0].field.clear(), &["GetThingRequest"]),
        (
            |file| {
                let stray = message("StrayRequest", vec![text_field("session_id", 3)]);
                file.message_type.push(stray);
                comment(file);
            },
            &["StrayRequest"],
        ),
        (
            |file| {
                for place in &mut file.source_code_info.as_mut().unwrap().location {
                    place.leading_comments = Some(" \n".into());
                }
            },
            &[
                "GetThingRequest",
                "GetThingRequest.session_id",
                "GetThingResponse",
                "GetThingResponse.big_thing",
                "ThingKind",
                "ThingKind.THING_KIND_UNSPECIFIED",
                "ThingKind.THING_KIND_RED",
                "ThingService",
                "ThingService.GetThing",
            ],
        ),
    ];

    let mut failed = BTreeSet::new();
    for (breakage, expected) in broken {
        let mut file = good();
        breakage(&mut file);
        let files = [file];
        let mut found = Vec::new();
        for rule in RULES {
            let offenders = (rule.offenders)(&files);
            failed.extend((!offenders.is_empty()).then_some(rule.says));
            found.extend(offenders);
        }
        assert_eq!(found, *expected);
    }

    assert_eq!(failed.len(), RULES.len(), "some rule was never seen to fail");
}

#[test]
fn what_the_compiler_adds_needs_no_comment() {
    let mut file = good();
    let mut entry = message("LabelsEntry", vec![text_field("key", 1)]);
    entry.options = Some(MessageOptions { map_entry: Some(true), ..Default::default() });
    let owner = &mut file.message_type[1];
    owner.nested_type.push(entry);
    owner.oneof_decl = ["_big_thing", "choice"]
        .map(|name| OneofDescriptorProto { name: Some(name.into()), options: None })
        .into();
    owner.field[0].proto3_optional = Some(true);
    owner.field[0].oneof_index = Some(0);

    let silent = without_comment(&[file]);

    assert_eq!(silent, ["GetThingResponse.choice"]);
}
