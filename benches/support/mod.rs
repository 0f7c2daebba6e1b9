//! What the benchmarks share: the interpreter, a real server, the program that is stepped through,
//! and how figures are shown.

// Each benchmark uses its part of this.
#![allow(dead_code)]

pub mod adapter;
pub mod course;
pub mod dap;
pub mod direct;
pub mod processes;
pub mod relay;
pub mod report;
pub mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter and the debugger that are measured.
pub struct Tools {
    pub python: PathBuf,
    /// The folder that holds the debugpy package.
    pub debugpy: PathBuf,
    versions: String,
}

impl Tools {
    pub fn find() -> Self {
        let tools = std::env::var_os("DEBUG_RELAY_TOOLS").map(PathBuf::from);
        let tools = tools.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools"));
        let debugpy = tools.join("debugpy");
        assert!(debugpy.is_dir(), "run scripts/setup-tools first: no {}", debugpy.display());
        // The interpreter itself, not a shim that starts it.
        let question = "import sys, platform, debugpy; print(sys.executable, \
                        platform.python_version(), debugpy.__version__, sep='\\n')";
        let asked =
            Command::new("python3").args(["-c", question]).env("PYTHONPATH", &debugpy).output();
        let answer = String::from_utf8(asked.expect("python3 on the PATH").stdout).expect("text");
        let [python, version, debugpy_version] =
            answer.lines().collect::<Vec<_>>().try_into().expect("three lines of python3");
        let versions = format!("Python {version}, debugpy {debugpy_version}");
        Self { python: python.into(), debugpy, versions }
    }

    /// The folder with grpcio, if it is there.
    pub fn grpc(&self) -> Option<PathBuf> {
        Some(self.debugpy.with_file_name("grpc")).filter(|folder| folder.is_dir())
    }

    pub fn grpcurl(&self) -> PathBuf {
        self.debugpy.with_file_name("bin").join("grpcurl")
    }

    /// What it all ran on, in words.
    pub fn setting(&self) -> String {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        format!("{}, {cpus} CPUs", self.versions)
    }
}

/// The folder of a benchmark's own files.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(name)
}
