//! npyz under the runner's protocol.
//!
//! npyz reads and writes elements through the traits Deserialize and Serialize, whose implementations for
//! records come from a derive macro and are fixed when a program is compiled. Files of any type need one that is
//! made at run time: `Element` is that, the library's own readers and writers of plain types put in a row as the
//! library's DType says. Of a field without a name that is padding to NumPy, the bytes are taken for
//! zero.

use adapter_common::{json, little_endian, members, numbers, reads_archives, serve, Answer, Number, Outcome, Request, STRANGE_BOOL};
use half::f16;
use npyz::npz::{file_name_from_array_name, NpzArchive};
use npyz::{DType, DTypeError, Deserialize, Field, NpyFile, NpyHeader, Order, Serialize, TypeChar, TypeRead, TypeStr};
use npyz::{TypeWrite, WriteOptions, WriterBuilder};
use num_complex::Complex;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

/// One element of any type, as little-endian bytes.
struct Element(Vec<u8>);

type ReadInto = Box<dyn Fn(&mut dyn Read, &mut Vec<u8>) -> std::io::Result<()>>;
type WriteFrom = Box<dyn Fn(&[u8], &mut dyn Write) -> std::io::Result<()>>;

struct ElementReader(ReadInto);
struct ElementWriter(WriteFrom);

impl TypeRead for ElementReader {
    type Value = Element;
    fn read_one<R: Read>(&self, mut reader: R) -> std::io::Result<Element> {
        let mut bytes = Vec::new();
        (self.0)(&mut reader, &mut bytes)?;
        Ok(Element(bytes))
    }
}

impl Deserialize for Element {
    type TypeReader = ElementReader;
    fn reader(dtype: &DType) -> Result<ElementReader, DTypeError> {
        Ok(ElementReader(reader_of(dtype)?))
    }
}

impl TypeWrite for ElementWriter {
    type Value = Element;
    fn write_one<W: Write>(&self, mut writer: W, element: &Element) -> std::io::Result<()> {
        (self.0)(&element.0, &mut writer)
    }
}

impl Serialize for Element {
    type TypeWriter = ElementWriter;
    fn writer(dtype: &DType) -> Result<ElementWriter, DTypeError> {
        Ok(ElementWriter(writer_of(dtype)?))
    }
}

fn reader_of(dtype: &DType) -> Result<ReadInto, DTypeError> {
    match dtype {
        DType::Plain(plain) => plain_reader(dtype, plain),
        DType::Array(length, inner) => {
            let (length, inner) = (*length, reader_of(inner)?);
            Ok(Box::new(move |from, out| (0..length).try_for_each(|_| inner(from, out))))
        }
        DType::Record(fields) => {
            let mut readers = Vec::new();
            for field in fields {
                readers.push((reader_of(&field.dtype)?, field.name.is_empty() && is_padding(&field.dtype)));
            }
            Ok(Box::new(move |from, out| {
                readers.iter().try_for_each(|(reader, padding)| {
                    let start = out.len();
                    reader(from, out)?;
                    if *padding {
                        out[start..].fill(0);
                    }
                    Ok(())
                })
            }))
        }
    }
}

/// Whether a field of this type and without a name is padding to NumPy.
fn is_padding(dtype: &DType) -> bool {
    match dtype {
        DType::Plain(plain) => plain.type_char() == TypeChar::RawData,
        DType::Array(..) => true,
        DType::Record(_) => false,
    }
}

/// npyz's own reader of numbers of type T.
fn numbers_of<T: Deserialize + Bytes + 'static>(dtype: &DType) -> Result<ReadInto, DTypeError> {
    let reader = T::reader(dtype)?;
    Ok(Box::new(move |from, out| {
        reader.read_one(from)?.push_to(out);
        Ok(())
    }))
}

fn plain_reader(dtype: &DType, plain: &TypeStr) -> Result<ReadInto, DTypeError> {
    match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, _) => numbers_of::<bool>(dtype),
        (TypeChar::Int, 1) => numbers_of::<i8>(dtype),
        (TypeChar::Int, 2) => numbers_of::<i16>(dtype),
        (TypeChar::Int, 4) => numbers_of::<i32>(dtype),
        (TypeChar::Int | TypeChar::DateTime | TypeChar::TimeDelta, 8) => numbers_of::<i64>(dtype),
        (TypeChar::Uint, 1) => numbers_of::<u8>(dtype),
        (TypeChar::Uint, 2) => numbers_of::<u16>(dtype),
        (TypeChar::Uint, 4) => numbers_of::<u32>(dtype),
        (TypeChar::Uint, 8) => numbers_of::<u64>(dtype),
        (TypeChar::Float, 2) => numbers_of::<f16>(dtype),
        (TypeChar::Float, 4) => numbers_of::<f32>(dtype),
        (TypeChar::Complex, 8) => numbers_of::<Complex<f32>>(dtype),
        (TypeChar::Complex, _) => numbers_of::<Complex<f64>>(dtype),
        (TypeChar::ByteStr | TypeChar::RawData, size) => strings_of::<u8>(dtype, size as usize),
        (TypeChar::UnicodeStr, size) => strings_of::<u32>(dtype, size as usize),
        _ => numbers_of::<f64>(dtype),
    }
}

