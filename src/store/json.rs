//! JSON files that are never half written: a temporary file, then a rename.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes `value` in place of what is there, or leaves what is there.
pub fn write_json(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    temporary(path, value)?.persist(path)?;
    Ok(())
}

/// The same, and the disk has it: it outlives a loss of power.
pub fn write_json_durably(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    let file = temporary(path, value)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The new name, too.
    std::fs::File::open(folder_of(path))?.sync_all()
}

fn temporary(path: &Path, value: &impl Serialize) -> std::io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(folder_of(path))?;
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    file.write_all(&text)?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

pub fn read_json<T: DeserializeOwned>(path: &Path) -> std::io::Result<T> {
    Ok(serde_json::from_slice(&std::fs::read(path)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");

        write_json(&path, &vec![1, 2]).unwrap();
        write_json_durably(&path, &vec![3]).unwrap();

        assert_eq!(read_json::<Vec<i32>>(&path).unwrap(), [3]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_broken_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.json");
        std::fs::write(&path, "{").unwrap();

        assert!(read_json::<Vec<i32>>(&path).is_err());
    }
}
