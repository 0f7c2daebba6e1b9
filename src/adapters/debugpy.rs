//! debugpy, driven without its adapter: the debug server inside the program dials the host, which
//! speaks DAP with it directly. One process and one hop less, and none of the 40 ms stalls between
//! debugpy's two processes.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ExceptionKind, Profile};

/// The version that we provide ourselves.
pub const VERSION: &str = "1.8.22";

/// Our own first file in the program; see its head.
pub const LAUNCHER: &str =
    concat!(include_str!("follow.py"), include_str!("debug_relay_debugpy_launcher.py"));
pub const LAUNCHER_NAME: &str = "debug_relay_debugpy_launcher.py";

pub const PROFILE: Profile = Profile {
    name: "debugpy",
    languages: &["python"],
    install_hint: "the server installs it by itself on first use; or: pip install --target DIR debugpy, \
                   then serve --debugpy DIR",
    exception_filters: &[
        ExceptionKind {
            name: "uncaught",
            label: "Uncaught exceptions",
            description: "Nothing catches it: it would end the program, or its thread.",
            is_default: true,
        },
        ExceptionKind {
            name: "raised",
            label: "Raised exceptions",
            description: "Every exception, where it is raised, once.",
            is_default: false,
        },
        ExceptionKind {
            name: "userUnhandled",
            label: "User-unhandled exceptions",
            description: "It leaves the caller's own code for a library's.",
            is_default: false,
        },
    ],
};

/// What Python is to run.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Program(String),
    Module(String),
    Code(String),
}

/// Where and how the program is to dial.
pub struct Dial<'a> {
    pub port: u16,
    pub secret: &'a str,
    pub debugpy: &'a Path,
}

/// The content of the private file that tells the launcher what to run.
pub fn launch_plan(
    dial: &Dial,
    target: &Target,
    arguments: &[String],
    follow_children: bool,
) -> Value {
    let connect = format!("127.0.0.1:{}", dial.port);
    let mut words: Vec<&str> =
        vec!["--connect", &connect, "--adapter-access-token", dial.secret, "--wait-for-client"];
    words.extend(["--configure-subProcess", if follow_children { "true" } else { "false" }]);
    match target {
        Target::Program(path) => words.push(path),
        Target::Module(name) => words.extend(["-m", name]),
        Target::Code(text) => words.extend(["-c", text]),
    }
    words.extend(arguments.iter().map(String::as_str));
    json!({ "debugpy": dial.debugpy, "arguments": words })
}

/// The content of the private file that tells the launcher to connect, and to wait at a socket for
/// what to run.
pub fn spare_plan(dial: &Dial, socket: &Path) -> Value {
    json!({
        "debugpy": dial.debugpy, "spare": socket, "secret": dial.secret,
        "address": ["127.0.0.1", dial.port],
    })
}

/// What a launcher that waits is told.
pub fn spare_orders(
    dial: &Dial,
    target: &Target,
    arguments: &[String],
    cwd: &Path,
    environment: &[(String, String)],
) -> Value {
    let mut orders = launch_plan(dial, target, arguments, true);
    let (kind, named) = match target {
        Target::Program(path) => ("program", path),
        Target::Module(name) => ("module", name),
        Target::Code(text) => ("code", text),
    };
    orders["kind"] = kind.into();
    orders["target"] = json!(named);
    orders["cwd"] = json!(cwd);
    orders["environment"] =
        environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    orders
}

/// Variables that an interpreter or its libraries read when they begin: who has them set must begin
/// with them.
pub fn is_read_at_start(variable: &str) -> bool {
    const BEGINNINGS: [&str; 7] = ["PYTHON", "PYDEVD", "DEBUGPY", "LD_", "MALLOC", "GLIBC", "LC_"];
    BEGINNINGS.iter().any(|beginning| variable.starts_with(beginning))
        || ["LANG", "LANGUAGE", "TZ", "HOME"].contains(&variable)
}

/// The content of the private file that tells the launcher to put debugpy into a process.
pub fn inject_plan(dial: &Dial, pid: u32) -> Value {
    let connect = format!("127.0.0.1:{}", dial.port);
    let pid = pid.to_string();
    let words = ["--connect", &connect, "--adapter-access-token", dial.secret, "--pid", &pid];
    json!({ "debugpy": dial.debugpy, "arguments": words })
}

