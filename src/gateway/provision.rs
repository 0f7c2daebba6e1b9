//! The debugger that we bring ourselves: found where the caller says, or in our own folder, where
//! it is installed on first use. The programs' interpreters need nothing.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::watch;

use super::hosts::HostSetup;
use crate::adapters::debugpy::{PROFILE, VERSION};
use crate::adapters::locate;
use crate::error::{Error, Result};

const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const PROBE_LIMIT: Duration = Duration::from_secs(15);
/// How long a CreateSession waits for the installation.
const WAIT_LIMIT: Duration = Duration::from_secs(240);

/// How far we are.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    Working {
        what: String,
    },
    /// `folder` holds the package.
    Ready {
        folder: PathBuf,
        python: PathBuf,
    },
    Failed {
        problem: String,
    },
}

/// What to look for, and where.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub state_dir: PathBuf,
    /// A folder that holds a debugpy package, in place of our own.
    pub debugpy: Option<PathBuf>,
    /// The interpreter for launches that name none: a path, or a name on the PATH.
    pub python: Option<PathBuf>,
}

#[derive(Clone)]
pub struct Provision {
    stage: watch::Receiver<Stage>,
}

impl Provision {
    /// Begins to look, and to install if need be.
    pub fn begin(wanted: Wanted) -> Self {
        let (tell, stage) =
            watch::channel(Stage::Working { what: "looking for Python and debugpy".into() });
        tokio::spawn(async move {
            let stage = match provide(&wanted, &tell).await {
                Ok((folder, python)) => {
                    tracing::info!(debugpy = %folder.display(), python = %python.display(), "the debugger is ready");
                    Stage::Ready { folder, python }
                }
                Err(problem) => {
                    tracing::error!(problem, "the debugger is not available");
                    Stage::Failed { problem }
                }
            };
            tell.send_replace(stage);
            // Kept, so that those who ask later hear it, too.
            tell.closed().await;
        });
        Self { stage }
    }

    pub fn stage(&self) -> Stage {
        self.stage.borrow().clone()
    }

    /// The interpreter for launches that name none, once it is found.
    pub fn python(&self) -> Option<PathBuf> {
        match self.stage() {
            Stage::Ready { python, .. } => Some(python),
            Stage::Working { .. } | Stage::Failed { .. } => None,
        }
    }

    /// The version of what was found, as its own file tells.
    pub fn version(&self) -> Option<String> {
        let Stage::Ready { folder, .. } = self.stage() else { return None };
        version_in(&folder)
    }

    /// How it came out, or how far it is after `limit`.
    pub async fn settled(&self, limit: Duration) -> Stage {
        let mut stage = self.stage.clone();
        let settled = stage.wait_for(|stage| !matches!(stage, Stage::Working { .. }));
        match tokio::time::timeout(limit, settled).await {
            Ok(Ok(stage)) => stage.clone(),
            Ok(Err(_)) | Err(_) => self.stage(),
        }
    }

    /// What hosts need, once it is there.
    pub async fn host_setup(&self) -> Result<HostSetup> {
        match self.settled(WAIT_LIMIT).await {
            Stage::Ready { folder, python } => Ok(HostSetup { debugpy: folder, python }),
            Stage::Working { what: problem } | Stage::Failed { problem } => {
                Err(Error::DebuggerUnavailable { adapter: PROFILE.name.into(), problem })
            }
        }
    }
}

async fn provide(
    wanted: &Wanted,
    tell: &watch::Sender<Stage>,
) -> Result<(PathBuf, PathBuf), String> {
    let python = python(wanted.python.as_deref()).await?;
    if let Some(folder) = &wanted.debugpy {
        return if is_debugpy(folder) {
            Ok((folder.clone(), python))
        } else {
            Err(format!("{} holds no debugpy package", folder.display()))
        };
    }
    let folder = own_folder(&wanted.state_dir);
    if !is_debugpy(&folder) {
        let what = format!("installing debugpy {VERSION} into {} (first use)", folder.display());
        tracing::info!("{what}");
        tell.send_replace(Stage::Working { what });
        install(&python, &folder).await?;
    }
    Ok((folder, python))
}

