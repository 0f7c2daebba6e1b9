//! The commands as a person or a script uses them: real processes, in a folder of their own.

pub mod user;

use std::io::Write;
use std::process::Stdio;

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::support::{eventually, is_alive};
use user::User;

#[test]
fn one_command_starts_a_server_and_leads_to_the_first_line() {
    let user = User::new();
    user.write("app.py", "x = 1\ny = 2\n");

    let started = user.run(&["start", "app.py"]);

    assert!(started.out.starts_with("app.py:1 in <module>  entry, stop 1"), "{started:?}");
    assert!(started.out.contains(">1 x = 1"), "{started:?}");
    assert!(started.errors.contains("started a server in the background"), "{started:?}");
    assert!(user.run(&["info"]).succeeded().starts_with("address   127.0.0.1:"));
    // The next command finds it.
    let next = user.run(&["next"]);
    assert!(next.out.contains("app.py:2") && next.out.contains("x  = 1"), "{next:?}");
    assert!(!next.errors.contains("started a server"), "{next:?}");
}

#[tokio::test]
async fn shutdown_ends_the_server_and_the_next_one_has_its_sessions() {
    let user = User::new();
    user.write("app.py", "x = 1\ny = 2\n");
    user.run(&["start", "app.py"]).succeeded();
    let server = user.server();

    user.run(&["shutdown"]).succeeded();

    eventually("the server is gone", async || (!is_alive(server)).then_some(())).await;
    assert_eq!(user.run(&["status"]).status.code(), Some(3));
    assert_eq!(user.run(&["shutdown"]).status.code(), Some(3));
    // One that is started for another program takes them over.
    user.run(&["start", "--id", "second", "app.py"]).succeeded();
    assert_eq!(user.run(&["sessions"]).succeeded().lines().count(), 2);
}

#[test]
fn run_is_as_if_the_program_had_been_started_by_hand() {
    let user = User::new();
    let text = "import sys\nprint('hello', input())\nprint('oh', file=sys.stderr)\nsys.exit(3)\n";
    user.write("ask.py", text);

    let ran = user.run_with_input(&["run", "ask.py"], "bob\n");

    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    assert_eq!(ran.out, "hello bob\n");
    assert!(ran.errors.contains("oh\nthe program ended with exit code 3\n"), "{ran:?}");
    // The same program again, with other input.
    let again = user.run_with_input(&["run"], "eve\n");
    assert_eq!((again.status.code(), again.out.as_str()), (Some(3), "hello eve\n"), "{again:?}");
}

#[test]
fn a_crash_under_run_leaves_the_program_where_it_happened() {
    let user = User::new();
    user.write("crash.py", "def f(x):\n    return 1 / x\n\nf(0)\n");

    let ran = user.run(&["run", "crash.py"]);

    assert_eq!(ran.status.code(), Some(7), "{ran:?}");
    assert!(ran.errors.contains("crash.py:2 in f  exception"), "{ran:?}");
    assert!(ran.errors.contains("ZeroDivisionError: division by zero"), "{ran:?}");
    assert_eq!(user.run(&["print", "x"]).succeeded(), "0  int\n");
}

#[test]
fn exit_codes_tell_programs_what_happened() {
    let user = User::new();
    user.write("loop.py", "import time\nwhile True:\n    time.sleep(0.01)\n");
    user.write("app.py", "x = 1\ny = 2\n");
    let code = |arguments: &[&str]| user.run(arguments).status.code();

    assert_eq!(code(&["status"]), Some(3), "no server");
    assert_eq!(
        code(&["start", "loop.py", "-b", "loop.py:9", "-t", "200ms"]),
        Some(4),
        "it runs on"
    );
    assert_eq!(code(&["await", "-t", "50ms"]), Some(4));
    assert_eq!(code(&["print", "time"]), Some(1), "refused: it runs");
    assert_eq!(code(&["pause"]), Some(0));
    assert_eq!(code(&["print", "nothing_of_this_name"]), Some(6), "it raised");
    assert_eq!(code(&["-s", "nobody", "status"]), Some(5), "no such session");
    assert_eq!(code(&["break", "app.py"]), Some(2), "no line");
    assert_eq!(code(&["start", "--no-such-flag"]), Some(2));
    assert_eq!(code(&["start", "missing.py"]), Some(1));
    assert_eq!(code(&["continue", "-t", "0"]), Some(0), "not waited for");
}

#[test]
fn errors_end_with_a_hint_in_the_words_of_the_commands() {
    let user = User::new();
    user.write("app.py", "x = 1\n");
    user.run(&["start", "app.py"]).succeeded();
    user.run(&["continue"]).succeeded();

    let failed = user.run(&["next"]);
    let as_json = user.run(&["next", "--json"]);

    assert!(failed.errors.contains("is EXITED, so it cannot step\nhint: "), "{failed:?}");
    assert!(failed.errors.contains("`debug-relay run` runs it again"), "{failed:?}");
    let error: Value = serde_json::from_str(&as_json.errors).unwrap();
    assert_eq!(error["reason"], "WRONG_STATE");
    assert!(error["hint"].as_str().unwrap().contains("debug-relay run"), "{error}");
}

