//! Breakpoints from one session of a project to the next: restored when a session begins, each where
//! its code is now, and kept when a caller changes them.

use std::collections::BTreeMap;
use std::path::Path;

use super::breakpoints::{Checked, Place};
use super::check::{AskedBreakpoint, AskedPlace};
use super::following::{self, Found};
use super::input::Input;
use super::{Session, kept, source};
use crate::id::BreakpointId;
use crate::limits;
use crate::proto::breakpoint_spec::Location;
use crate::proto::event::Payload;
use crate::proto::{AdapterMessage, Breakpoint, Restored};
use crate::store::{KeptBreakpoint, Loaded, ProjectStore};

/// What the project keeps of this session's breakpoints, by their ids.
pub type KeptById = BTreeMap<BreakpointId, KeptBreakpoint>;

/// Who says what the store has to say.
const CATEGORY: &str = "debug-relay";

impl Session {
    /// Sets the breakpoints that the project has, and says what a person should know.
    pub async fn restore_breakpoints(&self) -> (Vec<Breakpoint>, Vec<String>) {
        let mut kept_by_id = self.0.kept_breakpoints.lock().await;
        let (store, root) = (self.project_store(), self.facts().project_root.clone());
        let loaded = tokio::task::spawn_blocking(move || {
            let mut loaded = store.load()?;
            loaded.breakpoints.retain(is_somewhere);
            let asked = loaded.breakpoints.iter().map(|kept| find_again(kept, &root)).collect();
            Ok::<(Loaded, Vec<AskedBreakpoint>), std::io::Error>((loaded, asked))
        });
        let (loaded, asked) = match loaded.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                let problem = format!("the project's breakpoints could not be read: {error}");
                return (Vec::new(), vec![self.warn(problem)]);
            }
            Err(error) => return (Vec::new(), vec![self.warn(error.to_string())]),
        };
        let warnings: Vec<String> =
            loaded.warning.into_iter().map(|warning| self.warn(warning)).collect();
        let restored = match self.set_checked(asked, false).await {
            Ok(restored) => restored,
            Err(error) => return (Vec::new(), vec![self.warn(error.to_string())]),
        };
        let ids = restored.iter().map(|breakpoint| BreakpointId(breakpoint.id));
        kept_by_id.extend(ids.zip(loaded.breakpoints));
        (restored, warnings)
    }

    /// Brings the project's file up to what the callers of this session have changed.
    pub async fn keep_breakpoints(&self) {
        if !self.facts().keeps_breakpoints {
            return;
        }
        let mut kept_by_id = self.0.kept_breakpoints.lock().await;
        let Ok(current) = self.ask_quietly(|reply| Input::CheckedBreakpoints { reply }).await
        else {
            return;
        };
        let root = self.facts().project_root.clone();
        let before = kept_by_id.clone();
        let store = self.project_store();
        let changed = tokio::task::spawn_blocking(move || {
            let after = kept_now(&current, &before, &root);
            let differs = |one: &KeptById, other: &KeptById| -> Vec<KeptBreakpoint> {
                let own = one.iter().filter(|(id, kept)| other.get(id) != Some(kept));
                own.map(|(_, kept)| kept.clone()).collect()
            };
            let (removed, added) = (differs(&before, &after), differs(&after, &before));
            if removed.is_empty() && added.is_empty() {
                return Ok((None, after));
            }
            let warning = store.change(&removed, &added, limits::get().breakpoints)?;
            Ok::<_, std::io::Error>((warning, after))
        });
        match changed.await {
            Ok(Ok((warning, after))) => {
                *kept_by_id = after;
                warning.into_iter().for_each(|warning| drop(self.warn(warning)));
            }
            Ok(Err(error)) => {
                drop(self.warn(format!("the project's breakpoints could not be kept: {error}")));
            }
            Err(error) => tracing::error!(%error, "keeping breakpoints failed"),
        }
    }

    fn project_store(&self) -> ProjectStore {
        let facts = self.facts();
        ProjectStore::new(&facts.state_dir, &facts.owner, &facts.project_root)
    }

    /// Tells a warning to whoever reads the log or the events, and gives it back.
    fn warn(&self, warning: String) -> String {
        tracing::warn!(warning);
        let (text, category) = (warning.clone(), CATEGORY.into());
        self.0.events.append(Payload::AdapterMessage(AdapterMessage { text, category }));
        warning
    }
}

/// The file may have been changed by hand.
fn is_somewhere(kept: &KeptBreakpoint) -> bool {
    let place = &kept.place;
    (!place.file.is_empty() && 0 < place.line) || !place.function.is_empty()
}

/// Where a kept breakpoint is now.
fn find_again(kept: &KeptBreakpoint, root: &Path) -> AskedBreakpoint {
    let mut spec = kept::spec_of(&kept.place, &kept.terms, root);
    let Some(Location::Line(place)) = &mut spec.location else {
        let place = AskedPlace::Function { name: kept.place.function.clone() };
        return AskedBreakpoint { spec, place, restored: Some((Restored::Unmoved, String::new())) };
    };
    let (file, was) = (place.file.clone(), place.line);
    let found = match source::read(Path::new(&file)) {
        Ok(text) => following::find(&text, was, &kept.surroundings),
        Err(_) => Found::Lost,
    };
    let restored = match found {
        Found::Unmoved => (Restored::Unmoved, String::new()),
        Found::Moved { line } => {
            place.line = line;
            (Restored::Moved, format!("moved with its code from line {was} to line {line}"))
        }
        Found::Edited { line } => {
            place.line = line;
            let text = &kept.surroundings.text;
            let says =
                format!("`{text}`, line {was} when it was set, was edited; it is on line {line}");
            (Restored::Moved, says)
        }
        Found::Lost => {
            let text = &kept.surroundings.text;
            let says = format!(
                "lost: `{text}`, line {was} when it was set, is no longer found in {file}; set it \
                 again or remove it"
            );
            (Restored::Lost, says)
        }
    };
    let asked = AskedPlace::Line { file, line: place.line };
    AskedBreakpoint { spec, place: asked, restored: Some(restored) }
}

/// What is to be kept of these; those that have not been touched stay as they are.
fn kept_now(current: &[(BreakpointId, Checked)], before: &KeptById, root: &Path) -> KeptById {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    let mut after = KeptById::new();
    for (id, checked) in current {
        let mut place = kept::place_of(&checked.spec, root);
        let terms = kept::terms_of(&checked.spec);
        if let Place::Line { line, .. } = &checked.place {
            place.line = *line;
        }
        let is_lasting =
            !terms.temporary && place.watched.is_empty() && !place.file.starts_with('<');
        if !is_lasting {
            continue;
        }
        let old = before.get(id);
        let is_lost = checked.restored == Restored::Lost;
        let unchanged = old.filter(|old| old.terms == terms && (old.place == place || is_lost));
        let kept = unchanged.cloned().unwrap_or_else(|| {
            let mut surroundings = Default::default();
            if let Place::Line { file, line } = &checked.place {
                let read = || source::read(Path::new(file)).unwrap_or_default();
                let text = texts.entry(file).or_insert_with(read);
                surroundings = following::remember(text, *line);
            }
            KeptBreakpoint { place, terms, surroundings }
        });
        after.insert(*id, kept);
    }
    after
}
