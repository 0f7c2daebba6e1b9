//! Which debugger of the system puts debugpy into a process that runs already. Runs none.

use std::path::{Path, PathBuf};

/// Before this version, gdb writes too few of the registers of a processor with AMX, and the process
/// that it meant to call into goes on with an error it should never see, or dies. Seen with gdb 13.1.
const GDB_WITH_AMX: (u32, u32) = (14, 0);

/// A debugger that can do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injector {
    /// As our launcher knows it.
    pub kind: &'static str,
    pub path: PathBuf,
}

/// What there is on this machine.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    pub gdb: Option<PathBuf>,
    /// What that gdb prints when it is asked for its version.
    pub gdb_says: String,
    pub lldb: Option<PathBuf>,
    /// What the system tells of its processors.
    pub processors: String,
}

impl Tools {
    /// gdb if it can be trusted, else lldb; or why neither will do, and what to do about it.
    pub fn choose(&self) -> Result<Injector, (String, String)> {
        let injector = |kind, path: &Path| Injector { kind, path: path.to_owned() };
        let is_harmful = self.is_gdb_harmful();
        match (&self.gdb, &self.lldb) {
            (Some(gdb), _) if !is_harmful => Ok(injector("gdb", gdb)),
            (_, Some(lldb)) => Ok(injector("lldb", lldb)),
            (Some(gdb), None) => Err((
                format!("{} cannot write the registers of this processor (AMX)", gdb.display()),
                "install lldb (on Debian and Ubuntu: apt install lldb), or gdb 14".into(),
            )),
            (None, None) => Err((
                "there is neither gdb nor lldb on the PATH, and a process id needs one".into(),
                "install gdb (on Debian and Ubuntu: apt install gdb)".into(),
            )),
        }
    }

    /// A version that is not told is taken for a new one.
    fn is_gdb_harmful(&self) -> bool {
        let has_amx = self.processors.split_whitespace().any(|flag| flag == "amx_tile");
        has_amx && gdb_version(&self.gdb_says).is_some_and(|version| version < GDB_WITH_AMX)
    }
}

/// The last word of the first line: `GNU gdb (Debian 16.3-1) 16.3`.
pub fn gdb_version(printed: &str) -> Option<(u32, u32)> {
    parse_version(printed.lines().next()?.split_whitespace().next_back()?)
}

/// The first two numbers of a version.
pub fn parse_version(text: &str) -> Option<(u32, u32)> {
    // Packagers add words of their own: 10.2-13.el9.
    let digits = |part: &str| {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    };
    let mut numbers = text.trim().split('.');
    Some((digits(numbers.next()?)?, digits(numbers.next()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(gdb: Option<&str>, lldb: bool, processors: &str) -> Result<&'static str, String> {
        let tools = Tools {
            gdb: gdb.map(|_| "/usr/bin/gdb".into()),
            gdb_says: format!("GNU gdb (Debian) {}\nCopyright", gdb.unwrap_or_default()),
            lldb: lldb.then(|| "/usr/bin/lldb".into()),
            processors: processors.into(),
        };
        tools.choose().map(|injector| injector.kind).map_err(|(problem, _)| problem)
    }

    #[test]
    fn a_gdb_that_would_harm_the_program_is_not_taken() {
        let amx = "flags : sse amx_bf16 amx_tile avx";

        assert_eq!(chosen(Some("13.1"), true, "flags : sse avx"), Ok("gdb"));
        assert_eq!(chosen(Some("13.1"), true, amx), Ok("lldb"));
        assert_eq!(chosen(Some("16.3"), true, amx), Ok("gdb"));
        assert_eq!(chosen(None, true, ""), Ok("lldb"));
        assert!(chosen(Some("13.1"), false, amx).unwrap_err().contains("AMX"));
        assert!(chosen(None, false, "").unwrap_err().contains("neither"));
    }

    #[test]
    fn the_version_of_gdb_is_the_last_word() {
        assert_eq!(gdb_version("GNU gdb (Debian 16.3-1) 16.3\nCopyright"), Some((16, 3)));
        assert_eq!(gdb_version("GNU gdb (GDB) 12.1"), Some((12, 1)));
        let red_hat = "GNU gdb (GDB) Red Hat Enterprise Linux 10.2-13.el9\nCopyright";
        assert_eq!(gdb_version(red_hat), Some((10, 2)));
        assert_eq!(gdb_version(""), None);
    }
}
