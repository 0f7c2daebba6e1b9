//! The server that is killed and started again under everybody's feet, and what it must not leave.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::RwLock;

use super::Counts;
use crate::support::{Client, Process, Server, ServerOptions, eventually, is_alive};

/// Every process of the course has this in its environment, however far it strays.
const MARK: &str = "DEBUG_RELAY_COURSE";

/// A call, and everything that a caller waits for, has this long.
pub const CALL_LIMIT: Duration = Duration::from_secs(40);

/// Interpreters that wait for their programs.
const SPARES: usize = 1;

pub struct Ground {
    server: RwLock<Server>,
    mark: String,
    pub counts: Arc<Counts>,
    problems: Mutex<Vec<String>>,
    _folder: tempfile::TempDir,
}

impl Ground {
    pub async fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
        let mark = folder.path().to_string_lossy().into_owned();
        let listen = format!("unix:{}", folder.path().join("socket").display());
        let server = Server::with(ServerOptions {
            // The same address after every start.
            listen,
            arguments: ["--limits-sessions", "200", "--limits-spares", &SPARES.to_string()]
                .map(str::to_owned)
                .into(),
            environment: vec![(MARK.into(), mark.clone())],
            ..Default::default()
        })
        .await;
        Self {
            server: RwLock::new(server),
            mark,
            counts: Arc::default(),
            problems: Mutex::default(),
            _folder: folder,
        }
    }

    /// A connection to the server as it is now.
    pub async fn client(&self) -> Client {
        let begun = Instant::now();
        loop {
            let server = self.server.read().await;
            let (address, token) = (server.address.clone(), server.token());
            drop(server);
            if let Some(client) = Client::try_connect(&address, Some(&token)).await {
                return client;
            }
            assert!(begun.elapsed() < CALL_LIMIT, "the server does not answer");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn run_dir(&self) -> PathBuf {
        self.server.read().await.run_dir()
    }

    /// Kills the server in the midst of everything, and starts it again after a while.
    pub async fn shake(&self, pause: Duration) {
        let gateway = Process::of(self.server.read().await.pid());
        // Before the lock: callers are at work.
        gateway.kill();
        let mut server = self.server.write().await;
        server.reap();
        tokio::time::sleep(pause).await;
        server.start_again();
    }

    /// Nothing strikes any more: every process that was stopped goes on.
    pub async fn calm(&self) {
        for process in self.marked() {
            process.send(rustix::process::Signal::CONT);
        }
    }

    pub fn complain(&self, problem: String) {
        self.problems.lock().unwrap().push(problem);
    }

    pub fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.problems.lock().unwrap())
    }

    /// All living processes of the course.
    pub fn marked(&self) -> Vec<Process> {
        let wanted = format!("{MARK}={}", self.mark);
        let numbers = std::fs::read_dir("/proc").unwrap().flatten();
        let processes = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let is_ours = |process: &Process| {
            let environment = std::fs::read(format!("/proc/{}/environ", process.0));
            let environment = environment.unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
        };
        processes.map(Process).filter(is_ours).filter(|process| is_alive(*process)).collect()
    }

    /// What is left when every session has been deleted: nothing but the server may be.
    pub async fn traces_left(&self) -> Vec<String> {
        let server = self.server.read().await;
        let gateway = Process::of(server.pid());
        let mut left = Vec::new();
        let alone = tokio::time::timeout(CALL_LIMIT, async {
            // Each that waits is a host, a guard and an interpreter.
            eventually("only the server and its spares are left", async || {
                let marked = self.marked();
                (marked.contains(&gateway) && marked.len() == 1 + 3 * SPARES).then_some(())
            })
            .await;
        });
        if alone.await.is_err() {
            left.push(format!("processes are left: {:?}", self.marked()));
        }
        for folder in [server.run_dir().join("sessions"), server.archives()] {
            let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            left.extend(names.map(|entry| format!("{} is left", entry.path().display())));
        }
        let known = ["attached", "lock", "server.json", "sessions", "spares", "token"];
        let names = std::fs::read_dir(server.run_dir()).unwrap().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let strange = names.filter(|name| !known.contains(&name.as_str()));
        left.extend(strange.map(|name| format!("{name} is left in the run folder")));
        // Standard streams, the listener, the lock, what the runtime needs, and our own connections.
        let open = std::fs::read_dir(format!("/proc/{}/fd", gateway.0)).unwrap().count();
        if 60 < open {
            left.push(format!("the gateway holds {open} files and sockets"));
        }
        let log = server.log();
        left.extend(log.lines().filter(|line| is_about_a_defect(line)).map(str::to_owned));
        left
    }
}

/// What a caller is only told as INTERNAL has its cause in the log.
fn is_about_a_defect(line: &str) -> bool {
    line.contains("panicked") || line.contains("a defect")
}
