//! The lines level of the adapter protocol, and what an answer needs: elements in C order, little-endian.
//!
//! A panic of the library under test is not caught: the process dies, and the runner calls that a crash.

use std::io::{BufRead, Write};
use std::path::Path;

pub use base64;
pub use serde_json::{json, Map, Value};

/// What a library said about a file.
pub enum Answer {
    /// The keys that it really told.
    Accept(Map<String, Value>),
    Reject(String),
    /// It said, by the type of its error or in its documentation, that it does not do this type or order.
    Unsupported(String),
}

/// What a library did with a request to write.
pub enum Outcome {
    Written,
    Unsupported(String),
    Error(String),
}

/// A request to write: elements in C order, little-endian.
pub struct Request {
    pub descr: String,
    pub shape: Vec<usize>,
    pub fortran_order: bool,
    pub version: Option<String>,
    pub elements: Vec<u8>,
}

impl Request {
    fn from_json(value: &Value) -> Result<Request, String> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let dimensions = value["shape"].as_array().ok_or("shape")?;
        let encoded = text("elements_base64").ok_or("elements_base64")?;
        use base64::Engine;
        Ok(Request {
            descr: text("descr").ok_or("descr")?,
            shape: dimensions
                .iter()
                .map(|d| d.as_u64().map(|d| d as usize).ok_or("shape"))
                .collect::<Result<_, _>>()?,
            fortran_order: value["fortran_order"].as_bool().unwrap_or(false),
            version: text("version"),
            elements: base64::engine::general_purpose::STANDARD
                .decode(encoded)
                .map_err(|e| e.to_string())?,
        })
    }

    /// Whether it asks for bytes of a bool that no bool of Rust has.
    fn has_strange_bool(&self) -> bool {
        self.descr == "|b1" && self.elements.iter().any(|&byte| byte > 1)
    }

    /// Why a writer that knows one version only cannot do this.
    pub fn beyond(&self, version: &str) -> Option<String> {
        if self.version.as_deref().is_some_and(|v| v != version) {
            return Some(format!("writes version {version} only"));
        }
        None
    }
}

pub const STRANGE_BOOL: &str = "a bool is 0 or 1";

/// Whether the adapter is to read archives: its first word is `npz`.
pub fn reads_archives() -> bool {
    std::env::args().nth(1).as_deref() == Some("npz")
}

/// The answer for an archive: each member by its key, with what the library said of its array. A member that it
/// refuses, or does not support, decides for the archive.
pub fn members(read: impl IntoIterator<Item = (String, Answer)>) -> Answer {
    let mut members = Vec::new();
    for (key, answer) in read {
        match answer {
            Answer::Accept(array) => members.push(json!({"key": key, "array": array})),
            other => return other,
        }
    }
    let mut keys = Map::new();
    keys.insert("members".into(), members.into());
    Answer::Accept(keys)
}

pub type Reader = fn(&Path) -> Answer;
pub type Writer = fn(&Request, &Path) -> Outcome;

/// Answers the runner's lines until it says stop or closes the pipe.
pub fn serve(implementation: &str, version: &str, reader: Reader, writer: Option<Writer>) {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line of UTF-8");
        let command: Value = serde_json::from_str(&line).expect("a JSON object");
        let reply = match command["cmd"].as_str() {
            Some("start") => json!({"protocol": 1, "implementation": implementation,
                                    "version": version, "language": "Rust"}),
            Some("read") => read_reply(&command, reader),
            Some("write") => write_reply(&command, writer),
            _ => return,
        };
        writeln!(out, "{reply}").expect("a runner that listens");
        out.flush().expect("a runner that listens");
    }
}

fn read_reply(command: &Value, reader: Reader) -> Value {
    let file = command["file"].as_str().expect("a file");
    let mut reply = match reader(Path::new(file)) {
        Answer::Accept(mut keys) => {
            keys.insert("verdict".into(), "accept".into());
            Value::Object(keys)
        }
        Answer::Reject(message) => json!({"verdict": "reject", "message": brief(&message)}),
        Answer::Unsupported(message) => json!({"verdict": "unsupported", "message": brief(&message)}),
    };
    reply["seq"] = command["seq"].clone();
    reply
}

