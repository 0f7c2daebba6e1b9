//! The breakpoints of a project, kept from one session to the next: one JSON file a project, which
//! people can read. Several sessions may change it at once. A file that cannot be read is set aside,
//! never emptied.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::json::{read_json, write_json_durably};
use super::names::{stable_hash, unix_ms};

const VERSION: u32 = 1;
/// Others hold the lock for milliseconds; one who holds it longer hangs.
const LOCK_LIMIT: Duration = Duration::from_secs(3);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Where a breakpoint is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptPlace {
    /// Relative to the project root, if it is under it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_none")]
    pub line: i32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub watched: String,
}

/// When it stops, and what it does then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptTerms {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub condition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hit_condition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub log_message: String,
    #[serde(skip_serializing_if = "is_false")]
    pub disabled: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub temporary: bool,
}

/// A line and what stands around it, by which it is found again when the file has changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Surroundings {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Nearest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

/// A breakpoint that outlives its session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptBreakpoint {
    #[serde(flatten)]
    pub place: KeptPlace,
    #[serde(flatten)]
    pub terms: KeptTerms,
    #[serde(flatten)]
    pub surroundings: Surroundings,
}

#[derive(Serialize, Deserialize)]
struct ProjectFile {
    version: u32,
    project_root: PathBuf,
    breakpoints: Vec<KeptBreakpoint>,
}

/// What was found, and what a person should know of it.
#[derive(Debug, Default, PartialEq)]
pub struct Loaded {
    pub breakpoints: Vec<KeptBreakpoint>,
    pub warning: Option<String>,
}

/// The file of one project.
#[derive(Debug, Clone)]
pub struct ProjectStore {
    path: PathBuf,
    root: PathBuf,
}

impl ProjectStore {
    /// What one owner keeps, no other sees. That of the server's own token stands without a name.
    pub fn new(state_dir: &Path, owner: &str, root: &Path) -> Self {
        let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let fits = |letter: &char| letter.is_alphanumeric() || "-_.".contains(*letter);
        let name: String = name.chars().filter(fits).take(40).collect();
        let file = format!("{name}-{}.json", stable_hash(root.as_os_str().as_encoded_bytes()));
        let projects = state_dir.join("projects");
        let folder = match owner {
            "" | "server" | "anyone" => projects,
            owner => projects.join("of").join(stable_hash(owner.as_bytes())),
        };
        Self { path: folder.join(file), root: root.to_owned() }
    }

    /// The breakpoints of the project.
    pub fn load(&self) -> std::io::Result<Loaded> {
        if !self.path.exists() {
            return Ok(Loaded::default());
        }
        let _lock = self.lock()?;
        self.read()
    }

    /// Takes some away and adds others, and leaves what other sessions have put there. Says what a
    /// person should know.
    pub fn change(
        &self,
        removed: &[KeptBreakpoint],
        added: &[KeptBreakpoint],
        limit: usize,
    ) -> std::io::Result<Option<String>> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Conditions may tell what is nobody else's business.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let _lock = self.lock()?;
        let Loaded { mut breakpoints, warning } = self.read()?;
        if warning.is_some() && self.path.exists() {
            // It is another version's, and stays as it is.
            return Ok(warning);
        }
        let before = breakpoints.clone();
        for gone in removed {
            if let Some(index) = place_of(&breakpoints, gone) {
                breakpoints.remove(index);
            }
        }
        for new in added {
            match breakpoints.iter_mut().find(|kept| is_same(kept, new)) {
                Some(kept) => *kept = new.clone(),
                None => breakpoints.push(new.clone()),
            }
        }
        breakpoints.sort_by(|one, two| order(one).cmp(&order(two)));
        let over = breakpoints.len().saturating_sub(limit);
        breakpoints.truncate(limit);
        if breakpoints != before {
            let project_root = self.root.clone();
            let file = ProjectFile { version: VERSION, project_root, breakpoints };
            write_json_durably(&self.path, &file)?;
        }
        let too_many = (0 < over).then(|| {
            format!(
                "{over} breakpoints of the project are not kept: `limits.breakpoints` is {limit}"
            )
        });
        Ok(warning.or(too_many))
    }

    fn read(&self) -> std::io::Result<Loaded> {
        // The version first: the rest of another version's file may have any form.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let shown = self.path.display();
        match read_json::<Version>(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Loaded::default());
            }
            Ok(Version { version }) if VERSION < version => {
                let warning = format!(
                    "{shown} was written by a newer version of debug-relay (form {version}, and this \
                     one reads {VERSION}); it is left alone, and no breakpoints are restored or kept"
                );
                return Ok(Loaded { breakpoints: Vec::new(), warning: Some(warning) });
            }
            _ => {}
        }
        match read_json::<ProjectFile>(&self.path) {
            Ok(file) => Ok(Loaded { breakpoints: file.breakpoints, warning: None }),
            Err(error) if is_no_json(&error) => {
                let aside =
                    self.path.with_extension(format!("corrupt-{}", unix_ms(SystemTime::now())));
                std::fs::rename(&self.path, &aside)?;
                let warning = format!(
                    "{shown} could not be read ({error}) and was set aside as {}; no breakpoints \
                     were restored from it. Mend it and put it back, or delete it",
                    aside.display()
                );
                Ok(Loaded { breakpoints: Vec::new(), warning: Some(warning) })
            }
            Err(error) => Err(error),
        }
    }

    /// Held until the file is dropped. Beside the file itself, which is replaced at every change.
    fn lock(&self) -> std::io::Result<File> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.with_extension("lock"))?;
        let deadline = Instant::now() + LOCK_LIMIT;
        loop {
            let alone = rustix::fs::FlockOperation::NonBlockingLockExclusive;
            match rustix::fs::flock(&file, alone) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_PAUSE);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What was read is no JSON of ours; it could be read all the same.