/// The interpreter for launches that name none. One that was asked for and is not there is told by
/// those launches.
pub async fn python(asked: Option<&Path>) -> Result<PathBuf, String> {
    let Some(asked) = asked else { return default_python().await };
    let found = locate::python(&asked.to_string_lossy(), Path::new("/"), asked);
    Ok(found.unwrap_or_else(|_| asked.to_owned()))
}

/// The interpreter itself behind whatever `python3` on the PATH is: shims cost time at every start.
async fn default_python() -> Result<PathBuf, String> {
    let missing = "there is no python3 on the PATH; install Python 3.8 or newer, or start the server with --python";
    let found = locate::on_path("python3").or_else(|| locate::on_path("python")).ok_or(missing)?;
    let asked = ["-I", "-S", "-c", "import sys; print(sys.executable)"];
    let printed = ask(&found, &asked).await.unwrap_or_default();
    let real = PathBuf::from(printed.trim());
    Ok(if real.is_file() { real } else { found })
}

/// Installs into a folder beside the final one, then moves it there, so that it is whole or not there.
async fn install(python: &Path, folder: &Path) -> Result<(), String> {
    let parent = folder.parent().ok_or("the state folder has no parent")?;
    std::fs::create_dir_all(parent)
        .map_err(|error| format!("{} cannot be made: {error}", parent.display()))?;
    let staging =
        tempfile::tempdir_in(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
    let target = staging.path().join("packages");
    let problem = match pip_install(python, &target).await {
        Ok(()) => None,
        // Some systems ship Python without pip; a fresh environment has one of its own.
        Err(first) => {
            let environment = staging.path().join("environment");
            let mut make = Command::new(python);
            make.args(["-m", "venv"]).arg(&environment);
            match output(make, INSTALL_LIMIT).await {
                Ok(_) => pip_install(&environment.join("bin/python"), &target).await.err(),
                Err(_) => Some(first),
            }
        }
    };
    if let Some(problem) = problem {
        return Err(format!("debugpy {VERSION} could not be installed: {problem}"));
    }
    match std::fs::rename(&target, folder) {
        // Another server was faster.
        Err(_) if is_debugpy(folder) => Ok(()),
        moved => moved.map_err(|error| format!("{}: {error}", folder.display())),
    }
}

async fn pip_install(python: &Path, target: &Path) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--target",
    ]);
    pip.arg(target).arg(format!("debugpy=={VERSION}"));
    output(pip, INSTALL_LIMIT).await.map(drop)
}

async fn output(mut command: Command, limit: Duration) -> Result<String, String> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let finished = tokio::time::timeout(limit, command.output())
        .await
        .map_err(|_| "it took too long".to_owned())?;
    let finished = finished.map_err(|error| error.to_string())?;
    if finished.status.success() {
        return Ok(String::from_utf8_lossy(&finished.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&finished.stderr);
    Err(errors.trim().lines().last().unwrap_or("it failed and said nothing").to_owned())
}

/// What a program prints that ends soon, or the last that it said when it failed.
pub async fn ask(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments);
    output(command, PROBE_LIMIT).await
}

/// Where we install our own.
pub fn own_folder(state_dir: &Path) -> PathBuf {
    state_dir.join("debugpy").join(VERSION)
}

/// Whether a folder holds the package.
pub fn is_debugpy(folder: &Path) -> bool {
    folder.join("debugpy/__init__.py").is_file()
}

/// The version of the package in a folder, as its own file tells.
pub fn version_in(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("debugpy/_version.py")).ok()?;
    let version = text.split("\"version\": \"").nth(1)?.split('"').next()?;
    Some(version.to_owned())
}