/// npyz's own reader of strings, which drops the zeros behind them: they come back.
fn strings_of<T: Number + 'static>(dtype: &DType, size: usize) -> Result<ReadInto, DTypeError>
where
    Vec<T>: Deserialize,
{
    let reader = <Vec<T>>::reader(dtype)?;
    Ok(Box::new(move |from, out| {
        let start = out.len();
        out.extend(little_endian(reader.read_one(from)?));
        out.resize(start + size * T::SIZE, 0);
        Ok(())
    }))
}

fn writer_of(dtype: &DType) -> Result<WriteFrom, DTypeError> {
    let size = |dtype: &DType| dtype.num_bytes().ok_or_else(|| DTypeError::custom("no fixed size"));
    match dtype {
        DType::Plain(plain) => plain_writer(dtype, plain),
        DType::Array(_, inner) => {
            let (step, inner) = (size(inner)?, writer_of(inner)?);
            Ok(Box::new(move |bytes, to| bytes.chunks_exact(step.max(1)).try_for_each(|one| inner(one, to))))
        }
        DType::Record(fields) => {
            let mut writers = Vec::new();
            for field in fields {
                writers.push((size(&field.dtype)?, writer_of(&field.dtype)?));
            }
            Ok(Box::new(move |bytes, to| {
                let mut rest = bytes;
                writers.iter().try_for_each(|(size, writer)| {
                    let (field, behind) = rest.split_at(*size);
                    rest = behind;
                    writer(field, to)
                })
            }))
        }
    }
}

fn number_writer<T: Serialize + Bytes + 'static>(dtype: &DType) -> Result<WriteFrom, DTypeError> {
    let writer = T::writer(dtype)?;
    Ok(Box::new(move |bytes, to| writer.write_one(to, &T::from_bytes(bytes))))
}

fn bool_writer(dtype: &DType) -> Result<WriteFrom, DTypeError> {
    let writer = bool::writer(dtype)?;
    Ok(Box::new(move |bytes, to| match bytes[0] {
        0 | 1 => writer.write_one(to, &(bytes[0] == 1)),
        _ => Err(std::io::Error::other(STRANGE_BOOL)),
    }))
}

fn string_writer<T: Number + 'static>(dtype: &DType) -> Result<WriteFrom, DTypeError>
where
    [T]: Serialize,
{
    let writer = <[T]>::writer(dtype)?;
    Ok(Box::new(move |bytes, to| writer.write_one(to, &numbers::<T>(bytes)[..])))
}

fn plain_writer(dtype: &DType, plain: &TypeStr) -> Result<WriteFrom, DTypeError> {
    match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool, _) => bool_writer(dtype),
        (TypeChar::Int, 1) => number_writer::<i8>(dtype),
        (TypeChar::Int, 2) => number_writer::<i16>(dtype),
        (TypeChar::Int, 4) => number_writer::<i32>(dtype),
        (TypeChar::Int | TypeChar::DateTime | TypeChar::TimeDelta, 8) => number_writer::<i64>(dtype),
        (TypeChar::Uint, 1) => number_writer::<u8>(dtype),
        (TypeChar::Uint, 2) => number_writer::<u16>(dtype),
        (TypeChar::Uint, 4) => number_writer::<u32>(dtype),
        (TypeChar::Uint, 8) => number_writer::<u64>(dtype),
        (TypeChar::Float, 2) => number_writer::<f16>(dtype),
        (TypeChar::Float, 4) => number_writer::<f32>(dtype),
        (TypeChar::Complex, 8) => number_writer::<Complex<f32>>(dtype),
        (TypeChar::Complex, _) => number_writer::<Complex<f64>>(dtype),
        (TypeChar::ByteStr | TypeChar::RawData, _) => string_writer::<u8>(dtype),
        (TypeChar::UnicodeStr, _) => string_writer::<u32>(dtype),
        _ => number_writer::<f64>(dtype),
    }
}

/// Values that become little-endian bytes and back: the numbers, half floats and complex numbers.
trait Bytes: Sized {
    fn push_to(self, out: &mut Vec<u8>);
    fn from_bytes(bytes: &[u8]) -> Self;
}

impl Bytes for f16 {
    fn push_to(self, out: &mut Vec<u8>) {
        self.to_bits().push(out);
    }
    fn from_bytes(bytes: &[u8]) -> Self {
        f16::from_bits(u16::unpack(bytes))
    }
}

