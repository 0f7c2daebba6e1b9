//! The three sources laid over one another: file, then environment, then flags. Every value knows
//! where it came from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::flags::{FILE_VARIABLE, Flags};
use super::keys::{KEYS, Key};
use super::safety;
use super::source::{Problem, Problems, Source};
use super::values::{Raw, show_span};
use super::{Config, file, folders};

/// Variables that begin so are ours, and a wrong one is a mistake. Others that begin with
/// DEBUG_RELAY_ need not be: Kubernetes makes some for a service of this name.
const LIMITS_VARIABLES: &str = "DEBUG_RELAY_LIMITS_";

/// What holds, with what is wrong. A value that is wrong is left as it was before.
pub struct Settings {
    pub config: Config,
    /// Where the file is, or would be.
    pub file: Option<PathBuf>,
    pub has_file: bool,
    pub problems: Vec<Problem>,
    /// By the place of the key in the table.
    sources: Vec<Source>,
}

impl Settings {
    /// Reads the file, the environment and these flags.
    pub fn load(flags: &Flags) -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            // An empty variable is the shell's way to say nothing.
            .filter(|(name, value)| name.starts_with("DEBUG_RELAY_") && !value.is_empty());
        Self::merge(&variables.collect(), flags)
    }

    fn merge(variables: &BTreeMap<String, OsString>, flags: &Flags) -> Self {
        let mut settings = Self {
            config: Config::default(),
            file: None,
            has_file: false,
            problems: Vec::new(),
            sources: vec![Source::Default; KEYS.len()],
        };
        settings.take_file(variables, flags);
        settings.take_variables(variables);
        settings.take_flags(flags);
        settings.check_idle_timeouts();
        settings.check_safety();
        // Those of the file first, as one goes through it.
        settings.problems.sort_by_key(|problem| problem.line().unwrap_or(usize::MAX));
        if folders::default_state_dir().is_none()
            && *settings.source("state_dir") == Source::Default
        {
            settings.config.state_dir.clone_from(&settings.config.run_dir);
        }
        settings
    }

    /// What holds, if all is well.
    pub fn checked(self) -> Result<Config, Problems> {
        if self.problems.is_empty() { Ok(self.config) } else { Err(Problems(self.problems)) }
    }

    /// The folder of a running server, which can be told whatever else is wrong.
    pub fn run_dir(mut self) -> Result<PathBuf, Problems> {
        self.problems.retain(|problem| problem.key.is_empty() || problem.key == "run_dir");
        self.checked().map(|config| config.run_dir)
    }

    /// Every key with the place that its value came from.
    pub fn sources(&self) -> impl Iterator<Item = (&'static Key, &Source)> {
        KEYS.iter().zip(&self.sources)
    }

    fn source(&self, name: &str) -> &Source {
        Key::find(name).and_then(|(index, _)| self.sources.get(index)).unwrap_or(&Source::Default)
    }

    fn take_file(&mut self, variables: &BTreeMap<String, OsString>, flags: &Flags) {
        let named = flags.file.clone().map(|path| (Source::Flag("config".into()), path));
        let named = named.or_else(|| {
            let path = variables.get(FILE_VARIABLE)?.into();
            Some((Source::Variable(FILE_VARIABLE.into()), path))
        });
        let (source, path) = match named {
            Some((source, path)) => (source, Some(path)),
            None => (Source::Default, folders::default_file()),
        };
        let Some(path) = path else { return };
        self.file = Some(path.clone());
        let text = match file::read(&path) {
            Ok(text) => text,
            // The customary file need not be there.
            Err(error)
                if source == Source::Default && error.kind() == std::io::ErrorKind::NotFound =>
            {
                return;
            }
            Err(error) => {
                let says = format!("{} cannot be read: {error}", path.display());
                self.problems.push(Problem { source, key: String::new(), says });
                return;
            }
        };
        self.has_file = true;
        let parsed = file::parse(&path, &text);
        self.problems = parsed.problems;
        let absolute = folders::absolute(path.clone());
        let base = absolute.parent().unwrap_or(Path::new("/"));
        for entry in parsed.entries {
            let source = Source::File { path: path.clone(), line: entry.line };
            self.take(entry.index, &entry.raw, source, base);
        }
    }

    fn take_variables(&mut self, variables: &BTreeMap<String, OsString>) {
        let here = folders::absolute(".".into());
        let mut known = Vec::new();
        for (index, key) in KEYS.iter().enumerate() {
            let name = key.variable();
            if let Some(value) = variables.get(&name) {
                self.take(index, &Raw::word(value.clone()), Source::Variable(name.clone()), &here);
            }
            known.push(name);
        }
        let unknown = variables.keys().filter(|name| name.starts_with(LIMITS_VARIABLES));
        for name in unknown.filter(|name| !known.contains(name)) {
            let says = "there is no such limit; `debug-relay config show` lists all";
            self.problems.push(Problem {
                source: Source::Variable(name.clone()),
                key: name.clone(),
                says: says.into(),
            });
        }
    }

    fn take_flags(&mut self, flags: &Flags) {
        let here = folders::absolute(".".into());
        for (index, word) in &flags.given {
            let Some(key) = KEYS.get(*index) else { continue };
            let source = Source::Flag(key.flag());
            let raw = Raw::word(word.clone());
            match raw.switch() {
                Ok(is_on) if key.is_negated_by_flag() => {
                    let negated = Raw::word((!is_on).to_string().into());
                    self.take(*index, &negated, source, &here);
                }
                _ => self.take(*index, &raw, source, &here),
            }
        }
    }

    fn take(&mut self, index: usize, raw: &Raw, source: Source, base: &Path) {
        let Some(key) = KEYS.get(index) else { return };
        match key.set(&mut self.config, raw, base) {
            Ok(()) => self.sources[index] = source,
            Err(says) => self.problems.push(Problem { source, key: key.name.into(), says }),
        }
    }

    /// Combinations that would let others in.
    fn check_safety(&mut self) {
        for (key, says) in safety::problems(&self.config) {
            let source = self.source(key).clone();
            self.problems.push(Problem { source, key: key.into(), says });
        }
    }

    fn check_idle_timeouts(&mut self) {
        let [own, most] = ["limits.idle_timeout", "limits.max_idle_timeout"];
        let limits = &self.config.limits;
        if limits.idle_timeout <= limits.max_idle_timeout {
            return;
        }
        let spans = [show_span(limits.idle_timeout), show_span(limits.max_idle_timeout)];
        // The one that somebody set is to blame.
        let (key, says) = match self.source(own) {
            Source::Default => {
                let other = format!("it is {}, and {own} is {}", spans[1], spans[0]);
                (most, format!("{other} (default); set {own} as well"))
            }
            _ => {
                let other = self.source(most);
                (own, format!("it is {}, longer than {most}: {} ({other})", spans[0], spans[1]))
            }
        };
        let source = self.source(key).clone();
        self.problems.push(Problem { source, key: key.into(), says });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(text: &str, variables: &[(&str, &str)], flags: &[(&str, &str)]) -> Settings {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        let variables =
            variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let given = flags.iter().map(|(name, value)| (Key::find(name).unwrap().0, (*value).into()));
        Settings::merge(&variables, &Flags { file: Some(path), given: given.collect() })
    }

    fn problems(settings: &Settings) -> Vec<String> {
        settings.problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn later_sources_win_and_are_named() {
        let text = "[limits]\nsessions = 1\nevents = 100\nbreakpoints = 1\n";
        let variables =
            [("DEBUG_RELAY_LIMITS_SESSIONS", "2"), ("DEBUG_RELAY_LIMITS_EVENTS", "200")];

        let settings = merged(text, &variables, &[("limits.sessions", "3")]);

        let limits = &settings.config.limits;
        assert_eq!((limits.sessions, limits.events, limits.breakpoints), (3, 200, 1));
        assert_eq!(settings.source("limits.sessions").to_string(), "--limits-sessions");
        assert_eq!(settings.source("limits.events").to_string(), "DEBUG_RELAY_LIMITS_EVENTS");
        assert!(settings.source("limits.breakpoints").to_string().ends_with("config.toml:4"));
        assert_eq!(*settings.source("limits.wait"), Source::Default);
        assert_eq!(problems(&settings), [""; 0]);
    }

    #[test]
    fn the_flag_no_auth_turns_auth_off_and_its_opposite_turns_it_on() {
        let auth = |text: &str, flags: &[(&str, &str)]| merged(text, &[], flags).config.auth;

        assert!(auth("", &[]) && !auth("auth = false", &[]));
        assert!(!auth("", &[("auth", "true")]));
        assert!(auth("auth = false", &[("auth", "false")]));
        assert!(!merged("", &[("DEBUG_RELAY_AUTH", "false")], &[]).config.auth);
        let wrong = merged("", &[], &[("auth", "perhaps")]);
        assert_eq!(problems(&wrong), ["--no-auth: it is \"perhaps\", and must be true or false"]);
    }

    #[test]
    fn of_two_idle_timeouts_the_one_that_was_set_is_blamed() {
        let long = merged("limits.idle_timeout = '60d'", &[], &[]);
        let short = merged("", &[("DEBUG_RELAY_LIMITS_MAX_IDLE_TIMEOUT", "10m")], &[]);

        let says = problems(&long).join("");
        assert!(says.contains("config.toml:1: limits.idle_timeout: it is 60d"), "{says}");
        assert!(says.contains("limits.max_idle_timeout: 30d (default)"), "{says}");
        let says = problems(&short).join("");
        assert!(says.starts_with("DEBUG_RELAY_LIMITS_MAX_IDLE_TIMEOUT: it is 10m"), "{says}");
    }

    #[test]
    fn an_unknown_limit_in_the_environment_is_a_mistake_and_other_variables_are_not() {
        let settings = merged(
            "",
            &[("DEBUG_RELAY_LIMITS_SESION", "3"), ("DEBUG_RELAY_SERVICE_PORT", "1")],
            &[],
        );

        let says = problems(&settings);
        assert_eq!(says.len(), 1, "{says:?}");
        assert!(says[0].starts_with("DEBUG_RELAY_LIMITS_SESION: there is no such limit"));
    }

    #[test]
    fn the_run_folder_is_told_whatever_else_is_wrong() {
        let broken = merged("run_dir = '/r'\nlisten = 3\n", &[], &[]);

        assert!(broken.problems.len() == 1 && broken.run_dir().unwrap() == Path::new("/r"));
        assert!(merged("run_dir = 3", &[], &[]).run_dir().is_err());
        assert!(merged("run_dir =", &[], &[]).run_dir().is_err());
    }
}
