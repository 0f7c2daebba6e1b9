//! The place for one session in its host: it is empty until CreateSession, and closed when the
//! session is deleted, forgotten, or could not be made.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Mutex, watch};

use super::startup::LaunchPlan;
use super::{AskedBreakpoint, AttachPlan, Facts, Programs, Session, Wait};
use crate::adapters;
use crate::adapters::debugpy::Target;
use crate::confines;
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::proto::{Breakpoint, ExceptionFilter, Outcome, SessionState};

/// What the host knows before there is a session.
pub struct Settings {
    pub id: SessionId,
    pub folder: PathBuf,
    /// Where the story of the session is kept.
    pub archive: PathBuf,
    pub owner: String,
    /// Where the breakpoints of projects are kept.
    pub state_dir: PathBuf,
    pub debugpy: PathBuf,
    pub default_python: PathBuf,
    pub dial_port: u16,
    pub dial_secret: String,
}

/// A session to be made, as far as the request alone tells.
pub struct CreatePlan {
    pub project_root: String,
    pub name: String,
    pub adapter: String,
    pub labels: HashMap<String, String>,
    pub breakpoints: Vec<AskedBreakpoint>,
    pub exception_filters: Option<Vec<ExceptionFilter>>,
    pub start: Option<StartWish>,
    pub wait: Wait,
    pub idle_timeout: Duration,
    pub lease: Option<Lease>,
    pub request_id: String,
    pub restores_breakpoints: bool,
}

/// What is to happen when nobody has called for some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    pub time: Duration,
    pub then: OwnerLoss,
}

/// What happens to a program whose owner is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerLoss {
    /// It runs on whenever it stops, until somebody calls again.
    Resume,
    Terminate,
}

/// How the session gets its program.
pub enum StartWish {
    Launch(LaunchWish),
    Attach(AttachPlan),
}

/// A launch as far as the request alone tells.
pub struct LaunchWish {
    pub plan: LaunchPlan,
    pub python: String,
    pub cwd: String,
}

/// A session that was made.
pub struct Created {
    pub session: Session,
    pub breakpoints: Vec<Breakpoint>,
    pub outcome: Option<Outcome>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// The session in this host, if there is one yet.
#[derive(Clone)]
pub struct Occupant {
    pub session: Session,
    pub idle_timeout: Duration,
    pub lease: Option<Lease>,
    request_id: String,
}

/// How the room was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The session is over, and can be read by whoever comes later.
    Kept,
    /// Nothing of it is to be left.
    Forgotten,
}

pub struct Room {
    settings: Settings,
    programs: Arc<dyn Programs>,
    occupant: watch::Sender<Option<Occupant>>,
    closed: watch::Sender<Option<Closed>>,
    creating: Mutex<()>,
}

