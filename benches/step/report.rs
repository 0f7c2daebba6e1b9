//! What was measured, as a table for people and as JSON for programs.

use std::time::Duration;

use serde_json::{Value, json};

/// The times of one kind in one group, for example the steps of the relay.
pub struct Measured {
    pub group: &'static str,
    pub kind: &'static str,
    times: Vec<Duration>,
}

impl Measured {
    pub fn new(group: &'static str, kind: &'static str) -> Self {
        Self { group, kind, times: Vec::new() }
    }

    pub fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    /// In milliseconds, the time that `share` of all times do not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        let rank = (share * times.len() as f64).ceil() as usize;
        let time = times.get(rank.saturating_sub(1)).copied().unwrap_or_default();
        time.as_secs_f64() * 1000.0
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
}

/// Which medians are compared: group, the one divided, the one that divides.
const RATIOS: [(&str, &str, &str); 5] = [
    ("step", "adapter", "relay"),
    ("step", "relay", "direct"),
    ("step", "relay_changes_only", "direct"),
    ("start", "adapter", "relay"),
    ("start", "relay", "direct"),
];

impl Report {
    fn ratios(&self) -> Vec<(String, f64)> {
        let median = |group: &str, kind: &str| {
            let is_it =
                |one: &&Measured| one.group == group && one.kind == kind && !one.times.is_empty();
            self.measured.iter().find(is_it).map(Measured::median)
        };
        let ratio = |(group, over, under): &(&str, &str, &str)| {
            let ratio = median(group, over)? / median(group, under)?;
            Some((format!("{group} {over}/{under}"), ratio))
        };
        RATIOS.iter().filter_map(ratio).collect()
    }

    pub fn table(&self) -> String {
        let mut text = format!("{}\n\n", self.setting);
        text += &format!("{:<28}{:>8}{:>14}{:>14}\n", "", "samples", "median ms", "p95 ms");
        for one in self.measured.iter().filter(|one| !one.times.is_empty()) {
            let name = format!("{} {}", one.group, one.kind);
            let (median, p95) = (one.median(), one.quantile(0.95));
            text += &format!("{name:<28}{:>8}{median:>14.2}{p95:>14.2}\n", one.times.len());
        }
        text += "\nratios of the medians\n";
        for (name, ratio) in self.ratios() {
            text += &format!("{name:<36}{ratio:>14.2}\n");
        }
        text
    }

    pub fn json(&self) -> Value {
        let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
        let measured = self.measured.iter().map(|one| {
            json!({
                "group": one.group,
                "kind": one.kind,
                "samples": one.times.len(),
                "median_ms": rounded(one.median()),
                "p95_ms": rounded(one.quantile(0.95)),
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
