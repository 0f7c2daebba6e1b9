//! What the doctor finds on a good machine and on bad ones, and what it says to do.

use std::os::unix::fs::PermissionsExt;

use crate::support::{Server, Setup, tools};

/// The lines about one subject: the finding, and what to do about it.
fn finding(printed: &str, subject: &str) -> String {
    let is_about = |line: &&str| line.get(6..).is_some_and(|rest| rest.starts_with(subject));
    let mut lines = printed.lines().skip_while(|line| !is_about(line));
    let first = lines.next().unwrap_or_else(|| panic!("nothing about {subject} in\n{printed}"));
    let remedies = lines.take_while(|line| line.starts_with("      "));
    std::iter::once(first).chain(remedies.map(str::trim)).collect::<Vec<_>>().join("\n")
}

/// A setup in which nothing fails.
fn healthy() -> Setup {
    Setup::with(&format!("listen = '127.0.0.1:0'\ndebugpy = {:?}\n", tools().join("debugpy")))
}

#[test]
fn nothing_fails_on_a_good_setup_and_nothing_is_made() {
    let setup = healthy();

    let printed = setup.run(&["doctor"]).succeeded();

    for subject in ["config", "python", "debugpy", "run folder", "token", "state folder", "listen"]
    {
        assert!(finding(&printed, subject).starts_with("ok  "), "{subject}:\n{printed}");
    }
    for subject in ["attach", "ptrace", "lldb-dap", "gdb with DAP", "dlv", "open files"] {
        finding(&printed, subject);
    }
    assert!(!printed.contains('\u{1b}'), "no colours in a pipe");
    assert_eq!(std::fs::read_dir(setup.path().join("runtime")).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(setup.path().join("state")).unwrap().count(), 0);
}

#[test]
fn a_python_that_does_not_run_is_named_with_what_to_do() {
    let setup = healthy();
    let broken = setup.path().join("python");
    std::fs::write(&broken, "#!/bin/sh\necho no such luck >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&broken, PermissionsExt::from_mode(0o755)).unwrap();

    let ran = setup.run(&["doctor", "--python", broken.to_str().unwrap()]);

    assert_eq!(ran.status.code(), Some(1));
    let says = finding(&ran.out, "python");
    assert!(says.starts_with("FAIL") && says.contains("does not run: no such luck"), "{says}");
    assert!(says.contains("\ndo: set python (--python)"), "{says}");
}

#[test]
fn a_python_that_is_too_old_or_not_there_fails() {
    let setup = healthy();
    let old = setup.path().join("old");
    std::fs::write(&old, "#!/bin/sh\necho 3.7.17\n").unwrap();
    std::fs::set_permissions(&old, PermissionsExt::from_mode(0o755)).unwrap();

    let old = setup.run(&["doctor", "--python", old.to_str().unwrap()]).out;
    let none = setup.run(&["doctor", "--python", "python-of-nobody"]).out;

    assert!(finding(&old, "python").contains("Python 3.7.17, too old"), "{old}");
    assert!(finding(&none, "python").contains("python-of-nobody does not run"), "{none}");
}

#[test]
fn a_python_may_be_an_environment_or_a_name_on_the_path() {
    let setup = healthy();
    let folder = setup.path().join("env/bin");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["python", "python-of-ours"] {
        std::fs::write(folder.join(name), "#!/bin/sh\necho 3.99.1\n").unwrap();
        std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let environment = setup.path().join("env").to_string_lossy().into_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());

    let by_folder = setup.run(&["doctor", "--python", &environment]).succeeded();
    let by_name =
        setup.run_in(&["doctor", "--python", "python-of-ours"], &[("PATH", &path)]).succeeded();

    for (printed, name) in [(by_folder, "python"), (by_name, "python-of-ours")] {
        let found = format!("3.99.1 at {}", folder.join(name).display());
        assert!(finding(&printed, "python").contains(&found), "{printed}");
    }
}

#[test]
fn a_folder_without_debugpy_fails_and_one_that_can_be_filled_does_not() {
    let setup = Setup::with("listen = '127.0.0.1:0'");

    let own = setup.run(&["doctor"]).succeeded();
    let named = setup.run(&["doctor", "--debugpy", "/no/such"]);

    assert!(finding(&own, "debugpy").contains("installs 1.8.22 at its first start"), "{own}");
    assert_eq!(named.status.code(), Some(1));
    let says = finding(&named.out, "debugpy");
    assert!(says.contains("run: pip install --target /no/such debugpy==1.8.22"), "{says}");
}

#[test]
fn a_run_folder_that_others_may_enter_fails() {
    let setup = healthy();
    let open = setup.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o755)).unwrap();

    let ran = setup.run(&["doctor", "--run-dir", open.to_str().unwrap()]);

    assert_eq!(ran.status.code(), Some(1));
    let says = finding(&ran.out, "run folder");
    assert!(says.starts_with("FAIL") && says.contains("other users may enter it"), "{says}");
    assert!(says.contains(&format!("run: chmod 700 {}", open.display())), "{says}");
}

#[test]
fn a_port_that_something_else_has_fails() {
    let setup = healthy();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();

    let ran = setup.run(&["doctor", "--listen", &address]);

    assert_eq!(ran.status.code(), Some(1));
    let says = finding(&ran.out, "listen");
    assert!(says.contains(&format!("{address} is in use by something else")), "{says}");
    assert!(says.contains("do: choose another --listen"), "{says}");
}

#[tokio::test]
async fn a_port_that_our_own_server_has_is_fine() {
    let server = Server::start().await;
    let setup = healthy();
    let run_dir = server.run_dir().to_string_lossy().into_owned();

    let same = setup.run(&["doctor", "--run-dir", &run_dir, "--listen", &server.address]);
    let other = setup.run(&["doctor", "--run-dir", &run_dir]);

    let says = finding(&same.succeeded(), "listen");
    assert!(says.starts_with("ok") && says.contains(&server.pid().to_string()), "{says}");
    let says = finding(&other.succeeded(), "listen");
    assert!(says.starts_with("warn") && says.contains(&server.address), "{says}");
}

#[test]
fn wrong_settings_are_listed_and_the_rest_is_looked_at_all_the_same() {
    let setup = Setup::with("lisen = 1\n[limits]\nsessions = 0\n");

    let ran = setup.run(&["doctor", "--listen", "127.0.0.1:0"]);

    assert_eq!(ran.status.code(), Some(1));
    let says = finding(&ran.out, "config");
    assert!(says.contains("config.toml:1: lisen: ") && says.contains("config.toml:3: "), "{says}");
    assert!(finding(&ran.out, "listen").starts_with("ok"), "{}", ran.out);
}
