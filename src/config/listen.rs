//! The address that a server listens on.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() {
                Err("unix: needs a path".into())
            } else {
                Ok(Self::Unix(path.into()))
            };
        }
        let text = text.replace("localhost:", "127.0.0.1:");
        text.parse()
            .map(Self::Tcp)
            .map_err(|_| "it must be ADDRESS:PORT, such as 127.0.0.1:50051, or unix:PATH".into())
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_nonsense_is_refused() {
        assert_eq!("localhost:0".parse(), Ok(Listen::Tcp("127.0.0.1:0".parse().unwrap())));
        assert_eq!("unix:///a/b".parse(), Ok(Listen::Unix("/a/b".into())));
        assert_eq!("unix:/a/b".parse::<Listen>().unwrap().to_string(), "unix:/a/b");
        for nonsense in ["", "unix:", "50051", "example.com:1", "127.0.0.1"] {
            assert!(nonsense.parse::<Listen>().is_err(), "{nonsense}");
        }
    }
}
