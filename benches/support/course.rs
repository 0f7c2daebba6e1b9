//! The program that all step through, and what must be seen after each step: who shows another
//! line, or another value, is not measured but fails.

use std::path::{Path, PathBuf};

/// What one step showed: the line, and variables of the top frame with their values.
pub struct Seen {
    pub line: i64,
    pub variables: Vec<(String, String)>,
}

/// The program on disk, and the lines with a marker.
#[derive(Clone)]
pub struct Program {
    pub path: PathBuf,
    pub start: i64,
    course: [i64; 4],
}

impl Program {
    pub fn find() -> Self {
        let path = super::folder("support").join("program.py");
        let line = |marker: &str| line_of(&path, marker);
        let course = ["# @loop", "# @ratio", "# @items", "# @label"].map(line);
        Self { start: line("# @start"), course, path: path.clone() }
    }

    pub fn file(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a folder")
    }
}

/// The line of a program with this marker.
pub fn line_of(path: &Path, marker: &str) -> i64 {
    let text = std::fs::read_to_string(path).expect("the program is there");
    let index = text.lines().position(|line| line.ends_with(marker));
    index.expect("the marker is there") as i64 + 1
}

/// Where one session stands on its way.
pub struct Course {
    lines: [i64; 4],
    steps: usize,
}

impl Course {
    /// Begins in front of the loop.
    pub fn new(program: &Program) -> Self {
        Self { lines: program.course, steps: 0 }
    }

    /// Takes one step on and fails unless the line is the next one, and the variable that the line
    /// before has set is shown with its new value.
    pub fn expect(&mut self, kind: &str, seen: &Seen) {
        let round = self.steps / self.lines.len();
        let place = self.steps % self.lines.len();
        let (name, value) = match place {
            0 if round == 0 => ("is_open", "True".to_owned()),
            0 => ("label", format!("'step {round}'")),
            1 => ("count", (round + 1).to_string()),
            2 => ("ratio", format!("{:?}", (round + 1) as f64 / 4.0)),
            _ => ("items", format!("[{}, {}]", round + 1, round + 2)),
        };
        self.steps += 1;

        let step = self.steps;
        assert_eq!(seen.line, self.lines[place], "{kind}: the line after step {step}");
        let shown = seen.variables.iter().find(|(shown, _)| shown == name);
        let shown = shown.map(|(_, value)| value.as_str());
        assert_eq!(shown, Some(value.as_str()), "{kind}: `{name}` after step {step}");
    }
}