#[test]
fn a_folder_remembers_its_session_and_s_picks_another() {
    let user = User::new();
    user.write("app.py", "x = 1\ny = 2\n");
    user.write("deep/er/other.py", "z = 1\n");
    user.run(&["start", "--id", "outer", "app.py"]).succeeded();
    user.run_in("deep", &["start", "--id", "inner", "er/other.py"]).succeeded();
    let status = |folder: &str, arguments: &[&str]| {
        let told = user.run_in(folder, arguments).succeeded();
        told.split(' ').next().unwrap().to_owned()
    };

    assert_eq!(status(".", &["status"]), "outer");
    assert_eq!(status("deep/er", &["status"]), "inner");
    assert_eq!(status("deep", &["status", "-s", "outer"]), "outer");
    user.run_in("deep", &["stop", "--forget"]).succeeded();
    assert_eq!(status("deep/er", &["status"]), "outer");
}

#[test]
fn breakpoints_are_written_as_people_write_them() {
    let user = User::new();
    user.write(
        "app.py",
        "def f(n):\n    m = n * 2\n    return m\n\nfor i in range(5):\n    f(i)\n",
    );
    user.run(&["start", "app.py"]).succeeded();

    let set = user.run(&["break", "app.py:2", "if", "n", "==", "3"]).succeeded();
    user.run(&["break", "6", "log", "i is {i}"]).succeeded();
    user.run(&["break", "f", "--hits", "2", "--once"]).succeeded();

    assert_eq!(set, "breakpoint 1  app.py:2  if n == 3  bound\n");
    let listed = user.run(&["break"]).succeeded();
    assert!(listed.contains("app.py:6  log i is {i}"), "{listed}");
    assert!(listed.contains("f()") && listed.contains("at pass 2, once"), "{listed}");
    user.run(&["break", "disable", "3"]).succeeded();
    let stopped = user.run(&["continue"]).succeeded();
    assert!(stopped.contains("i is 3\n") && stopped.contains("breakpoint 1, stop 2"), "{stopped}");
    user.run(&["break", "remove", "1", "2"]).succeeded();
    let exceptions = user.run(&["break", "exceptions", "raised", "--if", "ValueError"]).succeeded();
    assert!(exceptions.contains("raised         stops   ValueError"), "{exceptions}");
    assert_eq!(user.run(&["break", "clear"]).succeeded(), "removed 3\n");
    assert!(user.run(&["continue"]).succeeded().contains("exit code 0"));
}

#[test]
fn values_are_looked_at_changed_and_found() {
    let user = User::new();
    user.write("app.py", "def f(items):\n    total = sum(items)\n    return total\n\nf([1, 2])\n");
    user.run(&["start", "app.py", "-b", "app.py:3", "-e", "len(items)"]).succeeded();
    let ran = |arguments: &[&str]| user.run(arguments).succeeded();

    assert_eq!(ran(&["backtrace"]), "  0  f         app.py:3\n  1  <module>  app.py:5\n");
    assert_eq!(ran(&["locals"]), "items  [1, 2]  list\ntotal  3       int\n");
    let members =
        "items    [1, 2]  list\n  0      1       int\n  1      2       int\n  len()  2       int\n";
    assert_eq!(ran(&["locals", "items", "-d", "2"]), members);
    assert_eq!(ran(&["set", "total", "=", "7"]), "total = 7 int\n");
    assert_eq!(ran(&["p", "total", "+", "1"]), "8  int\n");
    assert_eq!(ran(&["p", "-f", "1", "f.__name__"]), "'f'  str\n");
    assert_eq!(ran(&["print", "--statement", "total = 9"]), "");
    assert!(ran(&["find", "9"]).starts_with("total  9"), "found");
    assert!(ran(&["threads"]).contains("MainThread"));
    assert!(ran(&["snapshot", "-e", "total"]).contains("  total = 9 int"));
    assert!(ran(&["finish"]).starts_with("app.py:5 in <module>"));
}

#[test]
fn output_events_and_traces_are_read() {
    let user = User::new();
    let text = "import sys\nfor i in range(3):\n    print('line', i)\nsys.stderr.write('oh\\n')\n";
    user.write("app.py", text);
    user.run(&["start", "app.py"]).succeeded();

    let traced = user.run(&["trace", "4", "-e", "i"]).succeeded();

    assert!(traced.contains("app.py:3 <module>  i = 0 | i = 0"), "{traced}");
    user.run(&["continue"]).succeeded();
    let output = user.run(&["output"]);
    assert_eq!((output.out.as_str(), output.errors.as_str()), ("line 0\nline 1\nline 2\n", "oh\n"));
    assert_eq!(user.run(&["output", "-f", "--after", "7"]).succeeded(), "line 1\nline 2\n");
    let events = user.run(&["events", "-f"]).succeeded();
    assert!(
        events.contains("exited   0") && events.trim_end().ends_with("over     exited"),
        "{events}"
    );
    assert_eq!(user.run(&["events"]).succeeded(), events);
}