fn write_reply(command: &Value, writer: Option<Writer>) -> Value {
    let file = command["file"].as_str().expect("a file");
    let outcome = match (Request::from_json(&command["request"]), writer) {
        (_, None) => Outcome::Unsupported("the library does not write".into()),
        (Err(key), _) => Outcome::Error(format!("request: {key}")),
        (Ok(request), _) if request.has_strange_bool() => Outcome::Unsupported(STRANGE_BOOL.into()),
        (Ok(request), Some(writer)) => writer(&request, Path::new(file)),
    };
    let mut reply = match outcome {
        Outcome::Written => json!({"written": true}),
        Outcome::Unsupported(why) => json!({"unsupported": brief(&why)}),
        Outcome::Error(why) => json!({"error": brief(&why)}),
    };
    reply["seq"] = command["seq"].clone();
    reply
}

/// A message in one line, cut short: some quote a whole hostile header.
fn brief(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(100).collect()
}

/// The digest of elements that already lie in C order.
pub fn sha256(elements: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(elements).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of elements that a library returned in the order of the file.
///
/// If their number is not that of the shape the library returned something that cannot be put in order; the
/// digest of what it returned is then as good as any other wrong one.
pub fn sha256_from(elements: &[u8], itemsize: usize, shape: &[usize], fortran_order: bool) -> String {
    let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    if !fortran_order || count.and_then(|n| n.checked_mul(itemsize)) != Some(elements.len()) {
        return sha256(elements);
    }
    sha256(&transposed(elements, itemsize, shape))
}

/// Elements of an array in Fortran order, put in C order. (With the shape reversed it does the opposite.)
pub fn transposed(elements: &[u8], itemsize: usize, shape: &[usize]) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len());
    if elements.is_empty() {
        return out;
    }
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = itemsize;
    for &dimension in shape {
        strides.push(stride);
        stride *= dimension;
    }
    let mut index = vec![0usize; shape.len()];
    loop {
        let at: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        out.extend_from_slice(&elements[at..at + itemsize]);
        let Some(axis) = (0..shape.len()).rev().find(|&axis| index[axis] + 1 < shape[axis]) else {
            return out;
        };
        index[axis] += 1;
        index[axis + 1..].fill(0);
    }
}

/// Whether the header's text gives a list (a record) as descr: asked only when a library whose
/// documentation promises numbers alone has refused the file, so that a refusal is not called a fault.
pub fn has_record(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let key = b"descr";
    let Some(at) = bytes.windows(key.len()).position(|window| window == key) else { return false };
    let behind = bytes[at + key.len()..].iter().find(|byte| !b"'\": \t\n\r\x0c".contains(byte));
    behind == Some(&b'[')
}

/// Numbers that know their little-endian bytes.
pub trait Number: Copy {
    const SIZE: usize;
    fn push(self, out: &mut Vec<u8>);
    fn unpack(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const SIZE: usize = std::mem::size_of::<$type>();
            fn push(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn unpack(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("the size of the type"))
            }
        }
    )*};
}
number!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

impl Number for bool {
    const SIZE: usize = 1;
    fn push(self, out: &mut Vec<u8>) {
        out.push(self as u8);
    }
    fn unpack(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

/// The little-endian bytes of numbers, in the order they come.
pub fn little_endian<T: Number>(numbers: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut out = Vec::new();
    for number in numbers {
        number.push(&mut out);
    }
    out
}

/// The numbers of a request.
pub fn numbers<T: Number>(elements: &[u8]) -> Vec<T> {
    elements.chunks_exact(T::SIZE).map(T::unpack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_order_is_put_in_c_order_and_back() {
        let columns = [0u8, 3, 1, 4, 2, 5];
        let rows = [0u8, 1, 2, 3, 4, 5];
        assert_eq!(transposed(&columns, 1, &[2, 3]), rows);
        assert_eq!(transposed(&rows, 1, &[3, 2]), columns);
        assert_eq!(transposed(&columns, 2, &[3]), columns);
        assert_eq!(transposed(&[7, 8], 2, &[]), [7, 8]);
        assert!(transposed(&[], 1, &[0, 3]).is_empty());
    }

    #[test]
    fn a_wrong_number_of_elements_is_not_put_in_order() {
        assert_eq!(sha256_from(&[1, 2, 3], 1, &[2, 2], true), sha256(&[1, 2, 3]));
    }
}
