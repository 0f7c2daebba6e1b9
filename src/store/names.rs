//! Names and times that mean the same to every process and every version.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Sixteen letters that stand for these bytes (FNV-1a): the same ever after, unlike Rust's own hash.
pub fn stable_hash(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Whole milliseconds since 1970.
pub fn unix_ms(time: SystemTime) -> u64 {
    let span = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// The time that so many milliseconds since 1970 stand for.
pub fn from_unix_ms(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_known_one() {
        assert_eq!(stable_hash(b""), "cbf29ce484222325");
        assert_eq!(stable_hash(b"a"), "af63dc4c8601ec8c");
    }
}
