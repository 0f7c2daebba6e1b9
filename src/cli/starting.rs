//! Commands that make a session.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use super::arguments::{Attach, Children, NewSession, Program, Start, Waiting};
use super::context::{Context, call, span};
use super::failure::{Failure, Result};
use super::moving::verdict;
use super::places::Place;
use super::progress::watched;
use super::show::{self, Detail};
use crate::id::SessionId;
use crate::proto::attach_config::Target as AttachTarget;
use crate::proto::create_session_request::Start as Begin;
use crate::proto::launch_config::Target;
use crate::proto::*;

const FIRST_STOP: Duration = Duration::from_secs(30);

pub async fn start(context: &Context, start: Start) -> Result<u8> {
    let has_points = !start.program.breakpoints.is_empty();
    let mut request = request(context, &start.program)?;
    if let Some(Begin::Launch(launch)) = &mut request.start {
        launch.stop_on_entry = start.stop_on_entry || !has_points;
    }
    let timeout = start.how.timeout.unwrap_or(FIRST_STOP);
    request.wait = Some(waiting(&start.how, Some(timeout)));
    create(context, request, timeout).await
}

pub async fn attach(context: &Context, attach: Attach) -> Result<u8> {
    let endpoint = |text: &str| {
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let port = port.parse();
        let port = port.map_err(|_| Failure::usage(format!("`{text}` is not [HOST:]PORT")))?;
        Ok::<_, Failure>(Endpoint { host: host.into(), port })
    };
    let target = match (attach.target.pid, &attach.target.connect, &attach.target.listen) {
        (Some(pid), ..) => AttachTarget::ProcessId(pid),
        (_, Some(text), _) => AttachTarget::Connect(endpoint(text)?),
        (_, _, Some(text)) => AttachTarget::Listen(endpoint(text)?),
        (None, None, None) => return Err(Failure::usage("name a process")),
    };
    let mut request = named(context, &attach.session)?;
    request.breakpoints = specs(context, &attach.breakpoints)?;
    request.start = Some(Begin::Attach(AttachConfig {
        target: Some(target),
        just_my_code: attach.all_code.then_some(false),
        ..Default::default()
    }));
    request.wait = Some(waiting(&attach.how, attach.how.timeout));
    create(context, request, attach.how.timeout.unwrap_or_default()).await
}

async fn create(context: &Context, request: CreateSessionRequest, wait: Duration) -> Result<u8> {
    let server = context.server_or_new_one().await?;
    let mut sessions = server.sessions();
    let asked = sessions.create_session(call(request, wait));
    let answer = watched("the program starts", Some(&server), asked).await?.into_inner();
    let session = answer.session.clone().unwrap_or_default();
    context.remember(&session.id);
    for warning in &answer.warnings {
        context.remark(warning);
    }
    let outcome = answer.outcome.clone().unwrap_or_default();
    context.print(&answer, || {
        let troubled = answer.breakpoints.iter().filter(|point| !point.message.is_empty());
        let troubled: String = troubled.map(show::breakpoint).collect();
        troubled + &show::outcome(&outcome, Detail::Full)
    });
    if !context.globals.json {
        let restored = answer.breakpoints.iter().filter(|point| point.restored != 0).count();
        let restored = match restored {
            0 => String::new(),
            count => format!("; breakpoints of earlier sessions: {count} (--fresh begins without)"),
        };
        context.remark(&format!("session {}{restored}", session.id));
    }
    Ok(verdict(&outcome, wait))
}

fn waiting(how: &Waiting, timeout: Option<Duration>) -> WaitOptions {
    let expressions = how.expressions.clone();
    let snapshot = SnapshotOptions { expressions, ..Default::default() };
    WaitOptions { timeout: timeout.and_then(span), snapshot: Some(snapshot) }
}

/// A session without a program.
fn named(context: &Context, session: &NewSession) -> Result<CreateSessionRequest> {
    let root = match &session.root {
        Some(root) => context.here.join(root),
        None => context.here.clone(),
    };
    Ok(CreateSessionRequest {
        // Chosen here, so that the first call can name it.
        session_id: match &session.id {
            Some(id) => id.clone(),
            None => SessionId::random().map_err(Failure::usage)?.to_string(),
        },
        project_root: text(&root)?,
        name: session.name.clone().unwrap_or_default(),
        labels: session.labels.iter().cloned().collect(),
        restore_breakpoints: session.fresh.then_some(false),
        ..Default::default()
    })
}

/// A session with this program.
pub fn request(context: &Context, program: &Program) -> Result<CreateSessionRequest> {
    let mut words = program.words.clone();
    let target = match (&program.module, &program.code) {
        (Some(module), _) => Target::Module(module.clone()),
        (_, Some(code)) => Target::Code(code.clone()),
        (None, None) if words.is_empty() => {
            let problem = "name a program: a file, -m MODULE or --code TEXT";
            return Err(Failure::usage(problem));
        }
        (None, None) => Target::Program(text(&context.here.join(words.remove(0)))?),
    };
    let cwd =
        program.cwd.as_ref().map_or_else(|| context.here.clone(), |cwd| context.here.join(cwd));
    let children = match program.children {
        Children::Follow => ChildPolicy::Follow,
        Children::Free => ChildPolicy::RunFree,
        Children::Stop => ChildPolicy::StopAtStart,
    };
    let launch = LaunchConfig {
        target: Some(target),
        args: words,
        cwd: text(&cwd)?,
        env: program.environment.iter().cloned().collect(),
        python: program.python.clone().unwrap_or_default(),
        just_my_code: program.all_code.then_some(false),
        children: children.into(),
        console: if program.tty { Console::Pty } else { Console::Unspecified }.into(),
        stdin: program.stdin.as_deref().map(input).transpose()?.map(Into::into),
        ..Default::default()
    };
    let mut request = named(context, &program.session)?;
    request.breakpoints = specs(context, &program.breakpoints)?;
    request.exception_breakpoints = exceptions(program);
    request.start = Some(Begin::Launch(launch));
    Ok(request)
}

fn specs(context: &Context, places: &[Place]) -> Result<Vec<BreakpointSpec>> {
    let specs = places.iter().map(|place| place.spec(&context.here, None));
    specs.collect::<Result<_, _>>().map_err(Failure::usage)
}

/// None leaves it to the server, which stops at uncaught ones.
fn exceptions(program: &Program) -> Option<ExceptionBreakpoints> {
    if program.raised.is_none() && !program.no_uncaught {
        return None;
    }
    let filter = |name: &str, condition: &str| ExceptionFilter {
        filter: name.into(),
        condition: condition.into(),
    };
    let raised = program.raised.iter().map(|classes| filter("raised", classes));
    let uncaught = (!program.no_uncaught).then(|| filter("uncaught", ""));
    Some(ExceptionBreakpoints { filters: raised.chain(uncaught).collect() })
}

fn input(path: &Path) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = match path.to_str() {
        Some("-") => std::io::stdin().read_to_end(&mut content).map(|_| content),
        _ => std::fs::read(path),
    };
    read.map_err(|error| Failure::usage(format!("{} cannot be read: {error}", path.display())))
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.ok_or_else(|| Failure::usage(format!("{} is no UTF-8", path.display())))
}
