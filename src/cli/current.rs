//! The session that a folder speaks of: the one that was started last in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::store::{read_json, stable_hash, write_json};

/// One folder's session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Current {
    pub folder: PathBuf,
    pub session: String,
}

fn path(state_dir: &Path, folder: &Path) -> PathBuf {
    let name = format!("{}.json", stable_hash(folder.as_os_str().as_encoded_bytes()));
    state_dir.join("current").join(name)
}

/// Makes it the session of this folder.
pub fn remember(state_dir: &Path, folder: &Path, session: &str) -> std::io::Result<()> {
    let path = path(state_dir, folder);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    write_json(&path, &Current { folder: folder.into(), session: session.into() })
}

/// The session of this folder, or of the nearest one above it that has one.
pub fn recall(state_dir: &Path, folder: &Path) -> Option<Current> {
    folder.ancestors().find_map(|folder| {
        let current: Current = read_json(&path(state_dir, folder)).ok()?;
        (current.folder == folder).then_some(current)
    })
}

/// Nobody speaks of this session any more.
pub fn forget(state_dir: &Path, session: &str) {
    let entries = std::fs::read_dir(state_dir.join("current")).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if read_json::<Current>(&path).is_ok_and(|current| current.session == session) {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_session_of_the_nearest_folder_above_until_it_is_forgotten() {
        let state = tempfile::tempdir().unwrap();
        let recalled =
            |folder: &str| recall(state.path(), Path::new(folder)).map(|current| current.session);

        remember(state.path(), Path::new("/p"), "outer").unwrap();
        remember(state.path(), Path::new("/p/a"), "inner").unwrap();

        assert_eq!(recalled("/p/a/b").as_deref(), Some("inner"));
        assert_eq!(recalled("/p/c").as_deref(), Some("outer"));
        assert_eq!(recalled("/q"), None);
        forget(state.path(), "inner");
        assert_eq!(recalled("/p/a/b").as_deref(), Some("outer"));
    }
}
