//! The crate npy under the runner's protocol.
//!
//! It reads one-dimensional arrays of a type that the program names, and compares the descr as a text with that
//! of the type, so the adapter tries its types in turn. Records need a type that is fixed when a program is
//! compiled, and are left out. `to_vec` is what its documentation has for a whole array.

use adapter_common::{json, little_endian, numbers, serve, Answer, Number, Outcome, Request};
use npy::{DType, NpyData, Serializable};
use std::path::Path;

/// What the library says of a file that has another type than the one asked for, or more dimensions than one.
const OTHER_TYPE: &str = "Types don't match!";
const BEYOND: [&str; 2] = [OTHER_TYPE, "'shape' field is not present or doesn't consist of a tuple of length 1."];

fn read(path: &Path) -> Answer {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Answer::Reject(error.to_string()),
    };
    let readers = [
        read_as::<i8>, read_as::<i16>, read_as::<i32>, read_as::<i64>, read_as::<u8>, read_as::<u16>,
        read_as::<u32>, read_as::<u64>, read_as::<f32>, read_as::<f64>,
    ];
    let mut last = String::new();
    for reader in readers {
        match reader(&bytes) {
            Ok(answer) => return answer,
            Err(error) => last = error,
        }
        if !last.starts_with(OTHER_TYPE) {
            break;
        }
    }
    match BEYOND.iter().any(|start| last.starts_with(start)) || adapter_common::has_record(path) {
        true => Answer::Unsupported(last),
        false => Answer::Reject(last),
    }
}

fn read_as<T: Serializable + Number>(bytes: &[u8]) -> Result<Answer, String> {
    let data = NpyData::<T>::from_bytes(bytes).map_err(|error| error.to_string())?;
    let DType::Plain { ty, .. } = T::dtype() else { unreachable!("numbers are plain") };
    let keys = json!({
        "descr": ty,
        "shape": [data.len()],
        "count": data.len(),
        "elements_sha256": adapter_common::sha256(&little_endian(data.to_vec())),
    });
    Ok(Answer::Accept(keys.as_object().expect("an object").clone()))
}

fn write(request: &Request, path: &Path) -> Outcome {
    if request.fortran_order || request.shape.len() != 1 {
        return Outcome::Unsupported("writes one dimension in C order only".into());
    }
    if let Some(why) = request.beyond("1.0") {
        return Outcome::Unsupported(why);
    }
    match request.descr.as_str() {
        "|i1" => write_as::<i8>(request, path),
        "<i2" => write_as::<i16>(request, path),
        "<i4" => write_as::<i32>(request, path),
        "<i8" => write_as::<i64>(request, path),
        "|u1" => write_as::<u8>(request, path),
        "<u2" => write_as::<u16>(request, path),
        "<u4" => write_as::<u32>(request, path),
        "<u8" => write_as::<u64>(request, path),
        "<f4" => write_as::<f32>(request, path),
        "<f8" => write_as::<f64>(request, path),
        _ => Outcome::Unsupported("no element type of the library writes it".into()),
    }
}

fn write_as<T: Serializable + Number>(request: &Request, path: &Path) -> Outcome {
    match npy::to_file(path, numbers::<T>(&request.elements)) {
        Ok(()) => Outcome::Written,
        Err(error) => Outcome::Error(error.to_string()),
    }
}

fn main() {
    serve("npy", "0.4.0", read, Some(write));
}
