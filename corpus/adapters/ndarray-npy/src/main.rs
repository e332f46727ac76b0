//! ndarray-npy under the runner's protocol.
//!
//! The library reads an array of a type that the program names. The adapter looks at the header with the
//! library's own parser, and then reads with the type of Rust that has the descr's kind and size; whether that
//! type takes the descr, with its byte order, is left to the library. Where there is none it reads bool: that type
//! looks at the descr before it allocates, and refuses.

use adapter_common::{json, little_endian, members, numbers, reads_archives, serve, Answer, Number, Outcome, Request};
use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use ndarray_npy::npy::header::Header;
use ndarray_npy::{NpzReader, ReadNpyError, ReadNpzError, ReadNpyExt, ReadableElement, WritableElement, WriteNpyExt};
use num_complex::Complex;
use py_literal::Value as Literal;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Elements as little-endian bytes.
trait Bytes: Sized + Clone {
    fn pack(array: &ArrayD<Self>) -> Vec<u8>;
    fn unpack(elements: &[u8]) -> Vec<Self>;
}

macro_rules! bytes_of_numbers {
    ($($type:ty)*) => {$(
        impl Bytes for $type {
            fn pack(array: &ArrayD<Self>) -> Vec<u8> {
                little_endian(array.iter().copied())
            }
            fn unpack(elements: &[u8]) -> Vec<Self> {
                numbers(elements)
            }
        }
    )*};
}
bytes_of_numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

impl<T: Number> Bytes for Complex<T> {
    fn pack(array: &ArrayD<Self>) -> Vec<u8> {
        little_endian(array.iter().flat_map(|number| [number.re, number.im]))
    }
    fn unpack(elements: &[u8]) -> Vec<Self> {
        numbers(elements).chunks_exact(2).map(|pair| Complex { re: pair[0], im: pair[1] }).collect()
    }
}

fn read(path: &Path) -> Answer {
    let header = match File::open(path).map_err(|e| e.to_string()).and_then(|mut file| {
        Header::from_reader(&mut file).map_err(|error| error.to_string())
    }) {
        Ok(header) => header,
        Err(error) => return Answer::Reject(error),
    };
    let Literal::String(descr) = &header.type_descriptor else {
        return Answer::Unsupported("elements are numbers".into());
    };
    match descr.trim_start_matches(['<', '>', '|', '=']) {
        "b1" | "?" => read_as::<bool>(path, &header, descr),
        "i1" | "b" => read_as::<i8>(path, &header, descr),
        "i2" => read_as::<i16>(path, &header, descr),
        "i4" => read_as::<i32>(path, &header, descr),
        "i8" => read_as::<i64>(path, &header, descr),
        "u1" | "B" => read_as::<u8>(path, &header, descr),
        "u2" => read_as::<u16>(path, &header, descr),
        "u4" => read_as::<u32>(path, &header, descr),
        "u8" => read_as::<u64>(path, &header, descr),
        "f4" => read_as::<f32>(path, &header, descr),
        "c8" => read_as::<Complex<f32>>(path, &header, descr),
        "c16" => read_as::<Complex<f64>>(path, &header, descr),
        "f8" => read_as::<f64>(path, &header, descr),
        _ => read_as::<bool>(path, &header, descr),
    }
}

fn read_as<T: ReadableElement + Bytes>(path: &Path, header: &Header, descr: &str) -> Answer {
    let read = File::open(path).map_err(ReadNpyError::from).and_then(ArrayD::<T>::read_npy);
    match read {
        Ok(array) => {
            let keys = json!({
                "descr": descr,
                "shape": array.shape(),
                "fortran_order": header.layout.is_fortran(),
                "count": array.len(),
                "elements_sha256": adapter_common::sha256(&T::pack(&array)),
            });
            Answer::Accept(keys.as_object().expect("an object").clone())
        }
        Err(error @ ReadNpyError::WrongDescriptor(_)) => Answer::Unsupported(error.to_string()),
        Err(error) => Answer::Reject(error.to_string()),
    }
}

/// All members of an archive. The library reads an array of a type that the program names: types are tried until one
/// is not the wrong one.
fn read_archive(path: &Path) -> Answer {
    let opened = File::open(path).map_err(|error| error.to_string());
    let mut archive = match opened.and_then(|file| NpzReader::new(file).map_err(|error| error.to_string())) {
        Ok(archive) => archive,
        Err(error) => return Answer::Reject(error),
    };
    let names = match archive.names() {
        Ok(names) => names,
        Err(error) => return Answer::Reject(error.to_string()),
    };
    let tries: [fn(&mut NpzReader<File>, usize) -> Option<Answer>; 13] = [
        try_as::<f64>, try_as::<f32>, try_as::<i8>, try_as::<i16>, try_as::<i32>, try_as::<i64>, try_as::<u8>,
        try_as::<u16>, try_as::<u32>, try_as::<u64>, try_as::<bool>, try_as::<Complex<f32>>, try_as::<Complex<f64>>,
    ];
    let beyond = || Answer::Unsupported("no element type of the library reads it".into());
    members(names.into_iter().enumerate().map(|(index, name)| {
        (name, tries.iter().find_map(|read| read(&mut archive, index)).unwrap_or_else(beyond))
    }))
}

/// A member as an array of T; None if that is the wrong type.
fn try_as<T: ReadableElement + Bytes>(archive: &mut NpzReader<File>, index: usize) -> Option<Answer> {
    match archive.by_index::<ndarray::OwnedRepr<T>, IxDyn>(index) {
        Ok(array) => {
            let keys = json!({
                "shape": array.shape(),
                "count": array.len(),
                "elements_sha256": adapter_common::sha256(&T::pack(&array)),
            });
            Some(Answer::Accept(keys.as_object().expect("an object").clone()))
        }
        Err(ReadNpzError::Npy(ReadNpyError::WrongDescriptor(_))) => None,
        Err(error) => Some(Answer::Reject(error.to_string())),
    }
}

fn write(request: &Request, path: &Path) -> Outcome {
    if request.version.is_some() {
        return Outcome::Unsupported("the library chooses the version".into());
    }
    match request.descr.as_str() {
        "|b1" => write_as::<bool>(request, path),
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
        "<c8" => write_as::<Complex<f32>>(request, path),
        "<c16" => write_as::<Complex<f64>>(request, path),
        _ => Outcome::Unsupported("no element type of the library writes it".into()),
    }
}

/// The layout that the library writes is that of the array in memory.
fn write_as<T: WritableElement + Bytes>(request: &Request, path: &Path) -> Outcome {
    let rows = match ArrayD::from_shape_vec(IxDyn(&request.shape), T::unpack(&request.elements)) {
        Ok(rows) => rows,
        Err(error) => return Outcome::Error(error.to_string()),
    };
    let array = match request.fortran_order {
        false => rows,
        true => {
            let columns: Vec<T> = rows.t().iter().cloned().collect();
            ArrayD::from_shape_vec(IxDyn(&request.shape).f(), columns).expect("as many elements as before")
        }
    };
    let file = match File::create(path) {
        Ok(file) => file,
        Err(error) => return Outcome::Error(error.to_string()),
    };
    match array.write_npy(BufWriter::new(file)) {
        Ok(()) => Outcome::Written,
        Err(error) => Outcome::Error(error.to_string()),
    }
}

fn main() {
    let reader = if reads_archives() { read_archive } else { read };
    serve("ndarray-npy", "0.10.0", reader, Some(write));
}
