//! Where programs may be and which interpreters may run them. Links are followed before anything is
//! compared, so that no name leads out.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What the server's settings allow; an empty list allows everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confines {
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    #[serde(default)]
    pub interpreters: Vec<PathBuf>,
}

impl Confines {
    /// Refuses a file or folder outside of the allowed folders.
    pub fn check_path(&self, path: &Path) -> Result<()> {
        let is_inside = |real: PathBuf| {
            let roots = self.roots.iter().filter_map(|root| root.canonicalize().ok());
            roots.into_iter().any(|root| real.starts_with(root))
        };
        match self.roots.is_empty() || path.canonicalize().is_ok_and(is_inside) {
            true => Ok(()),
            false => Err(Error::PathNotAllowed { path: path.to_string_lossy().into_owned() }),
        }
    }

    /// Refuses an interpreter that is not allowed. That of an environment is a link to the one that
    /// the environment was made with.
    pub fn check_interpreter(&self, path: &Path) -> Result<()> {
        let is_allowed = |real: PathBuf| {
            let allowed = self.interpreters.iter().filter_map(|one| one.canonicalize().ok());
            allowed.into_iter().any(|one| one == real)
        };
        match self.interpreters.is_empty() || path.canonicalize().is_ok_and(is_allowed) {
            true => Ok(()),
            false => {
                Err(Error::InterpreterNotAllowed { path: path.to_string_lossy().into_owned() })
            }
        }
    }

    pub fn is_open(&self) -> bool {
        self.roots.is_empty() && self.interpreters.is_empty()
    }
}

static CONFINES: OnceLock<Confines> = OnceLock::new();

/// Sets the confines of this process, at its start. Later calls change nothing.
pub fn set(confines: Confines) {
    let _ = CONFINES.set(confines);
}

/// The confines of this process.
pub fn get() -> &'static Confines {
    CONFINES.get_or_init(Confines::default)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn neither_dots_nor_links_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let [allowed, secret] = ["allowed", "allowed-not"].map(|name| folder.path().join(name));
        for path in [&allowed, &secret] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join("a.py"), "").unwrap();
        }
        symlink(&secret, allowed.join("way-out")).unwrap();
        symlink(allowed.join("a.py"), secret.join("way-in.py")).unwrap();
        let confines = Confines { roots: vec![allowed.clone()], ..Default::default() };
        let check = |path: &str| confines.check_path(&folder.path().join(path));

        for inside in
            ["allowed", "allowed/a.py", "allowed/../allowed/a.py", "allowed-not/way-in.py"]
        {
            assert_eq!(check(inside), Ok(()), "{inside}");
        }
        for outside in [
            "",
            "allowed-not/a.py",
            "allowed/../allowed-not/a.py",
            "allowed/way-out",
            "allowed/way-out/a.py",
            "allowed/missing.py",
        ] {
            assert!(check(outside).is_err(), "{outside}");
        }
        assert_eq!(Confines::default().check_path(Path::new("/anything")), Ok(()));
    }

    #[test]
    fn an_environment_of_an_allowed_interpreter_is_allowed_and_a_script_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let [real, link, other] =
            ["python3", "venv-python", "other"].map(|n| folder.path().join(n));
        std::fs::write(&real, "").unwrap();
        std::fs::write(&other, "").unwrap();
        symlink(&real, &link).unwrap();
        let confines = Confines { interpreters: vec![real.clone()], ..Default::default() };

        assert!(
            confines.check_interpreter(&real).is_ok() && confines.check_interpreter(&link).is_ok()
        );
        assert!(confines.check_interpreter(&other).is_err());
        assert!(confines.check_interpreter(Path::new("/missing")).is_err());
    }
}
