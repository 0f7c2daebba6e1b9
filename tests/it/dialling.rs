//! The port that programs dial back to: open to those who belong to the session, and only while it
//! has a program.

use debug_relay::proto::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{LIMIT, Process, Program, Server, eventually, shows_a_secret};

/// The ports on which a process listens on loopback.
fn ports_of(process: Process) -> Vec<u16> {
    let files = std::fs::read_dir(format!("/proc/{}/fd", process.0)).unwrap().flatten();
    let links = files.filter_map(|file| std::fs::read_link(file.path()).ok());
    let sockets: Vec<String> = links
        .filter_map(|link| {
            let link = link.to_string_lossy().into_owned();
            Some(link.strip_prefix("socket:[")?.trim_end_matches(']').to_owned())
        })
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let listening =
        rows.filter(|row| row[3] == "0A" && sockets.iter().any(|inode| inode == row[9]));
    let port =
        |row: Vec<&str>| u16::from_str_radix(row[1].rsplit(':').next().unwrap(), 16).unwrap();
    listening.map(port).collect()
}

/// What a stranger hears who dials and answers with this token.
async fn dial(port: u16, token: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let body = format!(
        "{{\"type\":\"response\",\"seq\":1,\"request_seq\":-2,\"success\":true,\
         \"command\":\"pydevdAuthorize\",\"body\":{{\"clientAccessToken\":\"{token}\"}}}}"
    );
    let words = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(words.as_bytes()).await;
    let mut heard = Vec::new();
    let _ = tokio::time::timeout(LIMIT, stream.read_to_end(&mut heard)).await.unwrap();
    heard
}

#[tokio::test]
async fn a_stranger_is_hung_up_on_and_told_nothing() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let ports = ports_of(server.host(&session));
    assert!(!ports.is_empty());

    for port in ports {
        for token in ["", "wrong", &"0".repeat(64)] {
            let heard = String::from_utf8(dial(port, token).await).unwrap();
            // It is asked for its secret, and nothing else.
            assert!(!heard.contains("pydevdSystemInfo"), "{heard}");
        }
    }

    assert_eq!(client.session(&session).await.unwrap().processes.len(), 1);
    client.step_over(&session).await;
}

#[tokio::test]
async fn without_a_program_nobody_is_even_asked() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    let made = client.sessions.create_session(request).await.unwrap().into_inner();
    let fresh = made.session.unwrap().id;
    let ended = client.debug(&Program::named("loop.py"), &[]).await.session.unwrap().id;

    for session in [fresh, ended] {
        let host = server.host(&session);
        eventually("whoever dials is hung up on", async || {
            let mut heard = Vec::new();
            for port in ports_of(host) {
                heard.extend(dial(port, "").await);
            }
            heard.is_empty().then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn no_process_of_a_program_carries_the_secret_where_others_can_read_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::called(
        "parent.py",
        "import subprocess, sys\n\
         code = 'import time; time.sleep(60)'\n\
         child = subprocess.Popen([sys.executable, '-c', code])\n\
         file = subprocess.Popen([sys.executable, __file__.replace('parent', 'child')])\n\
         print('started')  # @here\n\
         child.kill(); file.kill()\n",
    );
    std::fs::write(program.file().replace("parent", "child"), "import time\ntime.sleep(60)\n")
        .unwrap();
    let session = client.stop_at(&program, "here").await;
    let children = eventually("both children are under the debugger", async || {
        let processes = client.session(&session).await.unwrap().processes;
        (processes.len() == 3).then_some(processes)
    })
    .await;

    for process in children {
        assert!(!shows_a_secret(Process::of(process.process_id)));
    }
    client.delete(&session).await;
}
