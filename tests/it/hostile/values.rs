//! Values that nobody expects, by type, and the short lists for what could start or reach something.

pub const NUMBERS: &[u64] = &[
    0,
    1,
    2,
    3,
    10,
    77,
    1000,
    100_000,
    1_000_000,
    1_000_001,
    1_000_002,
    2_000_001,
    i32::MAX as u64,
    u32::MAX as u64,
    u32::MAX as u64 + 1,
    i64::MAX as u64,
    i64::MIN as u64,
    i32::MIN as i64 as u64,
    u64::MAX,
    u64::MAX - 1,
];

pub const TEXTS: &[&str] = &[
    "",
    " ",
    "\0",
    "a\0b",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "`",
    "%s%n",
    "{}",
    "{0.__class__}",
    "$(id)",
    "../../etc/passwd",
    "/",
    "//",
    ".",
    "~",
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "-c",
    "--help",
    "\u{202e}",
    "\u{feff}",
    "\u{10ffff}",
    "\u{2028}",
    "é",
    "😀",
    "x",
    "item",
    "total",
    "add",
    "add.x",
    "1",
    "None",
    "1 / 0",
    "[item] * 3",
    "item = 5",
    "lambda: 0",
    "yield",
    "await x",
    "*",
    "a=b",
    "{item",
    "{item}",
    "% 3",
    ">= 2",
    "raised",
    "uncaught",
    "userUnhandled",
    "debugpy",
    "loop.py",
    "Content-Length: 9\r\n\r\n",
    "\u{1}\u{2}\u{3}",
    "nan",
    "-1",
];

pub const DOUBLES: &[f64] =
    &[0.0, -0.0, 1.0, -1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, 9e15];

pub const MODULES: &[&str] = &["", "no_such_module_here", "..", "\0", "a b", "-c"];
pub const CODES: &[&str] =
    &["", "pass", "print('x')", "(", "\0", "raise SystemExit(3)", "x = '\u{10ffff}'"];
pub const PYTHONS: &[&str] =
    &["", "/nope/python", "/dev/null", "/", "\0", "no-such-python", "../../nope"];
pub const HOSTS: &[&str] = &["", "127.0.0.1", "localhost", "::1", "\0", ".."];
/// No port that somebody else on this machine may have.
pub const PORTS: &[u64] = &[0, 1, 65_536, u32::MAX as u64];
/// No process that there may be.
pub const PROCESSES: &[i64] = &[0, -1, i64::MIN, i64::MAX];
