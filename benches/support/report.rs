//! What was measured, as a table for people and as JSON for programs.

use std::time::Duration;

use serde_json::{Value, json};

/// The columns of the table: least, median, 95 of 100, most.
const SHARES: [f64; 4] = [0.0, 0.5, 0.95, 1.0];

/// What figures count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Mebibytes,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Mebibytes => "MiB",
        }
    }
}

/// The figures of one kind in one group, for example the times of the relay's steps.
pub struct Measured {
    pub group: String,
    pub kind: String,
    unit: Unit,
    figures: Vec<f64>,
}

impl Measured {
    pub fn new(group: &str, kind: &str, unit: Unit) -> Self {
        Self { group: group.into(), kind: kind.into(), unit, figures: Vec::new() }
    }

    pub fn times(group: &str, kind: &str) -> Self {
        Self::new(group, kind, Unit::Milliseconds)
    }

    pub fn sizes(group: &str, kind: &str) -> Self {
        Self::new(group, kind, Unit::Mebibytes)
    }

    pub fn add(&mut self, time: Duration) {
        self.figures.push(time.as_secs_f64() * 1000.0);
    }

    pub fn add_kib(&mut self, kib: u64) {
        self.figures.push(kib as f64 / 1024.0);
    }

    /// The figure that `share` of all figures do not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut figures = self.figures.clone();
        figures.sort_by(f64::total_cmp);
        let rank = (share * figures.len() as f64).ceil() as usize;
        figures.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    fn median(&self) -> f64 {
        self.quantile(0.5)
    }
}

/// Everything of one run.
pub struct Report {
    /// What it ran on, in words.
    pub setting: String,
    pub measured: Vec<Measured>,
    /// Which medians are compared: group, the one divided, the one that divides.
    pub ratios: Vec<[String; 3]>,
}

impl Report {
    pub fn print(&self, as_json: bool) {
        match as_json {
            true => println!("{:#}", self.json()),
            false => print!("{}", self.table()),
        }
    }

    fn shown(&self) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(|one| !one.figures.is_empty())
    }

    fn ratios(&self) -> Vec<(String, f64)> {
        let median = |group: &str, kind: &str| {
            let found = self.shown().find(|one| one.group == group && one.kind == kind);
            found.map(Measured::median)
        };
        let ratio = |[group, over, under]: &[String; 3]| {
            let ratio = median(group, over)? / median(group, under)?;
            Some((format!("{group} {over}/{under}"), ratio))
        };
        self.ratios.iter().filter_map(ratio).collect()
    }

    fn table(&self) -> String {
        let mut text = format!("{}\n\n", self.setting);
        let heads = ["min", "median", "p95", "max"].map(|head| format!("{head:>12}"));
        text += &format!("{:<40}{:>8}{}\n", "", "samples", heads.concat());
        for one in self.shown() {
            let name = format!("{} {}, {}", one.group, one.kind, one.unit.name());
            let figures = SHARES.map(|share| format!("{:>12.2}", one.quantile(share)));
            text += &format!("{name:<40}{:>8}{}\n", one.figures.len(), figures.concat());
        }
        let ratios = self.ratios();
        if !ratios.is_empty() {
            text += "\nratios of the medians\n";
        }
        for (name, ratio) in ratios {
            text += &format!("{name:<60}{ratio:>12.2}\n");
        }
        text
    }

    fn json(&self) -> Value {
        let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
        let measured = self.shown().map(|one| {
            json!({
                "group": one.group,
                "kind": one.kind,
                "unit": one.unit.name(),
                "samples": one.figures.len(),
                "min": rounded(one.quantile(0.0)),
                "median": rounded(one.median()),
                "p95": rounded(one.quantile(0.95)),
                "max": rounded(one.quantile(1.0)),
            })
        });
        let ratios = self.ratios().into_iter().map(|(name, ratio)| (name, rounded(ratio).into()));
        json!({
            "setting": self.setting,
            "measured": measured.collect::<Vec<_>>(),
            "ratios": ratios.collect::<serde_json::Map<_, _>>(),
        })
    }
}
