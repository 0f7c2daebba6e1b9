//! Turns the contract in proto/ into Rust, without protoc, and writes the descriptor set that
//! reflection serves, comments included.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=proto");

    let mut files: Vec<PathBuf> = std::fs::read_dir("proto/debugrelay/v1")?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.sort();

    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).include_imports(true).open_files(&files)?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("debugrelay.bin"), compiler.encode_file_descriptor_set())?;
    let mut names = tonic_prost_build::Config::new();
    // The CLI finds a message's description by its name.
    names.enable_type_names();
    tonic_prost_build::configure()
        .bytes(".")
        .compile_fds_with_config(compiler.file_descriptor_set(), names)?;
    tell_of_build();
    Ok(())
}

/// What `--version` and GetInfo tell of the build. Outside of a checkout there is no commit, and debug
/// builds do not tell it: they would be made anew at every commit.
fn tell_of_build() {
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    for name in ["TARGET", "PROFILE"] {
        let value = std::env::var(name).unwrap_or_default();
        println!("cargo::rustc-env=DEBUG_RELAY_{name}={value}");
    }
    let commit = if is_release { commit().unwrap_or_default() } else { String::new() };
    println!("cargo::rustc-env=DEBUG_RELAY_COMMIT={commit}");
}

fn commit() -> Option<String> {
    for file in [".git/HEAD", ".git/refs/heads", ".git/packed-refs"] {
        // One that is not there would make every build a new one.
        if std::path::Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let asked =
        std::process::Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let answer = asked.ok().filter(|answer| answer.status.success())?;
    Some(String::from_utf8(answer.stdout).ok()?.trim().to_owned())
}
