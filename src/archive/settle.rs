//! Closes the story of a session whose host is gone: what the last record does not tell, the events
//! do, and what no event tells is said to be lost.

use prost::Message;

use super::{Archive, events_from, state_of};
use crate::clock;
use crate::proto::event::Payload;
use crate::proto::{
    BreakpointChangeKind, Event, OutputChunk, SessionState, StateChanged, Terminated,
};
use crate::session::keeping::{EVENTS, OUTPUT};
use crate::session::{is_over, kept, state};
use crate::store::{JournalReader, SessionRecord, segment_path};

/// What the events tell of the end.
#[derive(Default)]
struct Told {
    sequence: u64,
    state: SessionState,
    is_terminated: bool,
    exit_code: Option<i32>,
    exit_signal: i32,
    stops: u64,
    output_end: u64,
}

impl Archive {
    /// Makes the record final. `how` is how the host ended, and `log` the end of what it logged.
    pub fn settle(&self, how: &str, log: &str) -> std::io::Result<SessionRecord> {
        let mut record = self.record()?;
        let reader = JournalReader::open(self.folder(), EVENTS)?;
        let on_disk = self.output_on_disk()?;
        let last_event = reader.last().and_then(|last| Event::decode(last.as_slice()).ok());
        let is_newest = last_event.is_none_or(|last| last.sequence <= record.events);
        if is_over(state_of(&record)) && is_newest && on_disk <= record.output_bytes {
            return Ok(record);
        }
        let mut told = Told { state: state_of(&record), ..Default::default() };
        for event in events_from(&reader, 0) {
            if record.events < event.sequence {
                catch_up(&mut record, &event);
            }
            told.take(event);
        }
        record.output_bytes = record.output_bytes.max(told.output_end).max(on_disk);
        record.stops = record.stops.max(told.stops);
        // Those that could not be written were seen all the same.
        told.sequence = told.sequence.max(record.events);
        if !told.is_terminated {
            // Its last words, with the numbers that come next: nobody has seen others with these.
            let lost = SessionState::Lost;
            let from = told.state.into();
            let last_words = [
                Payload::StateChanged(StateChanged { from, to: lost.into() }),
                Payload::Terminated(Terminated { state: lost.into() }),
            ];
            let mut events = Vec::new();
            for payload in last_words {
                told.sequence = told.sequence.saturating_add(1);
                let time = Some(clock::now());
                let event = Event { sequence: told.sequence, time, payload: Some(payload) };
                events.push(event.encode_to_vec());
            }
            let first = segment_path(self.folder(), EVENTS, told.sequence.saturating_sub(1));
            reader.extend(&first, &events)?;
            told.state = lost;
        }
        if told.state == SessionState::Lost && record.failure.is_empty() {
            let log = match log {
                "" => String::new(),
                log => format!("; its log ends: {log}"),
            };
            record.failure = format!("the host process died, and the program with it ({how}){log}");
        }
        record.state = state::name(told.state).into();
        (record.exit_code, record.exit_signal) = (told.exit_code, told.exit_signal);
        record.events = told.sequence;
        record.write(self.folder())?;
        Ok(record)
    }
}

impl Archive {
    /// Where the output that is on disk ends.
    fn output_on_disk(&self) -> std::io::Result<u64> {
        let last = JournalReader::open(self.folder(), OUTPUT)?.last();
        let last = last.and_then(|record| OutputChunk::decode(record.as_slice()).ok());
        Ok(last.map_or(0, |chunk| chunk.offset.saturating_add(chunk.data.len() as u64)))
    }
}

/// Breakpoints as they came to be after the record was written.
fn catch_up(record: &mut SessionRecord, event: &Event) {
    let root = record.project_root.clone();
    let breakpoints = &mut record.breakpoints;
    match &event.payload {
        Some(Payload::BreakpointChanged(change)) => {
            let Some(breakpoint) = &change.breakpoint else { return };
            breakpoints.retain(|known| known.id != breakpoint.id);
            if change.kind() != BreakpointChangeKind::Removed {
                breakpoints.push(kept::record_of(breakpoint, &root));
                breakpoints.sort_by_key(|known| known.id);
            }
        }
        Some(Payload::Stopped(stop)) => {
            let hit =
                breakpoints.iter_mut().filter(|known| stop.breakpoint_ids.contains(&known.id));
            hit.for_each(|known| known.hit_count += 1);
        }
        _ => {}
    }
}

impl Told {
    fn take(&mut self, event: Event) {
        self.sequence = self.sequence.max(event.sequence);
        match event.payload {
            Some(Payload::StateChanged(change)) => {
                self.state = change.to();
                // One that is started again is not over any more.
                self.is_terminated &= is_over(self.state);
                if change.to() == SessionState::Starting {
                    // How an earlier run ended is nothing to this one.
                    (self.exit_code, self.exit_signal) = (None, 0);
                }
            }
            Some(Payload::Stopped(stop)) => self.stops = stop.stop_number,
            Some(Payload::Output(output)) => self.output_end = output.next_offset,
            Some(Payload::Exited(exited)) => {
                self.exit_code = exited.exit_code;
                self.exit_signal = exited.exit_signal;
            }
            Some(Payload::Terminated(end)) => {
                self.is_terminated = true;
                self.state = end.state();
            }
            Some(
                Payload::Continued(_)
                | Payload::BreakpointChanged(_)
                | Payload::Thread(_)
                | Payload::Process(_)
                | Payload::Module(_)
                | Payload::AdapterMessage(_)
                | Payload::Gap(_),
            )
            | None => {}
        }
    }
}
