// numpy-parser under the runner's protocol.
//
// The library returns a typed array and a shape, always of a file in C order. The typed array tells the descr.

import { accept, bytes, digest, hasRecord, load, serve, unsupported } from "./shared/adapter.mjs";
import parser from "numpy-parser";

// What the library says of a type or order that it does not read. The last one is meant to say "Unknown or not yet
// implemented numpy dtype description", but names a variable that is not there.
const beyond = ["Because JavaScript doesn't currently include", "NPY file is written in Fortran byte order",
  "dtype is not defined"];

const types = new Map([
  [Uint8Array, "|u1"], [Uint16Array, "<u2"], [Uint32Array, "<u4"], [Int8Array, "|i1"], [Int16Array, "<i2"],
  [Int32Array, "<i4"], [Float32Array, "<f4"], [Float64Array, "<f8"],
]);

function read(file) {
  let array;
  try {
    array = parser.fromArrayBuffer(load(file));
  } catch (error) {
    if (beyond.some((start) => String(error.message).startsWith(start)) || hasRecord(file)) return unsupported(error);
    throw error;
  }
  return accept(array.shape, {
    descr: types.get(array.data.constructor),
    fortran_order: false,
    elements_sha256: digest(bytes(array.data), array.data.BYTES_PER_ELEMENT, array.shape, false),
  });
}

serve({ implementation: "numpy-parser", version: "1.2.3", read });
