// npyjs under the runner's protocol.
//
// The library returns the elements in the order of the file and says which order that is. It widens half floats.
// It reports only the type's letter and size, and takes nothing but little-endian: that is the descr.

import { writeFileSync } from "node:fs";
import { accept, Beyond, bytes, digest, halves, hasRecord, load, serve, unsupported } from "./shared/adapter.mjs";
import { dump, load as read } from "npyjs";

async function answer(file) {
  let array;
  try {
    array = await read(load(file));
  } catch (error) {
    if (String(error.message).startsWith("Unsupported dtype") || hasRecord(file)) return unsupported(error);
    throw error;
  }
  const { data, shape, dtype, fortranOrder } = array;
  const [elements, itemsize] = encoded(data, dtype);
  return accept(shape, {
    descr: /^[biu]1$/.test(dtype) ? `|${dtype}` : `<${dtype}`,
    fortran_order: fortranOrder,
    elements_sha256: digest(elements, itemsize, shape, fortranOrder),
  });
}

function encoded(data, dtype) {
  if (dtype[0] === "U") {
    const length = parseInt(dtype.slice(1), 10);
    return [bytes(Uint32Array.from(data.flatMap((text) => codePoints(text, length)))), 4 * length];
  }
  return [bytes(dtype === "f2" ? halves(data) : data), parseInt(dtype.slice(1), 10)];
}

function codePoints(text, length) {
  const points = Array.from(text, (character) => character.codePointAt(0));
  while (points.length < length) points.push(0);
  return points;
}

const arrays = {
  "|u1": Uint8Array, "|i1": Int8Array, "<u2": Uint16Array, "<i2": Int16Array, "<u4": Uint32Array, "<i4": Int32Array,
  "<u8": BigUint64Array, "<i8": BigInt64Array, "<f4": Float32Array, "<f8": Float64Array, "<c8": Float32Array,
  "<c16": Float64Array, "|b1": Uint8Array,
};

function write({ descr, shape, fortran_order, version, elements }, file) {
  if (fortran_order || (version ?? "1.0") !== "1.0") throw new Beyond("writes version 1.0 in C order only");
  if (!(descr in arrays)) throw new Beyond("no typed array of that type");
  const options = /^.[cb]/.test(descr) ? { dtype: descr.slice(1) } : undefined;
  writeFileSync(file, Buffer.from(dump(new arrays[descr](elements), shape, options)));
}

serve({ implementation: "npyjs", version: "1.2.0", read: answer, write });