impl<T: Number> Bytes for Complex<T> {
    fn push_to(self, out: &mut Vec<u8>) {
        self.re.push(out);
        self.im.push(out);
    }
    fn from_bytes(bytes: &[u8]) -> Self {
        Complex { re: T::unpack(&bytes[..T::SIZE]), im: T::unpack(&bytes[T::SIZE..]) }
    }
}

macro_rules! bytes_of_numbers {
    ($($type:ty)*) => {$(
        impl Bytes for $type {
            fn push_to(self, out: &mut Vec<u8>) {
                self.push(out);
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                <Self as Number>::unpack(bytes)
            }
        }
    )*};
}
bytes_of_numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

fn read(path: &Path) -> Answer {
    match File::open(path).and_then(|file| NpyFile::new(BufReader::new(file))) {
        Ok(file) => read_array(file),
        Err(error) => Answer::Reject(error.to_string()),
    }
}

/// All arrays of an archive. The library names them in no order; the archive that it gives access to has one.
fn read_archive(path: &Path) -> Answer {
    let mut archive = match NpzArchive::open(path) {
        Ok(archive) => archive,
        Err(error) => return Answer::Reject(error.to_string()),
    };
    let mut names: Vec<String> = archive.array_names().map(str::to_owned).collect();
    let zip = archive.zip_archive();
    let files: Vec<String> =
        (0..zip.len()).map(|index| zip.by_index(index).map(|file| file.name().to_owned()).unwrap_or_default()).collect();
    names.sort_by_key(|name| files.iter().position(|file| *file == file_name_from_array_name(name)));
    let mut read = Vec::new();
    for name in names {
        let answer = match archive.by_name(&name) {
            Ok(Some(file)) => read_array(file),
            Ok(None) => Answer::Reject(format!("no array {name}")),
            Err(error) => Answer::Reject(error.to_string()),
        };
        read.push((name, answer));
    }
    members(read)
}

fn read_array<R: Read>(file: NpyFile<R>) -> Answer {
    let header = file.header().clone();
    let elements: Vec<Element> = match file.data::<Element>() {
        Err(error) => return Answer::Unsupported(error.to_string()),
        Ok(reader) => match reader.collect() {
            Err(error) => return Answer::Reject(error.to_string()),
            Ok(elements) => elements,
        },
    };
    let bytes: Vec<u8> = elements.into_iter().flat_map(|element| element.0).collect();
    accept(&header, &bytes)
}

fn accept(header: &NpyHeader, bytes: &[u8]) -> Answer {
    let shape: Vec<usize> = header.shape().iter().map(|&dimension| dimension as usize).collect();
    let fortran_order = header.order() == Order::Fortran;
    let itemsize = header.dtype().num_bytes().unwrap_or(0);
    let descr = match header.dtype() {
        DType::Plain(plain) => plain.to_string(),
        other => literal(&other),
    };
    let keys = json!({
        "descr": descr,
        "shape": shape,
        "fortran_order": fortran_order,
        "count": header.len(),
        "itemsize": itemsize,
        "elements_sha256": adapter_common::sha256_from(bytes, itemsize, &shape, fortran_order),
    });
    Answer::Accept(keys.as_object().expect("an object").clone())
}

