//! A host that waits for its session, with an interpreter that waits for its program: debugpy is
//! imported and connected, so that a start takes milliseconds. Ends with the server that started it.

use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::Receiver;
use tokio::net::{TcpListener, UnixListener, UnixStream};

use super::dialler::Family;
use super::processes::{Prepared, prepare};
use super::serve::{self, HostOptions, Rules};
use super::{dial, os};
use crate::adapters::debugpy::{self, Dial};
use crate::id;
use crate::session::{Console, Entrance, ProgramCommand, WarmStart};
use crate::telemetry::LogOptions;

/// A cold interpreter on a busy machine.
const READY_LIMIT: Duration = Duration::from_secs(30);
/// An interpreter that waits takes its orders at once.
const ORDER_LIMIT: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, clap::Args)]
pub struct SpareOptions {
    /// A folder of its own, which it removes.
    #[arg(long)]
    pub folder: PathBuf,
    /// The folder that holds the debugpy package.
    #[arg(long)]
    pub debugpy: PathBuf,
    /// The interpreter that waits.
    #[arg(long)]
    pub python: PathBuf,
    #[command(flatten)]
    pub rules: Rules,
    #[command(flatten)]
    pub logs: LogOptions,
}

/// An interpreter that waits for its program. Dropping it ends it.
pub struct Spare {
    python: PathBuf,
    debugpy: PathBuf,
    program: Prepared,
    /// The launcher, which waits for a line.
    launcher: BufReader<UnixStream>,
    /// Where it has dialled, and where its children will.
    listener: TcpListener,
    port: u16,
    secret: String,
}

/// Waits for a session to hold, and holds it to its end. What it is comes on standard input, as one
/// line; the end of that means that there will be none.
pub async fn run(options: SpareOptions) -> std::io::Result<()> {
    options.rules.hold();
    os::name_process();
    os::adopt_orphans()?;
    let orders = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::io::ioctl_fionbio(&orders, true)?;
    let mut orders = BufReader::new(Receiver::from_owned_fd(orders)?);
    let mut line = String::new();

    let spare = tokio::select! {
        spare = Spare::start(&options) => spare,
        // Nothing is said before it is ready, so the server is gone.
        _ = orders.read_line(&mut line) => Err(std::io::ErrorKind::BrokenPipe.into()),
    };
    let _ = std::fs::remove_dir_all(&options.folder);
    let mut spare = match spare {
        Ok(spare) => spare,
        Err(error) => return end(error).await,
    };
    serve::announce();
    tokio::select! {
        read = orders.read_line(&mut line) => drop(read?),
        // Without it there is nothing to wait with; the server starts another.
        () = spare.program.ended() => {}
    }
    if !line.ends_with('\n') {
        drop(spare);
        return end(std::io::ErrorKind::BrokenPipe.into()).await;
    }
    let options: HostOptions = serde_json::from_str(&line)?;
    serve::run(options, Some(spare)).await
}

/// Ends whatever was started for nobody.
async fn end(why: std::io::Error) -> std::io::Result<()> {
    let _ = tokio::task::spawn_blocking(os::kill_descendants).await;
    match why.kind() {
        std::io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(why),
    }
}

impl Spare {
    async fn start(options: &SpareOptions) -> std::io::Result<Self> {
        let (listener, port) = dial::listen().await?;
        let secret = id::random_secret().map_err(std::io::Error::other)?;
        let (folder, socket) = (&options.folder, options.folder.join("s"));
        let door = UnixListener::bind(&socket)?;
        let dial = Dial { port, secret: &secret, debugpy: &options.debugpy };
        let (launcher, plan) = (folder.join(debugpy::LAUNCHER_NAME), folder.join("spare.json"));
        std::fs::write(&launcher, debugpy::LAUNCHER)?;
        std::fs::write(&plan, debugpy::spare_plan(&dial, &socket).to_string())?;
        let command = ProgramCommand {
            words: debugpy::command(&options.python, &[], &launcher, &plan),
            cwd: "/".into(),
            environment: environment(),
            console: Console::Pipes,
            warm: None,
        };
        let mut program = prepare(&command).await.map_err(std::io::Error::other)?;
        let ready = tokio::time::timeout(READY_LIMIT, async {
            tokio::select! {
                launcher = hear(&door) => launcher,
                () = program.ended() => Err(std::io::Error::other("the interpreter ended")),
            }
        });
        let ready = ready.await;
        let launcher = ready.map_err(|_| std::io::ErrorKind::TimedOut)??;
        let (python, debugpy) = (options.python.clone(), options.debugpy.clone());
        Ok(Self { python, debugpy, program, launcher, listener, port, secret })
    }

    /// Has it run a program. None if it is not the right interpreter for it, or does not take its
    /// orders: then it is ended.
    pub async fn run(
        mut self,
        command: &ProgramCommand,
        warm: &WarmStart,
        entrance: Entrance,
        family: Family,
    ) -> Option<Prepared> {
        if self.python != warm.python {
            return None;
        }
        let dial = Dial { port: self.port, secret: &self.secret, debugpy: &self.debugpy };
        let (cwd, environment) = (&command.cwd, &command.environment);
        let orders = debugpy::spare_orders(&dial, &warm.target, &warm.arguments, cwd, environment);
        let told = self.tell(format!("{orders}\n"));
        if !matches!(tokio::time::timeout(ORDER_LIMIT, told).await, Ok(Ok(()))) {
            tracing::warn!("the interpreter that waited did not take its orders");
            return None;
        }
        // From here on it is the program: a module of it may be long in coming.
        let mut word = String::new();
        let _ = tokio::time::timeout(READY_LIMIT, self.launcher.read_line(&mut word)).await;
        tokio::spawn(dial::welcome(self.listener, Some(self.secret), entrance, family));
        Some(self.program)
    }

    /// Returns when the orders are taken.
    async fn tell(&mut self, orders: String) -> std::io::Result<()> {
        self.launcher.get_mut().write_all(orders.as_bytes()).await?;
        let mut answer = String::new();
        match self.launcher.read_line(&mut answer).await? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// Waits for the launcher to say that it is ready.
async fn hear(door: &UnixListener) -> std::io::Result<BufReader<UnixStream>> {
    let (stream, _) = door.accept().await?;
    let mut launcher = BufReader::new(stream);
    let mut line = String::new();
    launcher.read_line(&mut line).await?;
    match line.trim() {
        "ready" => Ok(launcher),
        _ => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}

fn environment() -> Vec<(String, String)> {
    let own = debugpy::ENVIRONMENT.iter();
    own.map(|(name, value)| (name.to_string(), value.to_string())).collect()
}
