// numpy-ts under the runner's protocol.
//
// The library's header reader gives version, descr and order; the array that parseNpy returns is in C order and
// native, its half floats widened where the runtime has none.

import { readFileSync } from "node:fs";
import { accept, Beyond, bytes, digest, fromHalf, halves, hasRecord, serve, unsupported } from "./shared/adapter.mjs";
import { array as arrayOf, Complex, DTYPE_TO_DESCR, frombuffer, parseNpy, parseNpyHeader, parseNpz, saveNpySync, UnsupportedDTypeError } from "numpy-ts";

function read(file) {
  const content = new Uint8Array(readFileSync(file));
  try {
    const { version, header, dataOffset } = parseNpyHeader(content);
    const array = parseNpy(content);
    const { dtype, data } = array;
    const elements = bytes(dtype === "float16" && data instanceof Float32Array ? halves(data) : data);
    const answer = accept([...array.shape], {
      version: `${version.major}.${version.minor}`,
      descr: header.descr,
      fortran_order: header.fortran_order,
      count: array.size,
      data_offset: dataOffset,
      elements_sha256: digest(elements, 1, [], false),
    });
    array.dispose();
    return answer;
  } catch (error) {
    if (error instanceof UnsupportedDTypeError || hasRecord(file)) return unsupported(error);
    throw error;
  }
}

// The arrays are native and in C order; headers are gone by then.
async function readArchive(file) {
  try {
    const { arrays } = await parseNpz(new Uint8Array(readFileSync(file)));
    const members = [...arrays].map(([key, array]) => {
      const { dtype, data } = array;
      const elements = bytes(dtype === "float16" && data instanceof Float32Array ? halves(data) : data);
      const { verdict, ...said } = accept([...array.shape], { elements_sha256: digest(elements, 1, [], false) });
      array.dispose();
      return { key, array: said };
    });
    return { verdict: "accept", members };
  } catch (error) {
    if (error instanceof UnsupportedDTypeError) return unsupported(error);
    throw error;
  }
}

const types = new Map(Object.entries(DTYPE_TO_DESCR).map(([type, descr]) => [descr, type]));

// frombuffer makes no complex array, and no half floats where the runtime has none.
function flat(elements, type) {
  if (type === "float16") return arrayOf(Array.from(new Uint16Array(elements), fromHalf), type);
  if (!type.startsWith("complex")) return frombuffer(elements, type);
  const parts = type === "complex64" ? new Float32Array(elements) : new Float64Array(elements);
  const complex = (_, i) => new Complex(parts[2 * i], parts[2 * i + 1]);
  return arrayOf(Array.from({ length: parts.length / 2 }, complex), type);
}

function write({ descr, shape, fortran_order, version, elements }, file) {
  if (fortran_order || (version ?? "3.0") !== "3.0") throw new Beyond("writes version 3.0 in C order only");
  if (!types.has(descr)) throw new Beyond("no array of that type");
  const array = flat(elements, types.get(descr)).reshape(shape);
  saveNpySync(file, array);
  array.dispose();
}

serve({ implementation: "numpy-ts", version: "1.7.0", read: process.argv[2] === "npz" ? readArchive : read, write });
