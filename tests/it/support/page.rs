//! Pages by HTTP, and the numbers in them.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A page of the port for metrics.
pub struct Page {
    pub status: u16,
    pub text: String,
}

impl Page {
    pub async fn get(address: &str, path: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, text) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, text: text.to_owned() }
    }

    /// The sum of all samples of this name whose labels have all these words.
    pub fn sum(&self, name: &str, words: &[&str]) -> f64 {
        let samples = self.text.lines().filter(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
                && words.iter().all(|word| line.contains(word))
        });
        samples.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
    }
}
