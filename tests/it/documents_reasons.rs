//! docs/troubleshooting.md tells what to do about every reason that a call can fail with, and about
//! no other.

use std::collections::BTreeSet;
use std::path::Path;

use debug_relay::proto::ErrorReason;

/// The reasons of the contract, as callers see them.
fn reasons() -> BTreeSet<String> {
    let all = (0..).map_while(|number| ErrorReason::try_from(number).ok());
    let told = all.filter(|reason| *reason != ErrorReason::Unspecified);
    told.map(|reason| reason.as_str_name().replacen("ERROR_REASON_", "", 1)).collect()
}

/// The entries of the page: a list, each with the reason first.
fn entries() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/troubleshooting.md");
    let page = std::fs::read_to_string(page).unwrap();
    let named = page.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: "));
    named.map(|(reason, _)| reason.to_owned()).collect()
}

#[test]
fn every_reason_has_one_entry_and_every_entry_is_a_reason() {
    let (reasons, entries) = (reasons(), entries());

    let unique: BTreeSet<String> = entries.iter().cloned().collect();
    let missing: Vec<_> = reasons.difference(&unique).collect();
    let unknown: Vec<_> = unique.difference(&reasons).collect();
    assert!(missing.is_empty(), "docs/troubleshooting.md has no entry for {missing:?}");
    assert!(
        unknown.is_empty(),
        "docs/troubleshooting.md has entries that are no reasons: {unknown:?}"
    );
    assert_eq!(unique.len(), entries.len(), "an entry is there twice");
}

#[test]
fn reasons_are_numbered_without_a_hole_so_none_is_overlooked() {
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto/debugrelay/v1/error.proto");
    let contract = std::fs::read_to_string(contract).unwrap();

    let declared = contract.lines().filter(|line| line.trim().starts_with("ERROR_REASON_")).count();

    assert_eq!(reasons().len() + 1, declared);
}
