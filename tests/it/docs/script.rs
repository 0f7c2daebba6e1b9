//! The `sh` blocks of a page as one script, run by somebody with a project folder and a server.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::shown;
use crate::cli::user::User;
use crate::readme::page::{self, Block};
use crate::support::LIMIT;

/// A page makes many calls.
const PAGE_LIMIT: Duration = Duration::from_secs(3 * LIMIT.as_secs());

/// Stands between what two blocks print.
const MARK: char = '\u{1e}';

/// A block to run, and what the page shows of what it prints.
struct Part {
    text: String,
    shown: Option<Block>,
}

pub struct Script(Vec<Part>);

impl Script {
    /// A `text` or `js` block right after a `sh` block is what that prints.
    pub fn of(blocks: &[Block]) -> Self {
        let shown = |index: usize| {
            let next = blocks.get(index + 1)?;
            let is_shown = next.is_adjacent && ["text", "js"].contains(&next.language.as_str());
            is_shown.then(|| next.clone())
        };
        let commands = blocks.iter().enumerate().filter(|(_, block)| block.language == "sh");
        Self(commands.map(|(at, it)| Part { text: it.text.clone(), shown: shown(at) }).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the blocks in order, and tells what did not come out as shown.
    pub async fn run(&self) -> Vec<String> {
        let reader = Reader::new();
        let folder = tempfile::tempdir().unwrap();
        let [out, errors] = ["out", "errors"].map(|name| folder.path().join(name));

        let mut command = reader.bash(&self.text());
        command.stdout(std::fs::File::create(&out).unwrap());
        command.stderr(std::fs::File::create(&errors).unwrap());
        let mut bash = tokio::process::Command::from(command).spawn().unwrap();
        let group = Pid::from_raw(bash.id().unwrap() as i32).unwrap();
        let ended = tokio::time::timeout(PAGE_LIMIT, bash.wait()).await;
        // What a page leaves running in the background ends with it.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);

        let [out, errors] = [out, errors].map(|it| std::fs::read_to_string(it).unwrap());
        let how = match ended {
            Ok(status) => status.unwrap().to_string(),
            Err(_) => format!("did not end within {PAGE_LIMIT:?}"),
        };
        self.problems(&how, &out, &errors)
    }

    fn text(&self) -> String {
        let mut text = helper();
        for (number, part) in self.0.iter().enumerate() {
            text +=
                &format!("printf '\\n{MARK}{number}\\n'; printf '\\n{MARK}\\n' >&2\n{}", part.text);
        }
        text + &format!("printf '\\n{MARK}\\n'\n")
    }

    fn problems(&self, how: &str, out: &str, errors: &str) -> Vec<String> {
        let printed: Vec<&str> = pieces(out);
        let mut problems = Vec::new();
        for (part, printed) in self.0.iter().zip(&printed) {
            let wrong = part.shown.as_ref().and_then(|shown| shown::problem(shown, printed));
            problems
                .extend(wrong.map(|it| format!("{it}\nand these print\n{printed}\n{}", part.text)));
        }
        if printed.len() <= self.0.len() {
            let last = printed.len().saturating_sub(1);
            let said = pieces(errors).get(last).copied().unwrap_or_default();
            problems.push(format!(
                "{how}: {}\n{said}\n{}",
                self.0[last].text,
                printed.get(last).copied().unwrap_or_default()
            ));
        }
        problems
    }
}

/// What was printed after each mark.
fn pieces(printed: &str) -> Vec<&str> {
    let mark = format!("\n{MARK}");
    let pieces = printed.split(mark.as_str()).skip(1);
    pieces.map(|piece| piece.split_once('\n').map_or("", |(_, rest)| rest)).collect()
}

/// `relay`, which the README defines and the pages use.
fn helper() -> String {
    let blocks = page::blocks(&page::read());
    let block = blocks.into_iter().find(|it| it.language == "sh" && it.text.contains("relay() {"));
    block.expect("the README defines relay").text
}

/// Somebody who reads a page, with the examples in the project folder and a server that runs.
struct Reader {
    server: Child,
    address: String,
    user: User,
}

impl Reader {
    fn new() -> Self {
        let user = User::new();
        user.copy_examples();
        let serve = user.command(&["serve"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = serve.unwrap();
        let mut greeting = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut next = |sign: &str| {
            let line = greeting.find_map(|line| line.ok().filter(|line| line.contains(sign)));
            line.expect("a server that greets")
        };
        let address = next(" listens on ").rsplit(' ').next().unwrap().to_owned();
        next("  try ");
        Self { server, address, user }
    }

    fn bash(&self, script: &str) -> Command {
        let mut command = self.user.bash(script);
        command.env("DEBUG_RELAY_LISTEN", &self.address).process_group(0);
        command
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.user.command(&["stop", "--all", "--forget"]).output();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
