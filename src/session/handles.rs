//! Handles for frames and variables: the relay's own numbers, each carrying its stop, so that a
//! stale one is an error and never another frame's data.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// Numbers a stop may give out. The stop stands in the digits above, where a person can read it.
const PER_STOP: u64 = 1_000_000;

/// The stop that a handle belongs to.
pub fn stop_of(handle: u64) -> u64 {
    handle / PER_STOP
}

/// What callers call the two kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Frame,
    Variables,
    /// A call to step into.
    Target,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Frame => "frame_id",
            Kind::Variables => "variables_reference",
            Kind::Target => "target_id",
        }
    }
}

/// The handles given out at one stop, and the debugger's own numbers behind them.
#[derive(Debug)]
pub struct Handles {
    stop: u64,
    issued: Vec<(Kind, i64)>,
    places: HashMap<(Kind, i64), usize>,
}

impl Handles {
    pub fn at(stop: u64) -> Self {
        Self { stop, issued: Vec::new(), places: HashMap::new() }
    }

    /// A handle for the debugger's `id`; the same for the same. 0, which means none, when a single
    /// stop has given out a million.
    pub fn issue(&mut self, kind: Kind, id: i64) -> u64 {
        if kind == Kind::Variables && id == 0 {
            return 0;
        }
        let place = *self.places.entry((kind, id)).or_insert_with(|| {
            self.issued.push((kind, id));
            self.issued.len()
        });
        let index = place as u64;
        if index < PER_STOP { self.stop * PER_STOP + index } else { 0 }
    }

    /// The debugger's number behind a handle of this stop.
    pub fn resolve(&self, kind: Kind, handle: u64) -> Result<i64> {
        let (stop, index) = (stop_of(handle), handle % PER_STOP);
        if stop != self.stop && 0 < index && 0 < stop && stop < self.stop {
            return Err(Error::StaleHandle { kind: kind.name(), handle, stop, current: self.stop });
        }
        let issued =
            usize::try_from(index).ok().and_then(|index| self.issued.get(index.checked_sub(1)?));
        match issued {
            Some((issued, id)) if *issued == kind && stop == self.stop => Ok(*id),
            _ => Err(Error::UnknownHandle { kind: kind.name(), handle }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_leads_back_to_the_debuggers_number_at_its_own_stop_only() {
        let mut first = Handles::at(1);
        let handle = first.issue(Kind::Frame, 77);
        let second = Handles::at(2);

        assert_eq!(first.resolve(Kind::Frame, handle), Ok(77));
        assert_eq!(first.issue(Kind::Frame, 77), handle);
        assert!(matches!(
            second.resolve(Kind::Frame, handle),
            Err(Error::StaleHandle { stop: 1, current: 2, .. })
        ));
    }

    #[test]
    fn numbers_that_were_never_given_out_and_mixed_up_kinds_are_unknown() {
        let mut handles = Handles::at(1);
        let frame = handles.issue(Kind::Frame, 5);

        for (kind, handle) in [
            (Kind::Variables, frame),
            (Kind::Frame, frame + 1),
            (Kind::Frame, 1),
            (Kind::Frame, u64::MAX),
        ] {
            assert!(
                matches!(handles.resolve(kind, handle), Err(Error::UnknownHandle { .. })),
                "{handle}"
            );
        }
    }

    #[test]
    fn no_children_is_no_handle() {
        assert_eq!(Handles::at(1).issue(Kind::Variables, 0), 0);
    }
}
