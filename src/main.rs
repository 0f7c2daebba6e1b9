//! Picks a role: the server, a session's host, the guard of a program, or a small tool.

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use debug_relay::config::{AccessFlags, Flags, FolderFlags, Settings};
use debug_relay::telemetry::{self, LogOptions};
use debug_relay::{auth, build, cli, doctor, gateway, host};
use serde_json::json;

/// A gRPC service that gives programs a debugger.
#[derive(Parser)]
#[command(name = "debug-relay", bin_name = "debug-relay", version = build::line())]
struct Arguments {
    #[command(flatten)]
    globals: cli::Globals,
    #[command(subcommand)]
    role: Role,
}

#[derive(Subcommand)]
enum Role {
    /// Serve debugging sessions over gRPC.
    Serve(Flags),
    /// Print the token of the server on this machine, or make a named one.
    #[command(args_conflicts_with_subcommands = true)]
    Token {
        #[command(flatten)]
        folders: FolderFlags,
        #[command(subcommand)]
        action: Option<TokenAction>,
    },
    /// Check or show the settings that a server would have.
    Config {
        #[command(subcommand)]
        action: ConfigAction,
    },
    /// Look for what would keep a server from working, and say what to do about it.
    Doctor(Flags),
    #[command(flatten)]
    Cli(cli::Command),
    /// Hold one session (started by the server).
    #[command(hide = true)]
    Host(Box<host::HostOptions>),
    /// Wait for a session to hold (started by the server).
    #[command(hide = true)]
    Spare(Box<host::spare::SpareOptions>),
    /// Stand between a host and its program (started by the host).
    #[command(hide = true)]
    Guard {
        #[arg(long)]
        control: i32,
        /// The standard streams are a terminal that the program is to have as its own.
        #[arg(long)]
        terminal: bool,
        /// Bytes of address space for each process of the program.
        #[arg(long)]
        memory: Option<u64>,
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

#[derive(Subcommand)]
enum TokenAction {
    /// Make a named token: its hash goes into the access file, the token is printed once.
    New {
        #[command(flatten)]
        token: auth::NewNamedToken,
        #[command(flatten)]
        flags: AccessFlags,
    },
}

#[derive(Subcommand)]
enum ConfigAction {
    /// Say what is wrong with the settings, if anything is.
    Check(Flags),
    /// Print the settings that hold, as a config file, with where each came from.
    Show(Flags),
}

fn main() -> ExitCode {
    let Arguments { globals, role } = Arguments::parse();
    let done = match role {
        Role::Serve(flags) => serve(&flags),
        Role::Token { folders, action: None } => print_token(&folders, globals.json),
        Role::Token { action: Some(TokenAction::New { token, flags }), .. } => {
            make_token(&token, &flags.0, globals.json)
        }
        Role::Config { action: ConfigAction::Check(flags) } => check_settings(&flags, globals.json),
        Role::Config { action: ConfigAction::Show(flags) } => show_settings(&flags, globals.json),
        Role::Doctor(flags) => return examine(&flags, globals.json),
        Role::Cli(command) => {
            return ExitCode::from(cli::run(globals, command, Arguments::command()));
        }
        Role::Host(options) => {
            let logs = options.logs.clone();
            hold_session(&logs, host::run(*options, None))
        }
        Role::Spare(options) => {
            let logs = options.logs.clone();
            hold_session(&logs, host::spare::run(*options))
        }
        Role::Guard { control, terminal, memory, command } => {
            host::guard::run(control, terminal, memory, &command).map_err(|error| error.to_string())
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

fn serve(flags: &Flags) -> Result<(), String> {
    let config = Settings::load(flags).checked().map_err(|problems| problems.to_string())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let logs = LogOptions { log: config.log.clone(), log_format: config.log_format };
    let exporter = {
        let _entered = runtime.enter();
        telemetry::start(&logs, config.otlp_endpoint.as_deref())?
    };
    let served = runtime.block_on(gateway::run(config)).map_err(|error| error.to_string());
    exporter.into_iter().for_each(telemetry::Exporter::end);
    served
}

fn check_settings(flags: &Flags, is_json: bool) -> Result<(), String> {
    let settings = Settings::load(flags);
    if is_json {
        let problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
        println!("{:#}", json!({ "problems": problems }));
    }
    let fine = match &settings.file {
        Some(file) if settings.has_file => format!("{} is fine", file.display()),
        Some(file) => format!("all is fine; there is no {}", file.display()),
        None => "all is fine; there is no config file".into(),
    };
    settings.checked().map_err(|problems| problems.to_string())?;
    if !is_json {
        println!("{fine}");
    }
    Ok(())
}

fn show_settings(flags: &Flags, is_json: bool) -> Result<(), String> {
    let settings = Settings::load(flags);
    let shown = match is_json {
        true => format!("{:#}\n", settings.show_json()),
        false => settings.show(),
    };
    settings.checked().map_err(|problems| problems.to_string())?;
    // Whoever reads may have had enough.
    let _ = std::io::stdout().write_all(shown.as_bytes());
    Ok(())
}

fn examine(flags: &Flags, is_json: bool) -> ExitCode {
    let settings = Settings::load(flags);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let is_well = runtime.is_ok_and(|runtime| runtime.block_on(doctor::run(&settings, is_json)));
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn hold_session(
    logs: &LogOptions,
    session: impl Future<Output = std::io::Result<()>>,
) -> Result<(), String> {
    // A session of its own, so that signals for the server's terminal do not reach it.
    let _ = rustix::process::setsid();
    telemetry::start(logs, None)?;
    // One thread is faster here than two, and the program's guard must be started from a thread
    // that lives as long as the host.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(session).map_err(|error| error.to_string())
}

fn make_token(new: &auth::NewNamedToken, flags: &Flags, is_json: bool) -> Result<(), String> {
    let config = Settings::load(flags).checked().map_err(|problems| problems.to_string())?;
    let Some(path) = &config.access else {
        return Err("there is no access file: set `access` in the config file, or give \
                    --access FILE, and start the server with the same"
            .into());
    };
    let token = auth::add_named_token(path, new)?;
    match is_json {
        true => println!("{}", json!({ "token": token, "access": path })),
        false => println!("{token}"),
    }
    eprintln!(
        "debug-relay: its hash is in {}; a server that runs reads it after SIGHUP",
        path.display()
    );
    Ok(())
}

fn print_token(flags: &FolderFlags, is_json: bool) -> Result<(), String> {
    let run_dir = Settings::load(&flags.0).run_dir().map_err(|problems| problems.to_string())?;
    let token = auth::read_token(&run_dir).map_err(|error| {
        format!(
            "no token in {} ({error}); `debug-relay serve` makes one at its first start",
            run_dir.display()
        )
    })?;
    match is_json {
        true => println!("{}", json!({ "token": token })),
        false => println!("{token}"),
    }
    Ok(())
}
