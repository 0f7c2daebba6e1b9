//! A server with a session in each of the states that matter, put right after every attack.

use std::collections::BTreeSet;

use debug_relay::proto::*;
use rustix::process::Signal;

use crate::support::{
    Client, LIMIT, Process, Program, Server, children_of, eventually, wait_until_gone,
};

/// A program that does nothing but count.
pub fn harmless() -> Program {
    Program::called(
        "counting.py",
        "total = 0\nfor item in range(1000):\n    total += item  # @add\nprint(total)\n",
    )
}

/// What a process holds.
#[derive(Debug, Clone, Copy)]
pub struct Weight {
    /// Bytes.
    pub resident: u64,
    pub descriptors: usize,
}

impl Weight {
    pub fn of(process: Process) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{}/status", process.0)).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        let descriptors = std::fs::read_dir(format!("/proc/{}/fd", process.0)).unwrap().count();
        Self { resident: kib * 1024, descriptors }
    }
}

/// The server and the host of a session that is there all the time.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    pub gateway: Weight,
    pub host: Weight,
}

pub struct World {
    server: Server,
    program: Program,
    pub client: Client,
    pub token: String,
    /// Stopped, and only looked at.
    pub kept: String,
    stopped: String,
    created: String,
    exited: String,
    /// Every host that was seen, and what ran under it.
    processes: BTreeSet<i32>,
    /// Lines of logs that were complained of already.
    told: BTreeSet<String>,
}

impl World {
    pub async fn new(server: Server, program: Program) -> Self {
        let (client, token) = (server.client().await, server.token());
        let [kept, stopped, created, exited] = ["kept", "stopped", "created", "exited"];
        let mut world = Self {
            server,
            program,
            client,
            token,
            kept: kept.into(),
            stopped: stopped.into(),
            created: created.into(),
            exited: exited.into(),
            processes: BTreeSet::new(),
            told: BTreeSet::new(),
        };
        world.make(&world.kept.clone(), SessionState::Stopped).await;
        assert_eq!(world.mend().await, [""; 0]);
        world
    }

    pub fn to_look_at(&self) -> [&str; 8] {
        let kept = self.kept.as_str();
        [kept, kept, kept, &self.stopped, &self.stopped, &self.created, &self.exited, "nobody"]
    }

    pub fn to_move(&self) -> [&str; 6] {
        [&self.stopped, &self.stopped, &self.stopped, &self.created, &self.exited, "nobody"]
    }

    /// Looks for damage, deletes what the attack has made, and makes again what it has ended.
    pub async fn mend(&mut self) -> Vec<String> {
        let mut damage = self.defects();
        let wanted = [
            (self.kept.clone(), SessionState::Stopped),
            (self.stopped.clone(), SessionState::Stopped),
            (self.created.clone(), SessionState::Created),
            (self.exited.clone(), SessionState::Exited),
        ];
        for session in self.sessions().await {
            if session.state() == SessionState::Lost {
                damage.push(format!("the host of {} died: {}", session.id, session.failure));
            }
            let is_wanted =
                wanted.iter().any(|(id, state)| *id == session.id && *state == session.state());
            if session.id == self.kept && !is_wanted {
                damage.push(format!("{} is {:?}", session.id, session.state()));
            }
            if !is_wanted {
                self.remember(&session.id);
                let request = DeleteSessionRequest { session_id: session.id.clone() };
                let deleted = self.client.sessions.delete_session(request);
                match tokio::time::timeout(LIMIT, deleted).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(status)) => damage.push(format!("{} stays: {status:?}", session.id)),
                    Err(_) => damage.push(format!("{} cannot be deleted in time", session.id)),
                }
            }
        }
        let there: BTreeSet<String> =
            self.sessions().await.into_iter().map(|session| session.id).collect();
        for (id, state) in wanted {
            if !there.contains(&id) {
                self.make(&id, state).await;
            }
        }
        damage
    }

    /// What the logs tell that is new.
    fn defects(&mut self) -> Vec<String> {
        let folders = std::fs::read_dir(self.server.run_dir().join("sessions")).unwrap().flatten();
        let logs = folders.map(|folder| folder.path().join("host.log"));
        let logs = logs.filter_map(|log| std::fs::read(log).ok());
        let logs = logs.map(|log| String::from_utf8_lossy(&log).into_owned());
        let is_defect = |line: &&str| line.contains("panicked") || line.contains("a defect");
        let all: Vec<String> = logs.chain([self.server.log()]).collect();
        let lines = all.iter().flat_map(|log| log.lines().filter(is_defect));
        let lines = lines.map(|line| format!("in a log: {line}"));
        lines.filter(|line| self.told.insert(line.clone())).collect()
    }

    async fn sessions(&mut self) -> Vec<Session> {
        let request = ListSessionsRequest { page_size: 100, ..Default::default() };
        let listed = tokio::time::timeout(LIMIT, self.client.sessions.list_sessions(request)).await;
        listed.expect("the server answers").unwrap().into_inner().sessions
    }

    async fn make(&mut self, id: &str, state: SessionState) {
        let start = create_session_request::Start::Launch(self.program.launch());
        let root = self.program.path.parent().unwrap().to_string_lossy().into_owned();
        let request = CreateSessionRequest {
            session_id: id.into(),
            project_root: root,
            start: (state != SessionState::Created).then_some(start),
            breakpoints: match state {
                SessionState::Stopped => vec![self.program.breakpoint("add")],
                _ => Vec::new(),
            },
            // Else the breakpoints of one session would stop the next.
            restore_breakpoints: Some(false),
            ..Default::default()
        };
        let created = tokio::time::timeout(LIMIT, self.client.sessions.create_session(request));
        let created = created.await.expect("a session in time").unwrap().into_inner();
        assert_eq!(created.session.unwrap().state(), state);
        self.remember(id);
    }

    /// Takes note of the processes of a session.
    fn remember(&mut self, id: &str) {
        let socket = self.server.run_dir().join("sessions").join(id).join("host.sock");
        if let Some(host) = crate::support::peer_of(&socket) {
            self.processes.insert(host.0);
            self.processes.extend(children_of(host).iter().map(|process| process.0));
        }
    }

    /// What is held when nothing is under way.
    pub async fn weights(&self) -> Weights {
        let gateway = Process::of(self.server.pid());
        Weights { gateway: Weight::of(gateway), host: Weight::of(self.server.host(&self.kept)) }
    }

    /// Deletes everything, ends the server, and sees that nothing is left.
    pub async fn end(mut self) {
        for session in self.sessions().await {
            self.remember(&session.id);
            self.client.delete(&session.id).await;
        }
        let processes: Vec<Process> = self.processes.iter().copied().map(Process).collect();
        wait_until_gone(&processes).await;
        assert_eq!(self.sessions().await, []);
        let folders = std::fs::read_dir(self.server.run_dir().join("sessions")).unwrap();
        assert_eq!(folders.count(), 0, "folders of sessions are left");
        let gateway = Process::of(self.server.pid());
        eventually("the server has no process left", async || {
            children_of(gateway).is_empty().then_some(())
        })
        .await;
        assert!(self.server.end_by(Signal::TERM).success());
    }
}
