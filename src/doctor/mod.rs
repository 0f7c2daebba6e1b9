//! Looks at all that a server needs before it is missed: settings, Python and debugpy, debuggers,
//! folders, the port. Changes nothing.

mod access;
mod debuggers;
mod folders;
mod listen;
mod python;
mod report;

use report::{Finding, Mark};

use crate::config::Settings;

/// Looks and tells, as text or as JSON. True if nothing keeps a server from working.
pub async fn run(settings: &Settings, is_json: bool) -> bool {
    let config = &settings.config;
    let mut findings = vec![file(settings)];
    findings.extend(python::look(config).await);
    findings.extend(debuggers::look().await);
    findings.extend([
        folders::run_dir(config),
        folders::token(config),
        folders::state_dir(config),
        listen::address(config),
        access::tls(config),
        access::access(config),
        listen::open_files(),
    ]);
    match is_json {
        true => println!("{:#}", serde_json::json!({ "findings": findings })),
        false => report::print(&findings),
    }
    findings.iter().all(|finding| finding.mark != Mark::Fail)
}

fn file(settings: &Settings) -> Finding {
    let file = settings.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    if settings.problems.is_empty() {
        return match settings.has_file {
            true => Finding::ok("config", file),
            false => Finding::ok("config", format!("no file, and none is needed ({file})")),
        };
    }
    let wrong = settings.problems.iter().map(|problem| format!("mend {problem}"));
    let found = "wrong settings; in what follows, others stand in for them";
    wrong.fold(Finding::fail("config", found), Finding::remedy)
}
