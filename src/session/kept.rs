//! Breakpoints as they are kept on disk, and back.

use std::path::Path;

use super::source;
use crate::proto::breakpoint_spec::Location;
use crate::proto::{Breakpoint, BreakpointSpec, DataLocation, FunctionLocation, LineLocation};
use crate::store::{BreakpointRecord, KeptPlace, KeptTerms};

/// Where a breakpoint is; files under `root` are told from there.
pub fn place_of(spec: &BreakpointSpec, root: &Path) -> KeptPlace {
    let mut place = KeptPlace::default();
    match &spec.location {
        Some(Location::Line(line)) => {
            let path = Path::new(&line.file);
            let path = path.strip_prefix(root).unwrap_or(path);
            place.file = path.to_string_lossy().into_owned();
            place.line = line.line;
        }
        Some(Location::Function(function)) => place.function.clone_from(&function.name),
        Some(Location::Data(data)) => place.watched.clone_from(&data.expression),
        Some(Location::Instruction(_)) | None => {}
    }
    place
}

pub fn terms_of(spec: &BreakpointSpec) -> KeptTerms {
    KeptTerms {
        condition: spec.condition.clone(),
        hit_condition: spec.hit_condition.clone(),
        log_message: spec.log_message.clone(),
        disabled: spec.enabled == Some(false),
        temporary: spec.temporary,
    }
}

/// The breakpoint that a caller would ask for to have this one.
pub fn spec_of(place: &KeptPlace, terms: &KeptTerms, root: &Path) -> BreakpointSpec {
    let location = match place {
        KeptPlace { file, line, .. } if !file.is_empty() => {
            let file = match file.starts_with('<') {
                true => file.clone(),
                false => source::absolute(root, file).to_string_lossy().into_owned(),
            };
            Location::Line(LineLocation { file, line: *line, column: 0 })
        }
        KeptPlace { function, .. } if !function.is_empty() => {
            Location::Function(FunctionLocation { name: function.clone() })
        }
        KeptPlace { watched, .. } => {
            Location::Data(DataLocation { expression: watched.clone(), ..Default::default() })
        }
    };
    BreakpointSpec {
        location: Some(location),
        condition: terms.condition.clone(),
        hit_condition: terms.hit_condition.clone(),
        log_message: terms.log_message.clone(),
        enabled: terms.disabled.then_some(false),
        temporary: terms.temporary,
    }
}

/// A breakpoint for the record of its session.
pub fn record_of(breakpoint: &Breakpoint, root: &Path) -> BreakpointRecord {
    let spec = breakpoint.spec.clone().unwrap_or_default();
    BreakpointRecord {
        id: breakpoint.id,
        verified: breakpoint.verified,
        message: breakpoint.message.clone(),
        actual_line: breakpoint.actual_line,
        hit_count: breakpoint.hit_count,
        place: place_of(&spec, root),
        terms: terms_of(&spec),
    }
}

/// The breakpoint of a record, as callers saw it.
pub fn recorded(record: &BreakpointRecord, root: &Path) -> Breakpoint {
    Breakpoint {
        id: record.id,
        spec: Some(spec_of(&record.place, &record.terms, root)),
        verified: record.verified,
        message: record.message.clone(),
        actual_line: record.actual_line,
        hit_count: record.hit_count,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_comes_back_as_it_was() {
        let root = Path::new("/srv/shop");
        let line =
            |file: &str| Location::Line(LineLocation { file: file.into(), line: 7, column: 0 });
        let function = Location::Function(FunctionLocation { name: "f".into() });
        for location in [line("/srv/shop/a/b.py"), line("/lib/c.py"), line("<string>"), function] {
            let spec = BreakpointSpec {
                location: Some(location),
                condition: "x".into(),
                hit_condition: "3".into(),
                log_message: "m".into(),
                enabled: Some(false),
                temporary: true,
            };
            let breakpoint = Breakpoint {
                id: 3,
                spec: Some(spec),
                verified: true,
                actual_line: 8,
                hit_count: 2,
                ..Default::default()
            };

            assert_eq!(recorded(&record_of(&breakpoint, root), root), breakpoint);
        }
        assert_eq!(
            place_of(
                &spec_of(
                    &KeptPlace { file: "a.py".into(), line: 1, ..Default::default() },
                    &KeptTerms::default(),
                    root
                ),
                root
            )
            .file,
            "a.py"
        );
    }
}
