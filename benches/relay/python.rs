//! The relay as a Python program calls it, with generated stubs.

use std::process::Command;
use std::time::Duration;

use crate::support::course::Program;
use crate::support::report::Measured;
use crate::support::server::Server;
use crate::support::{self, Tools};

/// Steps, evaluations and status calls of a Python client. None without grpcio.
pub fn measure(tools: &Tools, server: &Server, program: &Program, count: usize) -> Vec<Measured> {
    let Some(packages) = tools.grpc() else {
        eprintln!("no Python client is measured: there is no grpcio (scripts/setup-tools)");
        return Vec::new();
    };
    let stubs = tempfile::tempdir().expect("a folder");
    let root = support::folder("../proto");
    let files = std::fs::read_dir(root.join("debugrelay/v1")).expect("the contract");
    let made = Command::new(&tools.python)
        .args(["-m", "grpc_tools.protoc"])
        .arg(format!("-I{}", root.display()))
        .arg(format!("--python_out={}", stubs.path().display()))
        .arg(format!("--grpc_python_out={}", stubs.path().display()))
        .args(files.flatten().map(|file| file.path()))
        .env("PYTHONPATH", &packages)
        .status();
    assert!(made.expect("grpc_tools").success(), "stubs");

    let (address, token) = server.door();
    let ran = Command::new(&tools.python)
        .arg(support::folder("relay").join("client.py"))
        .arg(stubs.path())
        .args([address, token, program.file(), program.start.to_string(), count.to_string()])
        .env("PYTHONPATH", &packages)
        .output()
        .expect("python3");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let times: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let measured = ["step", "evaluate", "status"].map(|group| {
        let mut measured = Measured::times(group, "relay_python");
        for time in times[group].as_array().expect("times") {
            measured.add(Duration::from_secs_f64(time.as_f64().expect("seconds")));
        }
        measured
    });
    measured.into()
}