/// The command that starts the program under our launcher.
pub fn command(
    python: &Path,
    python_arguments: &[String],
    launcher: &Path,
    plan: &Path,
) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut command = vec![text(python)];
    // Without it, debugpy misses breakpoints in frozen modules of 3.11 and later, and says so on
    // stderr. Unbuffered, so that what was printed before a stop is read before the stop.
    command.extend(["-X", "frozen_modules=off", "-u"].map(String::from));
    command.extend_from_slice(python_arguments);
    command.extend([text(launcher), text(plan)]);
    command
}

/// The expression that makes a program gather what it prints into larger pieces, or print each at
/// once again and what it has gathered. Its launcher sees to it that nothing is left behind at a stop.
pub fn gather_output(is_flooding: bool) -> String {
    // 4096: a pipe takes as much whole or not at all. Of a larger piece, a signal may cut off the end,
    // and Python 3 would not write it again. 8192 is what Python has by itself.
    let (at_once, piece) = if is_flooding { ("False", 4096) } else { ("True", 8192) };
    format!(
        "(lambda out: (out.reconfigure(write_through={at_once}), setattr(out, '_CHUNK_SIZE', {piece})))\
         (__import__('sys').__stdout__)"
    )
}

/// Variables that the program gets beside its own.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    // Children are started without the frozen_modules flag and would warn on stderr.
    ("PYDEVD_DISABLE_FILE_VALIDATION", "1"),
    // After 3 s in a slow repr, pydevd would resume the other threads behind our back.
    ("PYDEVD_UNBLOCK_THREADS_ON_VARIABLES_TIMEOUT", "-1"),
];

/// Arguments of `attach`; the caller's options win.
pub fn attach_arguments(
    just_my_code: bool,
    follow_children: bool,
    options: &Map<String, Value>,
) -> Value {
    let mut arguments = Map::new();
    arguments.insert("justMyCode".into(), just_my_code.into());
    arguments.insert("subProcess".into(), follow_children.into());
    arguments.insert("showReturnValue".into(), true.into());
    // sys.exit is an end, not an error; debugpy 1.8 would stop at every code but 0.
    arguments.insert("breakOnSystemExit".into(), json!([]));
    arguments.extend(options.clone());
    Value::Object(arguments)
}

/// The same arguments for a process that is to stop at its first line; debugpy 1.8 heeds that only
/// in a `launch`.
pub fn stopping_at_entry(mut arguments: Value) -> Value {
    arguments["stopOnEntry"] = true.into();
    arguments
}

/// The plain name of a function: at some exceptions debugpy 1.8 adds a note to the frame's.
pub fn plain_function(name: &str) -> &str {
    name.strip_suffix(" (Current frame)").unwrap_or(name)
}

/// Told to every process before it runs: a condition that raises is reported, and does not stop.
pub fn properties() -> Value {
    json!({ "skipSuspendOnBreakpointException": ["BaseException"], "skipPrintBreakpointException": [] })
}

/// What only the interpreter knows of texts and files is asked of this program: it reads a JSON
/// object with `expressions` and `files`, and prints `problems`, the error of each expression or
/// null, and `lines`, the lines of each file that have code, or null.
pub const EXAMINE: &str = include_str!("examine.py");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_in_the_plan_and_not_in_the_command() {
        let dial = Dial { port: 7, secret: "hush", debugpy: Path::new("/d") };
        let target = Target::Module("pytest".into());

        let plan = launch_plan(&dial, &target, &["-x".into()], true).to_string();
        let command =
            command(Path::new("/python"), &["-O".into()], Path::new("/l.py"), Path::new("/plan"));

        assert!(plan.contains("hush") && plan.contains(r#""-m","pytest","-x""#));
        assert_eq!(command, ["/python", "-X", "frozen_modules=off", "-u", "-O", "/l.py", "/plan"]);
    }

    #[test]
    fn the_callers_options_win() {
        let options = Map::from_iter([("justMyCode".to_owned(), json!(false))]);

        assert_eq!(attach_arguments(true, true, &options)["justMyCode"], false);
    }
}
