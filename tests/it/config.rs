//! Settings: from the file, the environment and flags; checked, shown, and what a server goes by.

use std::time::Duration;

use debug_relay::config::{KEYS, Key};
use debug_relay::proto::GetInfoRequest;

use crate::readme::page;
use crate::support::{Server, ServerOptions, Setup};

/// The line of a key in what `config show` prints: its value, and where it came from.
fn shown(printed: &str, key: &str) -> (String, String) {
    let mut lines = printed.lines().filter_map(|line| line.split_once(" = "));
    let (_, rest) = lines.find(|(name, _)| *name == key).unwrap_or_else(|| panic!("no {key}"));
    let (value, source) = rest.split_once("  # ").unwrap();
    (value.trim().into(), source.into())
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let setup = Setup::with(
        "listen = '127.0.0.1:1001'\nlog_format = 'json'\nstop_sessions = true\n\n[limits]\nsessions = 1\nevents = 101\nwait = '1m'\n",
    );
    let variables = [
        ("DEBUG_RELAY_LISTEN", "127.0.0.1:1002"),
        ("DEBUG_RELAY_LIMITS_SESSIONS", "2"),
        ("DEBUG_RELAY_LIMITS_EVENTS", "102"),
    ];
    let flags = [
        "config",
        "show",
        "--listen",
        "127.0.0.1:1003",
        "--limits-sessions=3",
        "--stop-sessions=no",
    ];

    let printed = setup.run_in(&flags, &variables).succeeded();

    let file = setup.file().display().to_string();
    for (key, value, source) in [
        ("listen", "\"127.0.0.1:1003\"", "--listen"),
        ("sessions", "3", "--limits-sessions"),
        ("stop_sessions", "false", "--stop-sessions"),
        ("events", "102", "DEBUG_RELAY_LIMITS_EVENTS"),
        ("log_format", "\"json\"", &format!("{file}:2")),
        ("wait", "\"1m\"", &format!("{file}:8")),
        ("breakpoints", "1000", "default"),
        ("auth", "true", "default"),
    ] {
        assert_eq!(shown(&printed, key), (value.into(), source.into()), "{key} in\n{printed}");
    }
}

#[test]
fn what_show_prints_is_a_config_file_with_the_same_settings() {
    let setup =
        Setup::with("python = 'bin/python'\nrun_dir = '~/run \"x\"'\n[limits]\nwait = '90s'");
    let flags = ["--no-auth", "--limits-memory-bytes", "1GB", "--limits-output-bytes=1 MiB"];

    let first = setup.run(&[&["config", "show"], &flags[..]].concat()).succeeded();
    setup.write(&first);
    let second = setup.run(&["config", "show"]).succeeded();

    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split("  # ").next().unwrap().trim().to_owned()).collect()
    };
    assert_eq!(values(&first), values(&second));
    assert_eq!(shown(&second, "memory_bytes").0, "1000000000");
    assert_eq!(shown(&second, "output_bytes").0, "\"1MiB\"");
    let python = setup.path().join("config/debug-relay/bin/python");
    assert_eq!(shown(&second, "python").0, format!("\"{}\"", python.display()));
    assert_eq!(shown(&second, "auth").1, format!("{}:6", setup.file().display()));
}

#[test]
fn all_problems_are_told_at_once_with_file_line_and_key() {
    let setup = Setup::with(
        "lisen = '127.0.0.1:1'\nauth = 'yes'\n\n[limits]\nsessions = \"many\"\nevents = 99\nrequest_bytes = '2GiB'\nidle_timeout = '40d'\nanswer = 30\n",
    );
    let variables = [("DEBUG_RELAY_LIMITS_WAIT", "0s"), ("DEBUG_RELAY_LIMITS_WIAT", "1s")];

    let said = setup.run_in(&["config", "check", "--listen", "nowhere"], &variables).failed();

    let file = setup.file().display().to_string();
    for problem in [
        &format!("{file}:1: lisen: there is no such key; did you mean listen?"),
        &format!("{file}:2: auth: it is 'yes', and must be true or false"),
        &format!("{file}:5: limits.sessions: it is \"many\", and must be a whole number"),
        &format!("{file}:6: limits.events: it is 99, and must be at least 100"),
        &format!("{file}:7: limits.request_bytes: it is '2GiB', and must be at most 1GiB"),
        &format!("{file}:8: limits.idle_timeout: it is 40d, longer than limits.max_idle_timeout"),
        &format!("{file}:9: limits.answer: it is 30, and must be a duration"),
        "DEBUG_RELAY_LIMITS_WAIT: it is \"0s\", and must be longer than 0",
        "DEBUG_RELAY_LIMITS_WIAT: there is no such limit",
        "--listen: it is \"nowhere\", and must be ADDRESS:PORT",
    ] {
        assert!(said.contains(problem), "{problem} is not in\n{said}");
    }
    assert_eq!(said.lines().count(), 11, "{said}");
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let setup = Setup::with("listen = '127.0.0.1:0'\n[limits\nsessions = 3\n");

    let said = setup.run(&["config", "check"]).failed();

    assert!(said.contains("config.toml:2: this is no TOML"), "{said}");
}

