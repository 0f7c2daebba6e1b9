//! What is made from the commands themselves: completions and manual pages.

use std::path::Path;

use clap::Command;

/// The completions of a shell.
pub fn completions(mut command: Command, shell: clap_complete::Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "debug-relay", &mut text);
    text
}

/// The manual page of the whole.
pub fn manual(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let exit_codes = "\
.SH \"EXIT STATUS\"
0: done. 1: refused. 2: wrong usage. 3: no server answers. 4: the wait was over, the program runs on. \
5: no such session. 6: the expression raised. `run` exits as the program does, and with 7 when it has \
stopped before its end.
.SH FILES
$XDG_CONFIG_HOME/debug\\-relay/config.toml, $XDG_RUNTIME_DIR/debug\\-relay, $XDG_STATE_HOME/debug\\-relay
";
    let manual = clap_mangen::Man::new(command);
    manual.render(&mut page)?;
    page.extend_from_slice(exit_codes.as_bytes());
    Ok(page)
}

/// A page for each command, into a folder.
pub fn manuals(command: Command, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command.clone(), folder)?;
    std::fs::write(folder.join("debug-relay.1"), manual(command)?)
}
