//! The settings that hold, as a config file that tells of each value where it came from.

use serde_json::json;

use super::settings::Settings;

impl Settings {
    /// A config file with the same settings.
    pub fn show(&self) -> String {
        let mut lines = Vec::new();
        let mut is_in_limits = false;
        for (key, source) in self.sources() {
            if key.is_limit() && !is_in_limits {
                is_in_limits = true;
                lines.push((String::new(), String::new()));
                lines.push(("[limits]".into(), String::new()));
            }
            let name = key.name.trim_start_matches("limits.");
            lines.push(match key.show(&self.config) {
                Some(value) => (format!("{name} = {value}"), source.to_string()),
                None => (format!("# {name} is not set"), format!("{source}: {}", key.default())),
            });
        }
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
        let mut text = String::new();
        for (line, comment) in lines {
            // A path may hold anything, and a comment ends with its line.
            let comment = comment.replace(char::is_control, "?");
            match comment.is_empty() {
                true => text += &line,
                false => text += &format!("{line:width$}  # {comment}"),
            }
            text.push('\n');
        }
        text
    }

    /// The same as JSON: of every key its value, as it is written in a config file, and its source.
    pub fn show_json(&self) -> serde_json::Value {
        let keys = self.sources().map(|(key, source)| {
            let value = key.show(&self.config);
            (key.name.to_owned(), json!({ "value": value, "source": source.to_string() }))
        });
        keys.collect::<serde_json::Map<_, _>>().into()
    }
}