#[test]
fn input_is_written_while_the_program_waits_for_it() {
    let user = User::new();
    user.write("ask.py", "a = input()\nb = input()\nprint(a, b)\n");
    user.run(&["start", "ask.py", "-b", "ask.py:3", "-t", "0"]).succeeded();

    user.run(&["input", "one", "two"]).succeeded();
    user.run_with_input(&["input"], "three\n").succeeded();

    assert!(user.run(&["await"]).succeeded().contains("b  'three'"));
    assert!(user.run(&["continue"]).succeeded().starts_with("one two three\n"));
}

#[test]
fn every_command_speaks_json() {
    let user = User::new();
    user.write("app.py", "x = 1\nprint(x)\ny = 2\nz = 3\n");
    let json = |arguments: &[&str]| -> Value {
        let printed = user.run(&[&["--json"], arguments].concat()).succeeded();
        let objects = serde_json::Deserializer::from_str(&printed).into_iter::<Value>();
        let objects: Vec<Value> = objects.map(Result::unwrap).collect();
        objects.first().unwrap_or_else(|| panic!("{arguments:?}: {printed}")).clone()
    };

    assert_eq!(json(&["start", "app.py"])["outcome"]["stop"]["reason"], "STOP_REASON_ENTRY");
    assert_eq!(json(&["next", "--brief"])["outcome"]["snapshot"]["changes"][0]["name"], "x");
    assert_eq!(json(&["print", "x"])["value"], "1");
    assert_eq!(json(&["break", "app.py:4"])["breakpoints"][0]["id"], "1");
    assert_eq!(json(&["events"])["sequence"], "1");
    for arguments in [
        &["sessions"][..],
        &["status"],
        &["break"],
        &["break", "exceptions"],
        &["backtrace"],
        &["locals"],
        &["set", "x = 2"],
        &["find", "x"],
        &["threads"],
        &["snapshot"],
        &["step"],
        &["until", "3"],
        &["goto", "2"],
        &["pause"],
        &["await"],
        &["trace", "1"],
        &["output"],
        &["continue"],
        &["adapters"],
        &["info"],
        &["token"],
        &["config", "show"],
        &["config", "check"],
        &["doctor"],
        &["restart"],
        &["break", "clear"],
        &["run", "app.py"],
        &["run"],
        &["stop"],
    ] {
        assert!(json(arguments).is_object(), "{arguments:?}");
    }
}

#[test]
fn colours_are_for_terminals_or_for_who_asks() {
    let user = User::new();
    user.write("app.py", "x = 1\n");

    let plain = user.run(&["start", "app.py"]).succeeded();
    let coloured = user.run(&["status", "--color", "always"]).succeeded();

    assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'), "{coloured:?}");
}

#[test]
fn ctrl_c_pauses_the_program_and_shows_where_it_is() {
    let user = User::new();
    user.write(
        "loop.py",
        "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(0.01)\n",
    );
    let mut waiting = user.command(&["run", "loop.py"]);
    let mut waiting = waiting.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufReader::new(waiting.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();

    let pid = Pid::from_raw(waiting.id() as i32).unwrap();
    rustix::process::kill_process(pid, Signal::INT).unwrap();

    let mut shown = String::new();
    std::io::Read::read_to_string(&mut out, &mut shown).unwrap();
    assert_eq!((line.as_str(), waiting.wait().unwrap().code()), ("begun\n", Some(0)), "{shown}");
    assert!(shown.contains("loop.py:") && shown.contains("pause, stop 1"), "{shown}");
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let user = User::new();
    let folder = user.folder().join("man");

    user.run(&["man", folder.to_str().unwrap()]).succeeded();
    let completions = user.run(&["completions", "bash"]).succeeded();

    for command in ["start", "run", "break", "next", "trace", "doctor", "shutdown"] {
        assert!(folder.join(format!("debug-relay-{command}.1")).is_file(), "{command}");
        assert!(
            completions.contains(&format!("debug__relay__subcmd__{command}"))
                || completions.contains(&format!("debug__relay__{command}")),
            "{command}"
        );
    }
    let page = std::fs::read_to_string(folder.join("debug-relay.1")).unwrap();
    assert!(page.contains("EXIT STATUS"), "{page}");
    assert!(!folder.join("debug-relay-guard.1").exists(), "hidden ones stay hidden");
}

#[test]
fn the_version_tells_of_the_build() {
    let user = User::new();

    let version = user.run(&["--version"]).succeeded();

    let expected = format!("debug-relay {} (", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&expected) && version.contains("-linux-"), "{version}");
}

impl User {
    fn run_with_input(&self, arguments: &[&str], input: &str) -> crate::support::Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        crate::support::Ran::of(child.wait_with_output().unwrap())
    }
}
