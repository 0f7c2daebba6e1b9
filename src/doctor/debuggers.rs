//! Debuggers beside debugpy: the one that puts it into a running process, the right to do so, and
//! those that this version does not use.

use super::python::parse_version;
use super::report::Finding;
use crate::adapters::locate;
use crate::gateway::provision;

const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";
/// The bit of CAP_SYS_PTRACE.
const SYS_PTRACE: u32 = 19;
/// The first gdb that speaks DAP.
const GDB_WITH_DAP: (u32, u32) = (14, 0);

pub async fn look() -> Vec<Finding> {
    let mut findings = vec![injector(), ptrace()];
    findings.extend(["lldb-dap", "dlv"].map(unused));
    findings.push(gdb().await);
    findings
}

/// debugpy 1.8 puts itself into a process with gdb on Linux and with lldb on macOS.
fn injector() -> Finding {
    let names = if cfg!(target_os = "macos") { ["lldb"] } else { ["gdb"] };
    match names.iter().find_map(|name| locate::on_path(name)) {
        Some(path) => Finding::ok("attach", format!("with {}", path.display())),
        None => {
            let [name] = names;
            let found = format!("there is no {name} on the PATH, and a process id needs it");
            let remedy = format!("install {name} (on Debian and Ubuntu: apt install {name})");
            Finding::warn("attach", found).remedy(remedy)
        }
    }
}

fn ptrace() -> Finding {
    let scope = std::fs::read_to_string(PTRACE_SCOPE).ok();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    judge_ptrace(scope.as_deref().map(str::trim), may_trace_all(&status))
}

/// Whether a process may trace any other, by its /proc/PID/status.
fn may_trace_all(status: &str) -> bool {
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    effective.is_some_and(|bits| bits & (1 << SYS_PTRACE) != 0)
}

fn judge_ptrace(scope: Option<&str>, may_trace_all: bool) -> Finding {
    let remedy = "run: sudo sysctl kernel.yama.ptrace_scope=0";
    match scope {
        None | Some("0") => Finding::ok("ptrace", "processes of this user can be attached to"),
        Some("1" | "2") if may_trace_all => {
            Finding::ok("ptrace", "this user may attach to any process")
        }
        Some("3") => Finding::warn("ptrace", "no process can be attached to (ptrace_scope is 3)")
            .remedy("set kernel.yama.ptrace_scope to 0 in /etc/sysctl.d and restart the machine"),
        Some(scope) => {
            let found = format!("a process id cannot be attached to (ptrace_scope is {scope})");
            Finding::warn("ptrace", found).remedy(remedy)
        }
    }
}

fn unused(name: &'static str) -> Finding {
    match locate::on_path(name) {
        Some(path) => Finding::info(name, format!("{}; not used by this version", path.display())),
        None => Finding::info(name, "not found; not used by this version"),
    }
}

async fn gdb() -> Finding {
    let Some(path) = locate::on_path("gdb") else {
        return Finding::info("gdb with DAP", "not found; not used by this version");
    };
    let printed = provision::ask(&path, &["--version"]).await.unwrap_or_default();
    let shown = path.display();
    let found = match gdb_version(&printed) {
        Some(version) if GDB_WITH_DAP <= version => {
            format!("{}.{} at {shown}; not used by this version", version.0, version.1)
        }
        Some(version) => {
            format!("{shown} is {}.{}, and 14 is the first", version.0, version.1)
        }
        None => format!("{shown} does not tell its version"),
    };
    Finding::info("gdb with DAP", found)
}

/// The last word of the first line: `GNU gdb (Debian 16.3-1) 16.3`.
fn gdb_version(printed: &str) -> Option<(u32, u32)> {
    parse_version(printed.lines().next()?.split_whitespace().next_back()?)
}

#[cfg(test)]
mod tests {
    use super::super::report::Mark;
    use super::*;

    #[test]
    fn the_right_to_trace_is_told_from_scope_and_capability() {
        let mark = |scope, may| judge_ptrace(scope, may).mark;

        assert_eq!((mark(None, false), mark(Some("0"), false)), (Mark::Ok, Mark::Ok));
        assert_eq!((mark(Some("1"), false), mark(Some("1"), true)), (Mark::Warn, Mark::Ok));
        assert_eq!(mark(Some("3"), true), Mark::Warn);
        assert!(may_trace_all("Name:\tx\nCapEff:\t000001ffffffffff\n"));
        assert!(!may_trace_all("CapEff:\t0000000000000000\n") && !may_trace_all(""));
    }

    #[test]
    fn the_version_of_gdb_is_the_last_word() {
        assert_eq!(gdb_version("GNU gdb (Debian 16.3-1) 16.3\nCopyright"), Some((16, 3)));
        assert_eq!(gdb_version("GNU gdb (GDB) 12.1"), Some((12, 1)));
        assert_eq!(gdb_version(""), None);
    }
}
