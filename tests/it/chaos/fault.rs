//! What strikes: kills and stops, at random, in processes of the course.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::count;
use super::ground::Ground;
use crate::support::{Process, Random};

/// Strikes until the end.
pub async fn strike(ground: Arc<Ground>, mut random: Random, end: Instant) {
    while Instant::now() < end {
        let pause = Duration::from_millis(random.between(50, 900));
        tokio::time::sleep(pause).await;
        let counts = &ground.counts;
        match random.between(0, 12) {
            0..=2 => {
                count(&counts.killed_gateways, 1);
                ground.shake(Duration::from_millis(random.between(0, 300))).await;
            }
            3..=5 => {
                if let Some(host) = some(&mut random, of_kind(&ground, "host")) {
                    count(&counts.killed_hosts, 1);
                    host.kill();
                }
            }
            6 | 7 => {
                if let Some(guard) = some(&mut random, of_kind(&ground, "guard")) {
                    count(&counts.killed_guards, 1);
                    guard.kill();
                }
            }
            8 | 9 => {
                if let Some(program) = some(&mut random, of_kind(&ground, "python")) {
                    count(&counts.killed_programs, 1);
                    program.kill();
                }
            }
            _ => {
                let kind = if random.chance(50) { "host" } else { "python" };
                if let Some(process) = some(&mut random, of_kind(&ground, kind)) {
                    count(&counts.stopped_processes, 1);
                    process.send(Signal::STOP);
                    tokio::time::sleep(Duration::from_millis(random.between(10, 300))).await;
                    process.send(Signal::CONT);
                }
            }
        }
    }
}

fn some(random: &mut Random, processes: Vec<Process>) -> Option<Process> {
    let count = processes.len() as u64;
    (0 < count).then(|| processes[random.between(0, count) as usize])
}

/// Processes of the course that are hosts, guards or programs.
fn of_kind(ground: &Ground, kind: &str) -> Vec<Process> {
    let is_of_kind = |process: &Process| {
        let line = std::fs::read(format!("/proc/{}/cmdline", process.0)).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        let (name, role) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match kind {
            "python" => String::from_utf8_lossy(name).contains("python"),
            role_wanted => name == b"debug-relay" && role == role_wanted.as_bytes(),
        }
    };
    ground.marked().into_iter().filter(is_of_kind).collect()
}
