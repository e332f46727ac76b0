//! rustnum under the runner's protocol.
//!
//! The library reads an array of a type that the program names, and has no reader of headers: the adapter tries
//! the seven types in turn. The array that it returns is in C order.

use adapter_common::{json, little_endian, numbers, serve, Answer, Outcome, Request};
use rustnum::{io, Array, Element, Error};
use std::path::Path;

/// Element types and their bytes; the library's usize is NumPy's u8.
trait Bytes: Element {
    const DESCR: &'static str;
    fn pack(elements: Vec<Self>) -> Vec<u8>;
    fn unpack(elements: &[u8]) -> Vec<Self>;
}

macro_rules! bytes_of_numbers {
    ($($type:ty as $number:ty, $descr:expr;)*) => {$(
        impl Bytes for $type {
            const DESCR: &'static str = $descr;
            fn pack(elements: Vec<Self>) -> Vec<u8> {
                little_endian(elements.into_iter().map(|element| element as $number))
            }
            fn unpack(elements: &[u8]) -> Vec<Self> {
                numbers::<$number>(elements).into_iter().map(|number| number as $type).collect()
            }
        }
    )*};
}
bytes_of_numbers! {
    f64 as f64, "<f8"; f32 as f32, "<f4"; i64 as i64, "<i8"; i32 as i32, "<i4"; u8 as u8, "|u1"; bool as bool, "|b1";
    usize as u64, "<u8";
}

type Reader = fn(&Path) -> Result<Answer, Error>;

fn read(path: &Path) -> Answer {
    let readers: [Reader; 7] = [
        read_as::<f64>, read_as::<f32>, read_as::<i64>, read_as::<i32>, read_as::<u8>, read_as::<bool>,
        read_as::<usize>,
    ];
    let mut last = String::new();
    for reader in readers {
        match reader(path) {
            Ok(answer) => return answer,
            Err(error @ Error::DType { .. }) => last = error.to_string(),
            Err(error) if adapter_common::has_record(path) => return Answer::Unsupported(error.to_string()),
            Err(error) => return Answer::Reject(error.to_string()),
        }
    }
    Answer::Unsupported(last)
}

fn read_as<T: Bytes>(path: &Path) -> Result<Answer, Error> {
    let array: Array<T> = io::load_npy(path)?;
    let keys = json!({
        "descr": T::DESCR,
        "shape": array.shape(),
        "elements_sha256": adapter_common::sha256(&T::pack(array.to_vec())),
    });
    Ok(Answer::Accept(keys.as_object().expect("an object").clone()))
}

fn write(request: &Request, path: &Path) -> Outcome {
    if request.fortran_order {
        return Outcome::Unsupported("writes C order only".into());
    }
    if let Some(why) = request.beyond("1.0") {
        return Outcome::Unsupported(why);
    }
    match request.descr.as_str() {
        "<f8" => write_as::<f64>(request, path),
        "<f4" => write_as::<f32>(request, path),
        "<i8" => write_as::<i64>(request, path),
        "<i4" => write_as::<i32>(request, path),
        "|u1" => write_as::<u8>(request, path),
        "|b1" => write_as::<bool>(request, path),
        "<u8" => write_as::<usize>(request, path),
        _ => Outcome::Unsupported("no element type of the library writes it".into()),
    }
}

fn write_as<T: Bytes>(request: &Request, path: &Path) -> Outcome {
    let array = Array::from_vec(T::unpack(&request.elements), &request.shape);
    match io::save_npy(path, &array) {
        Ok(()) => Outcome::Written,
        Err(error) => Outcome::Error(error.to_string()),
    }
}

fn main() {
    serve("rustnum", "0.1.0", read, Some(write));
}
