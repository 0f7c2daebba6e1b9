//! Finds the Python interpreter that a caller means.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The interpreter for a launch: the given path or venv folder; else the project's own `.venv` or
/// `venv`; else the server's default.
pub fn python(asked: &str, project_root: &Path, default: &Path) -> Result<PathBuf> {
    if asked.is_empty() {
        let own =
            [".venv", "venv"].iter().find_map(|name| in_environment(&project_root.join(name)));
        return match own {
            Some(own) => Ok(own),
            None => runnable(default.to_owned()),
        };
    }
    if !asked.contains('/') {
        return on_path(asked)
            .ok_or_else(|| not_found(asked, "no such command on the server's PATH"));
    }
    let path = project_root.join(asked);
    if path.is_dir() {
        return in_environment(&path)
            .ok_or_else(|| not_found(asked, "the folder has no bin/python"));
    }
    runnable(path)
}

/// The first executable file of this name on the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

fn in_environment(folder: &Path) -> Option<PathBuf> {
    ["bin/python", "bin/python3"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| is_executable(path))
}

fn runnable(path: PathBuf) -> Result<PathBuf> {
    if is_executable(&path) {
        return Ok(path);
    }
    let problem = if path.exists() { "it is no executable file" } else { "no such file" };
    Err(not_found(&path.to_string_lossy(), problem))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

fn not_found(path: &str, problem: &str) -> Error {
    Error::InterpreterNotFound { path: path.into(), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_interpreter_a_folder_without_one_and_a_plain_file_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("notes.txt"), "").unwrap();
        let problem = |asked: &str| {
            python(asked, root.path(), Path::new("/nowhere")).unwrap_err().to_string()
        };

        assert!(problem("/nope/python").contains("no such file"));
        assert!(problem("./").contains("no bin/python"));
        assert!(problem("./notes.txt").contains("no executable file"));
        assert!(problem("python-of-nobody").contains("PATH"));
    }

    #[test]
    fn the_projects_own_environment_is_taken_before_the_default() {
        use std::os::unix::fs::OpenOptionsExt;
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join(".venv/bin/python");
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::OpenOptions::new().create_new(true).write(true).mode(0o755).open(&own).unwrap();

        assert_eq!(python("", root.path(), Path::new("/default")).unwrap(), own);
    }
}