fn is_no_json(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
}

fn is_same(one: &KeptBreakpoint, two: &KeptBreakpoint) -> bool {
    one.place == two.place && one.terms == two.terms
}

/// Which one is meant: another session may have moved it along with its line.
fn place_of(kept: &[KeptBreakpoint], wanted: &KeptBreakpoint) -> Option<usize> {
    let is_moved = |one: &KeptBreakpoint| {
        let (is, was) = (&one.surroundings.text, &wanted.surroundings.text);
        one.terms == wanted.terms
            && one.place.file == wanted.place.file
            && !is.is_empty()
            && is == was
    };
    let same = kept.iter().position(|one| is_same(one, wanted));
    same.or_else(|| kept.iter().position(is_moved))
}

fn order(kept: &KeptBreakpoint) -> (&str, i32, &str) {
    (&kept.place.file, kept.place.line, &kept.place.function)
}

fn is_none(line: &i32) -> bool {
    *line == 0
}

fn is_false(value: &bool) -> bool {
    !*value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_line(line: i32) -> KeptBreakpoint {
        let place = KeptPlace { file: "app.py".into(), line, ..Default::default() };
        KeptBreakpoint { place, ..Default::default() }
    }

    fn project(folder: &Path) -> ProjectStore {
        ProjectStore::new(folder, "server", Path::new("/srv/shop"))
    }

    fn lines(store: &ProjectStore) -> Vec<i32> {
        store.load().unwrap().breakpoints.iter().map(|kept| kept.place.line).collect()
    }

    #[test]
    fn two_sessions_change_one_project_and_neither_loses_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let stores: Vec<_> = (0..8).map(|_| project(folder.path())).collect();

        std::thread::scope(|threads| {
            for (index, store) in stores.iter().enumerate() {
                threads.spawn(move || {
                    for round in 0..5 {
                        let line = index as i32 * 10 + round + 1;
                        store.change(&[], &[on_line(line)], 1000).unwrap();
                        if round == 4 {
                            store.change(&[on_line(line)], &[], 1000).unwrap();
                        }
                    }
                });
            }
        });

        let expected: Vec<i32> =
            (0..8).flat_map(|index| (1..=4).map(move |line| index * 10 + line)).collect();
        assert_eq!(lines(&project(folder.path())), expected);
    }

    #[test]
    fn the_file_can_be_read_by_people_and_has_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = on_line(3);
        kept.terms.condition = "total > 5".into();
        project(folder.path()).change(&[], &[kept], 10).unwrap();

        let text = std::fs::read_to_string(project(folder.path()).path).unwrap();

        assert!(text.contains("\"version\": 1"), "{text}");
        assert!(text.contains("\"condition\": \"total > 5\""), "{text}");
        assert!(!text.contains("hit_condition"), "{text}");
        assert!(project(folder.path()).path.to_string_lossy().contains("projects/shop-"));
    }

    #[test]
    fn a_corrupt_file_is_set_aside_with_a_warning_and_the_next_change_begins_anew() {
        for broken in ["{", "", "[]", "{\"version\": 1}", "\0\0\0\0", "{\"version\": \"one\"}"] {
            let folder = tempfile::tempdir().unwrap();
            let store = project(folder.path());
            store.change(&[], &[on_line(1)], 10).unwrap();
            std::fs::write(&store.path, broken).unwrap();

            let loaded = store.load().unwrap();

            assert!(loaded.warning.unwrap().contains("set aside"), "{broken}");
            let names = std::fs::read_dir(folder.path().join("projects")).unwrap().flatten();
            let aside = names
                .map(|entry| entry.path())
                .find(|path| path.to_string_lossy().contains("corrupt"));
            assert_eq!(std::fs::read_to_string(aside.unwrap()).unwrap(), broken);
            store.change(&[], &[on_line(2)], 10).unwrap();
            assert_eq!(lines(&store), [2]);
        }
    }

    #[test]
    fn a_file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = project(folder.path());
        store.change(&[], &[on_line(1)], 10).unwrap();
        let newer = "{\"version\": 9, \"points\": {}}";
        std::fs::write(&store.path, newer).unwrap();

        let warned = store.change(&[], &[on_line(2)], 10).unwrap();

        assert!(warned.unwrap().contains("newer version"));
        assert_eq!(std::fs::read_to_string(&store.path).unwrap(), newer);
    }

    #[test]
    fn one_that_another_session_has_moved_along_is_still_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = project(folder.path());
        let mut old = on_line(3);
        old.surroundings.text = "total += price".into();
        let mut moved = old.clone();
        moved.place.line = 7;
        store.change(&[], &[moved], 10).unwrap();

        store.change(&[old], &[], 10).unwrap();

        assert_eq!(lines(&store), Vec::<i32>::new());
    }
}