/// The library's DType as a Python literal. (Its own `descr()` leaves control characters in names as they are.)
fn literal(dtype: &DType) -> String {
    match dtype {
        DType::Plain(plain) => format!("'{plain}'"),
        DType::Array(length, inner) => format!("({}, ({length},))", literal(inner)),
        DType::Record(fields) => {
            let fields = fields.iter().map(|field| format!("({}, {})", quoted(&field.name), literal(&field.dtype)));
            format!("[{}]", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(name: &str) -> String {
    let escaped = name.chars().map(|c| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\U{:08x}", c as u32),
        c => c.to_string(),
    });
    format!("'{}'", escaped.collect::<String>())
}

/// A type as the library's DType, made of NumPy's text of it. (The library parses a descr only as a part of a
/// header, and a writer is not to suffer from its parser.)
struct Descr<'a>(std::iter::Peekable<std::str::Chars<'a>>);

impl Descr<'_> {
    fn dtype(text: &str) -> Result<DType, String> {
        match text.starts_with('[') {
            true => Descr(text.chars().peekable()).list(),
            false => plain(text),
        }
    }

    /// The character that comes next behind blanks.
    fn peek(&mut self) -> char {
        while self.0.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        *self.0.peek().unwrap_or(&'\0')
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == wanted;
        if found {
            self.0.next();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        self.take(wanted).then_some(()).ok_or_else(|| format!("expected {wanted}"))
    }

    /// What stands between brackets and commas.
    fn items<T>(&mut self, open: char, close: char, item: fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.expect(open)?;
        let mut found = Vec::new();
        while !self.take(close) {
            found.push(item(self)?);
            if !self.take(',') {
                self.expect(close)?;
                break;
            }
        }
        Ok(found)
    }

    fn list(&mut self) -> Result<DType, String> {
        Ok(DType::Record(self.items('[', ']', Self::field)?))
    }

    fn field(&mut self) -> Result<Field, String> {
        self.expect('(')?;
        if self.peek() == '(' {
            return Err("the library has no titles".into());
        }
        let name = self.string()?;
        self.expect(',')?;
        let dtype = self.kind()?;
        self.take(',');
        let dtype = match self.take(')') {
            true => dtype,
            false => self.arrays_of(dtype)?,
        };
        Ok(Field { name, dtype })
    }

    /// A type inside a field: a string, a list, or a tuple of a type and a shape.
    fn kind(&mut self) -> Result<DType, String> {
        match self.peek() {
            '[' => self.list(),
            '(' => {
                self.expect('(')?;
                let inner = self.kind()?;
                self.expect(',')?;
                self.arrays_of(inner)
            }
            _ => plain(&self.string()?),
        }
    }

    /// A shape and the bracket behind it.
    fn arrays_of(&mut self, inner: DType) -> Result<DType, String> {
        let shape = self.items('(', ')', Self::number)?;
        self.take(',');
        self.expect(')')?;
        Ok(shape.into_iter().rev().fold(inner, |inner, length| DType::Array(length, Box::new(inner))))
    }

    fn number(&mut self) -> Result<u64, String> {
        self.peek();
        let digits: String = std::iter::from_fn(|| self.0.next_if(char::is_ascii_digit)).collect();
        digits.parse().map_err(|_| "expected a number".into())
    }

    fn string(&mut self) -> Result<String, String> {
        let quote = self.peek();
        if quote != '\'' && quote != '"' {
            return Err("expected a string".into());
        }
        self.0.next();
        let mut out = String::new();
        loop {
            match self.0.next().ok_or("the text ends inside a string")? {
                '\\' => out.push(self.escape()?),
                c if c == quote => return Ok(out),
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let length = match self.0.next().ok_or("the text ends inside an escape")? {
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            'x' => 2,
            'u' => 4,
            'U' => 8,
            other => return Ok(other),
        };
        let digits: String = self.0.by_ref().take(length).collect();
        let point = u32::from_str_radix(&digits, 16).map_err(|error| error.to_string())?;
        char::from_u32(point).ok_or_else(|| "no string of Rust holds a lone surrogate".into())
    }
}

fn plain(text: &str) -> Result<DType, String> {
    let plain: TypeStr = text.parse().map_err(|error| format!("{error}"))?;
    Ok(DType::new_scalar(plain))
}

fn write(request: &Request, path: &Path) -> Outcome {
    if request.version.is_some() {
        return Outcome::Unsupported("the library chooses the version".into());
    }
    let dtype = match Descr::dtype(&request.descr) {
        Ok(dtype) => dtype,
        Err(error) => return Outcome::Unsupported(error),
    };
    if let Err(error) = Element::writer(&dtype) {
        return Outcome::Unsupported(error.to_string());
    }
    if request.elements.is_empty() && request.shape.iter().product::<usize>() > 1 << 20 {
        return Outcome::Unsupported("elements of no size are pushed one by one".into());
    }
    match write_file(request, dtype, path) {
        Ok(()) => Outcome::Written,
        Err(error) if error.to_string() == STRANGE_BOOL => Outcome::Unsupported(STRANGE_BOOL.into()),
        Err(error) => Outcome::Error(error.to_string()),
    }
}

fn write_file(request: &Request, dtype: DType, path: &Path) -> std::io::Result<()> {
    let itemsize = dtype.num_bytes().unwrap_or(0);
    let shape: Vec<u64> = request.shape.iter().map(|&dimension| dimension as u64).collect();
    let count: usize = request.shape.iter().product();
    let backwards: Vec<usize> = request.shape.iter().rev().copied().collect();
    let (order, bytes) = match request.fortran_order {
        true => (Order::Fortran, adapter_common::transposed(&request.elements, itemsize, &backwards)),
        false => (Order::C, request.elements.clone()),
    };
    let mut file = BufWriter::new(File::create(path)?);
    let mut writer =
        WriteOptions::new().dtype(dtype).shape(&shape).order(order).writer(&mut file).begin_nd()?;
    for number in 0..count {
        writer.push(&Element(bytes[number * itemsize..(number + 1) * itemsize].to_vec()))?;
    }
    writer.finish()?;
    file.flush()
}

fn main() {
    let reader = if reads_archives() { read_archive } else { read };
    serve("npyz", "0.9.1", reader, Some(write));
}
