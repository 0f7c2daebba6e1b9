//! The Python for programs that name none, and the debugpy that is put before them.

use std::path::Path;

use super::report::Finding;
use crate::adapters::debugpy::VERSION;
use crate::adapters::inject::parse_version;
use crate::config::Config;
use crate::gateway::provision;

const OLDEST: (u32, u32) = (3, 8);

pub async fn look(config: &Config) -> [Finding; 2] {
    let python = provision::python(config.python.as_deref()).await;
    match python {
        Ok(path) => {
            let (python, works) = interpreter(&path).await;
            [python, debugpy(config, works.then_some(&path)).await]
        }
        Err(problem) => [Finding::fail("python", problem), debugpy(config, None).await],
    }
}

/// What an interpreter is, and whether it can be used.
async fn interpreter(path: &Path) -> (Finding, bool) {
    let shown = path.display();
    let asked = ["-I", "-S", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"];
    let printed = provision::ask(path, &asked).await;
    let remedy =
        "set python (--python) to Python 3.8 or newer, or take it out to use python3 on the PATH";
    match printed {
        Err(problem) => {
            let found = format!("{shown} does not run: {problem}");
            (Finding::fail("python", found).remedy(remedy), false)
        }
        Ok(printed) => match parse_version(&printed) {
            None => {
                let found = format!("{shown} does not answer as a Python");
                (Finding::fail("python", found).remedy(remedy), false)
            }
            Some(version) if version < OLDEST => {
                let found = format!("{shown} is Python {}, too old", printed.trim());
                (Finding::fail("python", found).remedy(remedy), false)
            }
            Some(_) => (Finding::ok("python", format!("{} at {shown}", printed.trim())), true),
        },
    }
}

async fn debugpy(config: &Config, python: Option<&Path>) -> Finding {
    if let Some(folder) = &config.debugpy {
        return given(folder);
    }
    let folder = provision::own_folder(&config.state_dir);
    if provision::is_debugpy(&folder) {
        return Finding::ok("debugpy", format!("{VERSION} in {}", folder.display()));
    }
    let Some(python) = python else {
        return Finding::fail("debugpy", "not installed yet, and there is no Python to do it")
            .remedy("mend python first");
    };
    let by_pip = provision::ask(python, &["-m", "pip", "--version"]).await.is_ok();
    // A fresh environment has a pip of its own.
    if by_pip || provision::ask(python, &["-c", "import venv, ensurepip"]).await.is_ok() {
        let found = format!("not installed yet; the server installs {VERSION} at its first start");
        return Finding::ok("debugpy", found);
    }
    let found = format!("not installed yet, and {} has neither pip nor venv", python.display());
    Finding::fail("debugpy", found)
        .remedy("install pip or venv for it (on Debian and Ubuntu: apt install python3-venv)")
        .remedy(format!(
            "or elsewhere: pip install --target DIR debugpy=={VERSION}, then set debugpy (--debugpy) to DIR"
        ))
}

/// The folder that the settings name.
fn given(folder: &Path) -> Finding {
    let shown = folder.display();
    if !provision::is_debugpy(folder) {
        return Finding::fail("debugpy", format!("{shown} holds no debugpy package"))
            .remedy(format!("run: pip install --target {shown} debugpy=={VERSION}"));
    }
    match provision::version_in(folder) {
        Some(version) if version == VERSION => {
            Finding::ok("debugpy", format!("{version} in {shown}"))
        }
        version => {
            let version = version.unwrap_or_else(|| "of an unknown version".into());
            let found = format!("{version} in {shown}; this server is made for {VERSION}");
            let remedy = format!("run: pip install --upgrade --target {shown} debugpy=={VERSION}");
            Finding::warn("debugpy", found).remedy(remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse_version("3.12.1\n") > Some(OLDEST));
        assert!(parse_version("3.7.17") < Some(OLDEST));
        assert_eq!((parse_version("Python"), parse_version("3")), (None, None));
    }
}