#[test]
fn check_tells_which_file_is_fine_and_misses_only_a_file_that_was_named() {
    let setup = Setup::new();

    let none = setup.run(&["config", "check"]).succeeded();
    let named = setup.run(&["config", "check", "--config", "/no/such.toml"]).failed();
    let by_variable =
        setup.run_in(&["config", "check"], &[("DEBUG_RELAY_CONFIG", "/no/such.toml")]).failed();
    setup.write("listen = 'localhost:0'");
    let fine = setup.run(&["config", "check"]).succeeded();

    assert!(none.contains("there is no") && none.lines().count() == 1, "{none}");
    assert!(named.contains("--config: /no/such.toml cannot be read"), "{named}");
    assert!(by_variable.contains("DEBUG_RELAY_CONFIG: /no/such.toml"), "{by_variable}");
    assert_eq!(fine, format!("{} is fine\n", setup.file().display()));
}

#[test]
fn a_server_with_wrong_settings_does_not_start_and_says_why() {
    let setup = Setup::with("[limits]\nsessions = 0\n");

    let said = setup.run(&["serve"]).failed();
    let shown = setup.run(&["config", "show"]).failed();

    let problem = "config.toml:2: limits.sessions: it is 0, and must be at least 1";
    assert!(said.contains(problem) && shown.contains(problem), "{said}{shown}");
}

#[tokio::test]
async fn a_limit_from_the_file_is_what_the_server_goes_by() {
    let setup = Setup::with(
        "log_format = 'json'\n[limits]\nevents = 123\nwait = '2m'\nrequest_bytes = '128KiB'\noutput_bytes = 70000\n",
    );
    let file = setup.file().to_string_lossy().into_owned();
    let arguments = vec!["--config".into(), file, "--limits-events=321".into()];
    let server = Server::with(ServerOptions { arguments, ..Default::default() }).await;

    let info = server.client().await.server.get_info(GetInfoRequest {}).await;

    let limits = info.unwrap().into_inner().limits.unwrap();
    assert_eq!((limits.events_per_session, limits.output_bytes_per_session), (321, 70000));
    assert_eq!(limits.max_request_bytes, 128 * 1024);
    assert_eq!(Duration::try_from(limits.max_wait.unwrap()), Ok(Duration::from_secs(120)));
    assert_eq!(Duration::try_from(limits.idle_timeout.unwrap()), Ok(Duration::from_secs(3600)));
}

#[tokio::test]
async fn the_token_command_goes_by_the_file() {
    let server = Server::start().await;
    let setup = Setup::with(&format!("run_dir = {:?}\nlisten = 3\n", server.run_dir()));

    let token = setup.run(&["token"]).succeeded();

    assert_eq!(token.trim(), server.token());
}

#[test]
fn help_lists_every_flag_with_its_variable_and_limits_apart() {
    let help = Setup::new().run(&["serve", "--help"]).succeeded();

    let (general, limits) = help.split_once("\nLimits:\n").expect("a heading for limits");
    for key in KEYS {
        let text = if key.name.starts_with("limits.") { limits } else { general };
        assert!(text.contains(&format!("--{}", key.flag())), "{}", key.name);
        assert!(text.contains(&format!("[env: {}]", key.variable())), "{}", key.name);
    }
    assert!(general.contains("--config <FILE>") && general.contains("DEBUG_RELAY_CONFIG"));
}

#[test]
fn the_table_of_the_manual_is_that_of_the_source() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let manual = std::fs::read_to_string(path).unwrap();

    let rows = page::table(&manual, "keys");

    let row = |key: &Key| -> Vec<String> {
        let code = |text: String| format!("`{text}`");
        let default = key.default();
        let default = if key.custom.is_some() { default } else { code(default) };
        let flag = code(format!("--{}", key.flag()));
        vec![code(key.name.into()), default, code(key.variable()), flag, key.help.into()]
    };
    let expected: Vec<Vec<String>> = KEYS.iter().map(row).collect();
    let lines: Vec<String> =
        expected.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    assert_eq!(rows, expected, "the table should be:\n{}", lines.join("\n"));
}

#[test]
fn the_examples_of_readme_and_manual_are_fine() {
    let manual = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let settings = page::section(&page::read(), "Settings");
    let blocks = [page::blocks(&settings), page::blocks(&manual)].concat();
    let examples: Vec<_> = blocks.iter().filter(|block| block.language == "toml").collect();

    assert_eq!(examples.len(), 2, "one in each");
    for example in examples {
        Setup::with(&example.text).run(&["config", "check"]).succeeded();
    }
}

#[test]
fn the_settings_of_every_deployment_are_fine() {
    let deploy = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    for name in ["kubernetes/config.toml", "systemd/config.toml"] {
        let file = deploy.join(name).to_string_lossy().into_owned();

        let says = Setup::new().run(&["config", "check", "--config", &file]).succeeded();

        assert!(says.contains("is fine"), "{name}: {says}");
    }
}
