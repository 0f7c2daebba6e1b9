//! Debuggers beside debugpy: the one that puts it into a running process, the right to do so, and
//! those that this version does not use.

use super::report::Finding;
use crate::adapters::inject::{self, gdb_version};
use crate::adapters::locate;
use crate::gateway::provision;

const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";
/// The bit of CAP_SYS_PTRACE.
const SYS_PTRACE: u32 = 19;
/// The first gdb that speaks DAP.
const GDB_WITH_DAP: (u32, u32) = (14, 0);

pub async fn look() -> Vec<Finding> {
    let mut findings = vec![injector().await, ptrace()];
    findings.extend(["lldb-dap", "dlv"].map(unused));
    findings.push(gdb().await);
    findings
}

async fn injector() -> Finding {
    let gdb = locate::on_path("gdb");
    let gdb_says = match &gdb {
        Some(gdb) => provision::ask(gdb, &["--version"]).await.unwrap_or_default(),
        None => String::new(),
    };
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let tools = inject::Tools { gdb, gdb_says, lldb: locate::on_path("lldb"), processors };
    match tools.choose() {
        Ok(injector) => Finding::ok("attach", format!("with {}", injector.path.display())),
        Err((problem, remedy)) => Finding::warn("attach", problem).remedy(remedy),
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
}
