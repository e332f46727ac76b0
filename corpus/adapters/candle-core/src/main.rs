//! candle-core under the runner's protocol.
//!
//! The library returns a tensor, always in C order, of one of its own types: bool becomes u8, so the adapter
//! does not say what the file's type was.

use adapter_common::{json, little_endian, numbers, serve, Answer, Number, Outcome, Request};
use candle_core::{DType, Device, Error, Tensor, WithDType};
use half::f16;
use std::path::Path;

/// What the library says of a type or order that it does not read.
const BEYOND: [&str; 4] =
    ["unrecognized descr", "little-endian descr", "fortran order not supported", "empty descr"];

fn read(path: &Path) -> Answer {
    match Tensor::read_npy(path).and_then(|tensor| accept(&tensor)) {
        Ok(answer) => answer,
        Err(error) => refusal(&error, path),
    }
}

fn refusal(error: &Error, path: &Path) -> Answer {
    let text = match error {
        Error::Npy(text) => text.clone(),
        other => other.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    if BEYOND.iter().any(|start| text.starts_with(start)) || adapter_common::has_record(path) {
        return Answer::Unsupported(text);
    }
    Answer::Reject(text)
}

fn accept(tensor: &Tensor) -> Result<Answer, Error> {
    let elements = match tensor.dtype() {
        DType::U8 => pack::<u8>(tensor)?,
        DType::U32 => pack::<u32>(tensor)?,
        DType::I16 => pack::<i16>(tensor)?,
        DType::I32 => pack::<i32>(tensor)?,
        DType::I64 => pack::<i64>(tensor)?,
        DType::F16 => little_endian(flat::<f16>(tensor)?.into_iter().map(f16::to_bits)),
        DType::F32 => pack::<f32>(tensor)?,
        DType::F64 => pack::<f64>(tensor)?,
        other => return Ok(Answer::Unsupported(format!("a tensor of {other:?}"))),
    };
    let keys = json!({
        "shape": tensor.dims(),
        "count": tensor.elem_count(),
        "itemsize": tensor.dtype().size_in_bytes(),
        "elements_sha256": adapter_common::sha256(&elements),
    });
    Ok(Answer::Accept(keys.as_object().expect("an object").clone()))
}

fn flat<T: WithDType>(tensor: &Tensor) -> Result<Vec<T>, Error> {
    tensor.flatten_all()?.to_vec1()
}

fn pack<T: WithDType + Number>(tensor: &Tensor) -> Result<Vec<u8>, Error> {
    Ok(little_endian(flat::<T>(tensor)?))
}

fn write(request: &Request, path: &Path) -> Outcome {
    if request.fortran_order {
        return Outcome::Unsupported("writes C order only".into());
    }
    if let Some(why) = request.beyond("1.0") {
        return Outcome::Unsupported(why);
    }
    let tensor = match request.descr.as_str() {
        "|u1" => tensor_of::<u8>(request),
        "<u4" => tensor_of::<u32>(request),
        "<i2" => tensor_of::<i16>(request),
        "<i4" => tensor_of::<i32>(request),
        "<i8" => tensor_of::<i64>(request),
        "<f2" => {
            let halves: Vec<f16> = numbers(&request.elements).into_iter().map(f16::from_bits).collect();
            Tensor::from_vec(halves, request.shape.as_slice(), &Device::Cpu)
        }
        "<f4" => tensor_of::<f32>(request),
        "<f8" => tensor_of::<f64>(request),
        _ => return Outcome::Unsupported("no tensor of that type".into()),
    };
    match tensor.and_then(|tensor| tensor.write_npy(path)) {
        Ok(()) => Outcome::Written,
        Err(error) => Outcome::Error(error.to_string()),
    }
}

fn tensor_of<T: WithDType + Number>(request: &Request) -> Result<Tensor, Error> {
    Tensor::from_vec(numbers::<T>(&request.elements), request.shape.as_slice(), &Device::Cpu)
}

fn main() {
    serve("candle-core", "0.11.1", read, Some(write));
}
