//! The server speaks of RPCs; who uses the commands knows them by other names.

/// RPCs and the commands that do the same.
const COMMANDS: &[(&str, &str)] = &[
    ("Continue", "continue"),
    ("CreateSession", "start"),
    ("CreateSessionToken", "share"),
    ("DeleteSession", "stop --forget"),
    ("GetExceptionInfo", "snapshot"),
    ("GetInfo", "info --json"),
    ("GetOutput", "output"),
    ("GetSession", "status"),
    ("GetSnapshot", "snapshot"),
    ("GetStackTrace", "backtrace"),
    ("GetVariables", "locals"),
    ("ListAdapters", "adapters"),
    ("ListBreakpoints", "break list"),
    ("ListSessions", "sessions"),
    ("ListSessionTokens", "share list"),
    ("ListThreads", "threads"),
    ("Pause", "pause"),
    ("Restart", "run"),
    ("RevokeSessionToken", "share revoke"),
    ("SetExceptionBreakpoints", "break exceptions"),
    ("TerminateSession", "stop"),
    ("WaitForStop", "await"),
    ("WriteInput", "input"),
];

/// The same text with commands in place of RPCs.
pub fn in_commands(text: &str) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_alphanumeric()) {
        let length = rest[start..].find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let end = length.map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        told += &rest[..start];
        match COMMANDS.iter().find(|(rpc, _)| *rpc == word) {
            Some((_, command)) => told += &format!("`debug-relay {command}`"),
            None => told += word,
        }
        rest = &rest[end..];
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpcs_become_commands_and_all_else_stays() {
        let told = in_commands("Pause it, or WaitForStop until it stops (`timeout` 5 s). Paused ü");

        let expected = "`debug-relay pause` it, or `debug-relay await` until it stops (`timeout` 5 s). Paused ü";
        assert_eq!(told, expected);
    }

    #[test]
    fn every_rpc_in_the_table_is_one() {
        let contract = String::from_utf8_lossy(crate::proto::DESCRIPTORS);
        for (rpc, _) in COMMANDS {
            assert!(contract.contains(rpc), "{rpc}");
        }
    }
}
