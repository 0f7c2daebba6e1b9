//! Programs to debug, with `@marker` comments for places.

use std::path::{Path, PathBuf};

use debug_relay::proto::{
    BreakpointSpec, LaunchConfig, LineLocation, breakpoint_spec, launch_config,
};

/// The folder that scripts/setup-tools fills.
pub fn tools() -> PathBuf {
    let folder = std::env::var_os("DEBUG_RELAY_TOOLS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools"));
    assert!(
        folder.join("debugpy").is_dir(),
        "run scripts/setup-tools first: {} has no debugpy",
        folder.display()
    );
    folder
}

/// A program on disk.
pub struct Program {
    pub path: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Program {
    /// A program that is there.
    pub fn at(path: PathBuf) -> Self {
        assert!(path.is_file(), "there is no {}", path.display());
        Self { path, _folder: None }
    }

    /// One of tests/programs.
    pub fn named(name: &str) -> Self {
        Self::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name))
    }

    /// A program of its own, in a folder of its own.
    pub fn of(text: &str) -> Self {
        Self::called("program.py", text)
    }

    /// The same, in a file of this name.
    pub fn called(name: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Self { path, _folder: Some(folder) }
    }

    pub fn file(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// The line with `@marker`.
    pub fn line(&self, marker: &str) -> i32 {
        let text = std::fs::read_to_string(&self.path).unwrap();
        let is_marked =
            |line: &str| line.split_whitespace().any(|word| word.strip_prefix('@') == Some(marker));
        let index = text
            .lines()
            .position(is_marked)
            .unwrap_or_else(|| panic!("no @{marker} in {}", self.file()));
        i32::try_from(index).unwrap() + 1
    }

    pub fn breakpoint(&self, marker: &str) -> BreakpointSpec {
        self.breakpoint_on(self.line(marker))
    }

    pub fn breakpoint_on(&self, line: i32) -> BreakpointSpec {
        let location =
            breakpoint_spec::Location::Line(LineLocation { file: self.file(), line, column: 0 });
        BreakpointSpec { location: Some(location), ..Default::default() }
    }

    pub fn launch(&self) -> LaunchConfig {
        LaunchConfig {
            target: Some(launch_config::Target::Program(self.file())),
            ..Default::default()
        }
    }
}
