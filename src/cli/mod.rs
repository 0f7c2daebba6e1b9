//! Commands for people and scripts, over gRPC only. Knows nothing of the server's insides.

mod arguments;
mod background;
mod connect;
mod context;
mod current;
mod failure;
mod json;
mod looking;
mod moving;
mod papers;
mod places;
mod points;
mod progress;
mod running;
mod sessions;
mod sharing;
mod show;
mod starting;
mod streams;
mod words;

use std::io::Write;

pub use arguments::{Command, Globals};
use context::Context;
use failure::{Failure, REFUSED, Result};
use moving::Moved;

/// Does what a command says, and answers with the exit code. `whole` is the command line that all
/// commands are part of.
pub fn run(globals: Globals, command: Command, whole: clap::Command) -> u8 {
    let is_json = globals.json;
    let done = match command {
        Command::Completions { shell } => print(papers::completions(whole, shell)),
        Command::Man { folder: None } => papers::manual(whole).map_err(failed).and_then(print),
        Command::Man { folder: Some(folder) } => {
            papers::manuals(whole, &folder).map_err(failed).map(|()| 0)
        }
        command => call(globals, command),
    };
    done.unwrap_or_else(|failure| tell(&failure, is_json))
}

fn call(globals: Globals, command: Command) -> Result<u8> {
    let context = Context::new(globals)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let done = runtime.block_on(carry_out(&context, command));
    // A read of standard input may still be under way, and is not waited for.
    runtime.shutdown_background();
    done
}

async fn carry_out(context: &Context, command: Command) -> Result<u8> {
    match command {
        Command::Start(wish) => starting::start(context, *wish).await,
        Command::Run(wish) => running::run(context, *wish).await,
        Command::Attach(wish) => starting::attach(context, wish).await,
        Command::Sessions(wish) => sessions::list(context, wish).await,
        Command::Status => sessions::status(context).await,
        Command::Break(wish) => points::run(context, wish).await,
        Command::Continue(how) => moving::go(context, Moved::Continue, how).await,
        Command::Next(steps) => moving::next(context, steps).await,
        Command::Step(steps) => moving::step(context, steps).await,
        Command::Finish(how) => moving::go(context, Moved::Finish, how).await,
        Command::Restart(how) => moving::restart(context, how).await,
        Command::Until(until) => moving::until(context, until).await,
        Command::Goto(goto) => moving::goto(context, goto).await,
        Command::Pause(how) => moving::go(context, Moved::Pause, how).await,
        Command::Await(wait) => moving::wait(context, wait).await,
        Command::Backtrace(wish) => looking::backtrace(context, wish).await,
        Command::Locals(wish) => looking::locals(context, wish).await,
        Command::Print(wish) => looking::print(context, wish).await,
        Command::Set(wish) => looking::set(context, wish).await,
        Command::Find(wish) => looking::find(context, wish).await,
        Command::Threads => looking::threads(context).await,
        Command::Snapshot(wish) => looking::snapshot(context, wish).await,
        Command::Output(wish) => streams::output(context, wish).await,
        Command::Input(wish) => streams::input(context, wish).await,
        Command::Events(wish) => streams::events(context, wish).await,
        Command::Trace(wish) => streams::trace(context, wish).await,
        Command::Detach => sessions::detach(context).await,
        Command::Stop(wish) => sessions::stop(context, wish).await,
        Command::Share(wish) => sharing::run(context, wish).await,
        Command::LogFilter { filter } => sharing::log_filter(context, filter).await,
        Command::Adapters => sessions::adapters(context).await,
        Command::Info => sessions::info(context).await,
        Command::Shutdown => sessions::shutdown(context).await,
        // They need neither settings nor a server.
        Command::Completions { .. } | Command::Man { .. } => Ok(0),
    }
}

fn print(content: Vec<u8>) -> Result<u8> {
    // Whoever reads may have had enough.
    let _ = std::io::stdout().write_all(&content);
    Ok(0)
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(REFUSED, error, "")
}

/// Says why, and what to do next.
fn tell(failure: &Failure, is_json: bool) -> u8 {
    let Failure { code, problem, hint, reason } = failure;
    let mut errors = anstream::stderr().lock();
    let _ = if is_json {
        let error = serde_json::json!({"error": problem, "hint": hint, "reason": reason});
        writeln!(errors, "{error}")
    } else {
        let (bad, warn) = (show::BAD, show::WARN);
        let hint = match hint.is_empty() {
            true => String::new(),
            false => format!("\n{warn}hint:{warn:#} {hint}"),
        };
        writeln!(errors, "{bad}debug-relay:{bad:#} {problem}{hint}")
    };
    *code
}