impl Room {
    pub fn new(settings: Settings, programs: Arc<dyn Programs>) -> Self {
        Self {
            settings,
            programs,
            occupant: watch::Sender::default(),
            closed: watch::Sender::default(),
            creating: Mutex::default(),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The session, which must be the one that the caller names. Counts as a call to it.
    pub fn session(&self, id: &str) -> Result<Session> {
        let session = self.peek(id)?;
        session.touch();
        Ok(session)
    }

    /// The same, without keeping an idle session alive.
    pub fn peek(&self, id: &str) -> Result<Session> {
        if id.is_empty() {
            return Err(Error::MissingField { field: "session_id" });
        }
        let occupant = self.occupant.borrow();
        let session = occupant
            .as_ref()
            .map(|occupant| &occupant.session)
            .filter(|session| session.id().as_str() == id);
        let session = session.ok_or_else(|| Error::SessionNotFound { session: id.into() })?;
        Ok(session.clone())
    }

    /// The same, waiting for a session that is just being made.
    pub async fn peek_when_there(&self, id: &str) -> Result<Session> {
        tokio::select! {
            _ = self.occupied() => {}
            () = self.closing() => {}
        }
        self.peek(id)
    }

    /// Makes the session, and starts and waits as the plan says. When anything is refused, nothing
    /// remains and the room closes. The same request again is answered with the same session.
    pub async fn create(self: &Arc<Self>, plan: Result<CreatePlan>) -> Result<Created> {
        let room = Arc::clone(self);
        // In a task of its own: a caller who goes away leaves nothing half done.
        let created = tokio::spawn(async move { room.create_or_repeat(plan).await }).await;
        created.unwrap_or_else(|panic| Err(Error::internal(panic)))
    }

    async fn create_or_repeat(&self, plan: Result<CreatePlan>) -> Result<Created> {
        let _one_at_a_time = self.creating.lock().await;
        if self.closed.borrow().is_some() {
            return Err(Error::HostUnavailable {
                session: self.settings.id.clone(),
                problem: "the session was refused to whoever asked before, and it ends".into(),
            });
        }
        let occupant = self.occupant.borrow().clone();
        match (plan, occupant) {
            (Ok(plan), None) => {
                let created = self.open(plan).await;
                if created.is_err() {
                    self.abandon().await;
                }
                created
            }
            (Err(error), None) => {
                self.close(Closed::Forgotten);
                Err(error)
            }
            (Ok(plan), Some(occupant))
                if !plan.request_id.is_empty() && plan.request_id == occupant.request_id =>
            {
                repeat(occupant.session, &plan.wait).await
            }
            (_, Some(occupant)) => {
                Err(Error::SessionExists { session: occupant.session.id().clone() })
            }
        }
    }

    /// Nothing more is to happen here: the host ends. What is to be forgotten stays so.
    pub fn close(&self, how: Closed) {
        self.closed.send_if_modified(|closed| {
            let is_news = *closed != Some(Closed::Forgotten);
            *closed = if is_news { Some(how) } else { *closed };
            is_news
        });
    }

    /// Brings the story of the session to disk, or takes it away, as the room was closed.
    pub async fn leave(&self) {
        let occupant = self.occupant.borrow().clone();
        let closed = *self.closed.borrow();
        match (closed, occupant) {
            (Some(Closed::Kept) | None, Some(occupant)) => occupant.session.keep_last().await,
            (Some(Closed::Forgotten), _) | (_, None) => {
                let _ = std::fs::remove_dir_all(&self.settings.archive);
            }
        }
    }

    /// Returns when all processes are let run, or left.
    pub async fn calmed(&self) {
        let occupant = self.occupant.borrow().clone();
        if let Some(occupant) = occupant {
            occupant.session.calmed().await;
        }
    }

    /// The program was detached from, and lives on.
    pub fn let_go(&self) -> bool {
        let occupant = self.occupant.borrow();
        occupant.as_ref().is_some_and(|occupant| occupant.session.has_released())
    }

    pub async fn closing(&self) {
        let _ = self.closed.subscribe().wait_for(Option::is_some).await;
    }

    /// The session, once there is one.
    pub async fn occupied(&self) -> Option<Occupant> {
        let mut occupant = self.occupant.subscribe();
        occupant.wait_for(Option::is_some).await.ok().and_then(|occupant| occupant.clone())
    }

    async fn abandon(&self) {
        let occupant = self.occupant.borrow().clone();
        if let Some(occupant) = occupant {
            occupant.session.shut_down().await;
        }
        self.close(Closed::Forgotten);
    }

    async fn open(&self, plan: CreatePlan) -> Result<Created> {
        let facts = self.facts(&plan)?;
        let session = Session::new(facts, Arc::clone(&self.programs));
        session.write_record().await;
        session.keep_record();
        let CreatePlan { idle_timeout, lease, request_id, .. } = plan;
        self.occupant.send_replace(Some(Occupant {
            session: session.clone(),
            idle_timeout,
            lease,
            request_id,
        }));

        if let Some(filters) = &plan.exception_filters {
            session.check_exceptions(filters).await?;
        }
        let (restored, warnings) = match plan.restores_breakpoints {
            true => session.restore_breakpoints().await,
            false => Default::default(),
        };
        let mut breakpoints = session.set_without_keeping(plan.breakpoints, false).await?;
        // Beside the start of the program: the disk takes some milliseconds.
        let keeping = tokio::spawn({
            let session = session.clone();
            async move { session.keep_breakpoints().await }
        });
        let is_asked: BTreeSet<u64> = breakpoints.iter().map(|asked| asked.id).collect();
        breakpoints.extend(restored.into_iter().filter(|old| !is_asked.contains(&old.id)));
        let outcome = match plan.start {
            None => None,
            Some(StartWish::Launch(wish)) => Some(session.launch_and_wait(wish, &plan.wait).await?),
            Some(StartWish::Attach(wish)) => Some(session.attach_and_wait(wish, &plan.wait).await?),
        };
        let breakpoints = match &outcome {
            None => breakpoints,
            Some(_) => session.breakpoints_again(&breakpoints).await?,
        };
        let _ = keeping.await;
        Ok(Created { session, breakpoints, outcome, warnings })
    }

    fn facts(&self, plan: &CreatePlan) -> Result<Facts> {
        let Settings {
            id,
            folder,
            archive,
            owner,
            state_dir,
            debugpy,
            default_python,
            dial_port,
            dial_secret,
        } = &self.settings;
        let profile = adapters::find(&plan.adapter).ok_or_else(|| Error::UnknownAdapter {
            name: plan.adapter.clone(),
            known: adapters::names(),
        })?;
        let defaults = profile.exception_filters.iter().filter(|offer| offer.is_default);
        let defaults = defaults
            .map(|offer| ExceptionFilter { filter: offer.name.into(), condition: String::new() });
        Ok(Facts {
            id: id.clone(),
            name: plan.name.clone(),
            project_root: project_root(plan)?,
            labels: plan.labels.clone(),
            profile,
            created: SystemTime::now(),
            exception_filters: plan.exception_filters.clone().unwrap_or_else(|| defaults.collect()),
            folder: folder.clone(),
            archive: archive.clone(),
            owner: owner.clone(),
            state_dir: state_dir.clone(),
            request_id: plan.request_id.clone(),
            keeps_breakpoints: plan.restores_breakpoints,
            debugpy: debugpy.clone(),
            default_python: default_python.clone(),
            dial_port: *dial_port,
            dial_secret: dial_secret.clone(),
        })
    }
}

/// The given root; without one, the folder of a program that is given by its whole path.
fn project_root(plan: &CreatePlan) -> Result<PathBuf> {
    let root = match (plan.project_root.as_str(), &plan.start) {
        ("", Some(StartWish::Launch(wish))) => match &wish.plan.target {
            Target::Program(path) if Path::new(path).is_absolute() => {
                Path::new(path).parent().map(Path::to_owned).unwrap_or_default()
            }
            _ if Path::new(&wish.cwd).is_absolute() => wish.cwd.clone().into(),
            _ => return Err(Error::MissingField { field: "project_root" }),
        },
        ("", None | Some(StartWish::Attach(_))) => {
            return Err(Error::MissingField { field: "project_root" });
        }
        (root, _) => PathBuf::from(root),
    };
    if root.is_relative() {
        return Err(Error::invalid("project_root", "it must be an absolute path"));
    }
    match plan.project_root.is_empty() || root.is_dir() {
        true => confines::get().check_path(&root).map(|()| root),
        false => Err(Error::ProjectRootNotFound { path: plan.project_root.clone() }),
    }
}

async fn repeat(session: Session, wait: &Wait) -> Result<Created> {
    let outcome = match session.state() {
        SessionState::Created => None,
        _ => Some(session.wait_for_stop(0, wait).await?),
    };
    let breakpoints = session.breakpoints(None).await?;
    Ok(Created { session, breakpoints, outcome, warnings: Vec::new() })
}

impl Session {
    /// Starts the program and waits for its first stop.
    pub async fn launch_and_wait(&self, wish: LaunchWish, wait: &Wait) -> Result<Outcome> {
        let plan = wish.plan.resolve(&wish.python, &wish.cwd, self.facts())?;
        self.launch(plan).await?;
        self.wait_for_stop(0, wait).await
    }

    /// The same breakpoints as they are now.
    async fn breakpoints_again(&self, before: &[Breakpoint]) -> Result<Vec<Breakpoint>> {
        let now = self.breakpoints(None).await?;
        Ok(before
            .iter()
            // One that was to stop the program once may have done so, and is gone.
            .map(|old| now.iter().find(|new| new.id == old.id).unwrap_or(old).clone())
            .collect())
    }
}
