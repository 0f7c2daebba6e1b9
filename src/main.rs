//! Picks a role: the server, a session's host, the guard of a program, or a small tool.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use debug_relay::telemetry::{self, LogFormat};
use debug_relay::{auth, config, gateway, host};

/// A gRPC service that gives programs a debugger.
#[derive(Parser)]
#[command(name = "debug-relay", version)]
struct Arguments {
    #[command(subcommand)]
    role: Role,
}

#[derive(Subcommand)]
enum Role {
    /// Serve debugging sessions over gRPC.
    Serve {
        #[command(flatten)]
        options: gateway::ServeOptions,
        /// How logs are written to standard error.
        #[arg(long, value_enum, default_value = "text", env = "DEBUG_RELAY_LOG_FORMAT")]
        log_format: LogFormat,
    },
    /// Print the token of the server on this machine.
    Token {
        #[command(flatten)]
        folders: config::Folders,
    },
    /// Hold one session (started by the server).
    #[command(hide = true)]
    Host(host::HostOptions),
    /// Stand between a host and its program (started by the host).
    #[command(hide = true)]
    Guard {
        #[arg(long)]
        control: i32,
        /// The standard streams are a terminal that the program is to have as its own.
        #[arg(long)]
        terminal: bool,
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().role {
        Role::Serve { options, log_format } => serve(options, log_format),
        Role::Token { folders } => print_token(&folders),
        Role::Host(options) => hold_session(options),
        Role::Guard { control, terminal, command } => {
            host::guard::run(control, terminal, &command).map_err(|error| error.to_string())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("debug-relay: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn serve(options: gateway::ServeOptions, log_format: LogFormat) -> Result<(), String> {
    telemetry::start(log_format);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(gateway::run(options)).map_err(|error| error.to_string())
}

fn hold_session(options: host::HostOptions) -> Result<(), String> {
    // A session of its own, so that signals for the server's terminal do not reach it.
    let _ = rustix::process::setsid();
    telemetry::start(LogFormat::Text);
    // One thread is faster here than two, and the program's guard must be started from a thread
    // that lives as long as the host.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(host::run(options)).map_err(|error| error.to_string())
}

fn print_token(folders: &config::Folders) -> Result<(), String> {
    let run_dir = folders.run_dir();
    let token = auth::read_token(&run_dir).map_err(|error| {
        format!(
            "no token in {} ({error}); `debug-relay serve` makes one at its first start",
            run_dir.display()
        )
    })?;
    println!("{token}");
    Ok(())
}
