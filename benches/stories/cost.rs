//! What a caller has spent, and how it is shown.

use serde_json::{Value, json};

use crate::story::Stage;
use crate::support::dap::Traffic;

/// What one story took in one way.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub calls: usize,
    /// Bytes that the caller had to write: names of methods and tools, and their arguments.
    pub sent: usize,
    /// Bytes that it had to read.
    pub read: usize,
    /// How many of these only indent JSON.
    pub indentation: usize,
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            sent: self.sent + other.sent,
            read: self.read + other.read,
            indentation: self.indentation + other.indentation,
        }
    }
}

impl From<Traffic> for Cost {
    fn from(traffic: Traffic) -> Self {
        let Traffic { requests, sent, read } = traffic;
        Self { calls: requests, sent, read, indentation: 0 }
    }
}

/// A caller's book: what it spent, and all that it has read.
pub struct Book<'a> {
    stage: &'a Stage<'a>,
    cost: Cost,
    text: String,
}

impl<'a> Book<'a> {
    pub fn new(stage: &'a Stage<'a>) -> Self {
        Self { stage, cost: Cost::default(), text: String::new() }
    }

    pub fn enter(&mut self, call: &str, arguments: &Value, answer: &str) {
        let arguments = arguments.to_string();
        if self.stage.is_shown {
            eprintln!("--> {call} {arguments}\n<-- {} {answer}", answer.len());
        }
        let spent = Cost {
            calls: 1,
            sent: call.len() + arguments.len(),
            read: answer.len(),
            indentation: 0,
        };
        self.cost = self.cost + spent;
        self.text += answer;
    }

    /// So many bytes of the last answer were only there to indent it.
    pub fn was_indented_by(&mut self, bytes: usize) {
        self.cost.indentation += bytes;
    }

    /// Closes the book, and fails unless what was read has all of this.
    pub fn shows(self, evidence: &[&str]) -> Cost {
        for one in evidence {
            assert!(self.text.contains(one), "no `{one}` in what was read: {}", self.text);
        }
        self.cost
    }
}

/// Everything of one run.
pub struct Report {
    setting: String,
    costs: Vec<(&'static str, &'static str, Cost)>,
}

type Figure = fn(&Cost) -> usize;

const FIGURES: [(&str, Figure); 4] = [
    ("calls", |cost| cost.calls),
    ("bytes written", |cost| cost.sent),
    ("bytes read", |cost| cost.read),
    ("bytes read, not indented", |cost| cost.read - cost.indentation),
];

impl Report {
    pub fn new(setting: String) -> Self {
        Self { setting, costs: Vec::new() }
    }

    pub fn add(&mut self, story: &'static str, way: &'static str, cost: Cost) {
        self.costs.push((story, way, cost));
    }

    pub fn print(&self, as_json: bool) {
        match as_json {
            true => println!("{:#}", self.json()),
            false => print!("{}", self.table()),
        }
    }

    fn ways(&self) -> Vec<&'static str> {
        let first = self.costs.first().map(|(story, ..)| *story);
        let of_first = self.costs.iter().filter(|(story, ..)| Some(*story) == first);
        of_first.map(|(_, way, _)| *way).collect()
    }

    fn sum(&self, way: &str) -> Cost {
        let costs = self.costs.iter().filter(|(_, one, _)| *one == way).map(|(.., cost)| *cost);
        costs.fold(Cost::default(), |sum, cost| sum + cost)
    }

    fn table(&self) -> String {
        let ways = self.ways();
        let row = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>14}")).collect();
            format!("{name:<34}{cells}\n")
        };
        let mut text = format!("{}\n", self.setting);
        for (title, figure) in FIGURES {
            text += "\n";
            text += &row(title, ways.iter().map(|way| (*way).into()).collect());
            for costs in self.costs.chunks(ways.len()) {
                let cells = costs.iter().map(|(.., cost)| figure(cost).to_string());
                text += &row(costs[0].0, cells.collect());
            }
            let sums: Vec<usize> = ways.iter().map(|way| figure(&self.sum(way))).collect();
            text += &row("all", sums.iter().map(usize::to_string).collect());
            let ratio = |sum: &usize| format!("{:.2}", *sum as f64 / sums[0] as f64);
            text += &row(&format!("all / {}", ways[0]), sums.iter().map(ratio).collect());
        }
        text
    }

    fn json(&self) -> Value {
        let costs = self.costs.iter().map(|(story, way, cost)| {
            json!({
                "story": story, "way": way, "calls": cost.calls, "written": cost.sent,
                "read": cost.read, "read_not_indented": cost.read - cost.indentation,
            })
        });
        json!({ "setting": self.setting, "costs": costs.collect::<Vec<_>>() })
    }
}
