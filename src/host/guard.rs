//! The guard: a tiny process between a host and its program. It starts the program, reports how it
//! ended, and ends the whole tree under it when told to or when the host is gone, however the host
//! went. If the guard itself is killed, the kernel kills the program and the rest falls to the host.
//!
//! Control lines from the host: first the program's environment as JSON, which must not be ours, for
//! it may hold anything; then `term`, `kill`, `release`, after which the program lives on alone. To the host: `pid N`, `error TEXT`, `exit N`,
//! `signal N`. The end of the control stream means that the host is gone.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::os;

/// Runs `command` under guard. Returns when the host is gone and nothing is left of the tree.
pub fn run(
    control: RawFd,
    has_terminal: bool,
    memory: Option<u64>,
    command: &[String],
) -> std::io::Result<()> {
    // SAFETY: the host passes this number for the one descriptor that it left open for us, and
    // nothing else in this process has touched it.
    let control = unsafe { UnixStream::from_raw_fd(control) };
    rustix::io::fcntl_setfd(&control, rustix::io::FdFlags::CLOEXEC)?;
    let mut reports = control.try_clone()?;
    // A session of its own: a Ctrl-C on the terminal of the server is not for the program.
    let _ = rustix::process::setsid();
    os::name_process();
    os::adopt_orphans()?;

    let mut control = BufReader::new(control);
    let mut environment = String::new();
    control.read_line(&mut environment)?;
    let environment: Vec<(String, String)> = serde_json::from_str(&environment)?;

    let program = match start(command, environment, has_terminal, memory) {
        Ok(program) => program,
        Err(problem) => {
            writeln!(reports, "error {problem}")?;
            return Ok(());
        }
    };
    let pid = program.id();
    writeln!(reports, "pid {pid}")?;
    let Some(pid) = Pid::from_raw(pid.cast_signed()) else { return Ok(()) };
    release_standard_streams()?;

    // Taken when the program has been reaped, so that no signal goes to a stranger with its number.
    let living = Arc::new(Mutex::new(Some(pid)));
    let listener = std::thread::spawn({
        let living = Arc::clone(&living);
        move || obey(control, &living)
    });
    reap(pid, &living, &mut reports);
    let _ = listener.join();
    Ok(())
}

fn start(
    command: &[String],
    environment: Vec<(String, String)>,
    has_terminal: bool,
    memory: Option<u64>,
) -> std::io::Result<Child> {
    let (name, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut program = Command::new(name);
    program.args(arguments).envs(environment);
    if has_terminal {
        // SAFETY: between fork and exec only system calls run; they allocate nothing.
        unsafe { program.pre_exec(os::take_terminal) };
    } else {
        program.process_group(0);
    }
    if let Some(memory) = memory {
        // SAFETY: as above.
        unsafe { program.pre_exec(move || os::limit_memory(memory)) };
    }
    // SAFETY: as above.
    unsafe { program.pre_exec(os::die_with_parent) };
    program.spawn()
}

/// The program has its own copies; ours would keep the pipes open after its end.
fn release_standard_streams() -> std::io::Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Does what the host says until the host is gone; then ends everything.
fn obey(control: BufReader<UnixStream>, living: &Mutex<Option<Pid>>) {
    let mut is_released = false;
    for line in control.lines() {
        match line.as_deref() {
            Ok("term") => {
                let living = living.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(pid) = *living {
                    let _ = rustix::process::kill_process(pid, Signal::TERM);
                    // A stopped process takes the signal only once it goes on.
                    let _ = rustix::process::kill_process(pid, Signal::CONT);
                }
            }
            Ok("kill") => os::kill_descendants(),
            Ok("release") => is_released = true,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    if !is_released {
        os::kill_descendants();
    }
}

/// Reaps until no child is left, and reports the end of the program itself.
fn reap(program: Pid, living: &Mutex<Option<Pid>>, reports: &mut UnixStream) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => {
                *living.lock().unwrap_or_else(PoisonError::into_inner) = None;
                let _ = writeln!(reports, "{}", describe(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn describe(status: WaitStatus) -> String {
    let status = ExitStatus::from_raw(status.as_raw());
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}
