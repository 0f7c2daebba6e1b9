//! The server's folders, before it makes them: whether they are there or can be, who may enter,
//! whether there is room. And the token.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{Access, StatVfsMountFlags};

use super::report::Finding;
use crate::auth;
use crate::config::{self, Config, MAX_SOCKET_PATH};

/// Where a session's socket is in the run folder, with an id as we choose them.
const SOCKET: &str = "sessions/s-12345678/host.sock";
/// debugpy takes 30 MB, records little.
const LITTLE_ROOM: u64 = 200 * 1024 * 1024;

pub fn run_dir(config: &Config) -> Finding {
    const SUBJECT: &str = "run folder";
    let path = &config.run_dir;
    let shown = path.display();
    let length = path.join(SOCKET).as_os_str().len();
    if MAX_SOCKET_PATH < length {
        let longest = path.as_os_str().len() - (length - MAX_SOCKET_PATH);
        return Finding::fail(SUBJECT, format!("{shown} is too long for the sockets in it"))
            .remedy(format!("choose a --run-dir of {longest} letters or less"));
    }
    if !path.exists() {
        return match unwritable(path) {
            None => Finding::ok(SUBJECT, format!("{shown} will be made")),
            Some(problem) => Finding::fail(SUBJECT, format!("{shown} cannot be made: {problem}"))
                .remedy("choose another --run-dir"),
        };
    }
    for folder in [path.clone(), path.join("sessions")] {
        if !folder.exists() {
            continue;
        }
        if let Err(problem) = config::check_private(&folder) {
            return Finding::fail(SUBJECT, format!("{}: {problem}", folder.display()))
                .remedy(problem.remedy(&folder));
        }
    }
    match unwritable(path) {
        None => Finding::ok(SUBJECT, format!("{shown}, only for this user")),
        Some(problem) => Finding::fail(SUBJECT, format!("{shown} cannot be written to: {problem}"))
            .remedy(format!("run: chmod 700 {shown}")),
    }
}

pub fn token(config: &Config) -> Finding {
    const SUBJECT: &str = "token";
    if !config.auth {
        return Finding::warn(SUBJECT, "none: every user of this machine can run code as this one")
            .remedy("take out --no-auth, or auth = false");
    }
    let path = auth::token_path(&config.run_dir);
    let shown = path.display();
    let Ok(facts) = path.metadata() else {
        return Finding::ok(SUBJECT, "made at the first start");
    };
    if facts.permissions().mode() & 0o077 != 0 {
        return Finding::fail(SUBJECT, format!("other users may read {shown}"))
            .remedy(format!("run: chmod 600 {shown}"));
    }
    if let Err(problem) = auth::read_token(&config.run_dir) {
        return Finding::fail(SUBJECT, format!("{shown} cannot be used: {problem}"))
            .remedy(format!("run: rm {shown}"));
    }
    Finding::ok(SUBJECT, shown.to_string())
}

pub fn state_dir(config: &Config) -> Finding {
    const SUBJECT: &str = "state folder";
    let path = &config.state_dir;
    let shown = path.display();
    if let Some(problem) = unwritable(path) {
        return Finding::fail(SUBJECT, format!("{shown} cannot be written to: {problem}"))
            .remedy(format!("run: mkdir -p {shown} && chmod u+rwx {shown}"))
            .remedy("or choose another --state-dir");
    }
    let there = if path.exists() { "" } else { " will be made" };
    match nearest(path).and_then(|there| rustix::fs::statvfs(there).ok()) {
        Some(facts) if facts.f_flag.contains(StatVfsMountFlags::RDONLY) => {
            Finding::fail(SUBJECT, format!("{shown} is on a disk that cannot be written to"))
                .remedy("choose another --state-dir")
        }
        Some(facts) => {
            let free = facts.f_bavail.saturating_mul(facts.f_frsize);
            let found = format!("{shown}{there}, {} MiB free", free / (1024 * 1024));
            match free < LITTLE_ROOM {
                true => Finding::warn(SUBJECT, found).remedy("make room on this disk"),
                false => Finding::ok(SUBJECT, found),
            }
        }
        None => Finding::ok(SUBJECT, format!("{shown}{there}")),
    }
}

/// Why this user cannot write to a folder, or make it.
fn unwritable(path: &Path) -> Option<String> {
    let Some(there) = nearest(path) else { return Some("no part of it exists".into()) };
    if !there.is_dir() {
        return Some(format!("{} is no folder", there.display()));
    }
    let problem = rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK).err()?;
    let problem = std::io::Error::from(problem);
    Some(match there == path {
        true => problem.to_string(),
        false => format!("{}: {problem}", there.display()),
    })
}

/// The longest part of a path that exists.
fn nearest(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::report::Mark;
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_made_or_is_too_long_fails() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let with = |path: &Path| Config {
            run_dir: path.into(),
            state_dir: path.into(),
            ..Config::default()
        };
        let fresh = with(&folder.path().join("a/b"));
        let under_file = with(&file.join("a"));

        assert_eq!((run_dir(&fresh).mark, run_dir(&under_file).mark), (Mark::Ok, Mark::Fail));
        assert_eq!(state_dir(&under_file).mark, Mark::Fail);
        assert_ne!(state_dir(&fresh).mark, Mark::Fail);
        assert!(!folder.path().join("a").exists(), "looking makes nothing");
        let long = run_dir(&with(&folder.path().join("x".repeat(100))));
        assert!(long.found.contains("too long"), "{long:?}");
    }

    #[test]
    fn a_token_that_others_may_read_fails() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { run_dir: folder.path().into(), ..Config::default() };
        assert_eq!(token(&config).mark, Mark::Ok);
        auth::load_or_make_token(folder.path()).unwrap();
        assert_eq!(token(&config).mark, Mark::Ok);

        let path = auth::token_path(folder.path());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();

        assert!(token(&config).remedies[0].starts_with("run: chmod 600"));
        assert_eq!(token(&Config { auth: false, ..config }).mark, Mark::Warn);
    }
}
