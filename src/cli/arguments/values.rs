//! Values that have a form of their own.

use std::time::Duration;

/// `5s`, `2m`; a plain number is seconds.
pub fn span(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text).map_err(|error| format!("{error}; for example 5s or 2m"))
}

pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it has the form NAME=VALUE")?;
    Ok((name.into(), value.into()))
}
