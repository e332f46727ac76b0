// load.js: arrays from files.

import { NpyArray, stridesOf } from "./array.js";
import { FILE_CHANGED, OBJECT_DATA } from "./core.js";
import { NpyError } from "./error.js";
import { examine, examineStream, failure } from "./header.js";
import { demand, open } from "./source.js";

/**
 * Loads an NPY file.
 *
 * @param {Input} input a string is a path; where
 *   there are no files, and with http: or https:, an address
 * @param {{trailing?: boolean, compat?: boolean, objects?: ObjectDecoder}} [options] trailing: whether bytes after the data are
 *   accepted; true. compat: whether spellings are accepted that other programs write and the format does not allow, as by
 *   `--compat all`; false. objects: what decodes objects, `objects()` of safenpy/objects
 * @returns {Promise<NpyArray | ObjectArray>} an array that shares the memory of bytes which were given
 * @throws {NpyError} the file is refused, or has objects that nothing was given for
 * @throws {RangeError} it needs more memory than there is
 * @throws {TypeError} objects is something else
 * @example
 * const array = await load(new Blob([bytes]));
 * assert.deepEqual([array.descr, array.shape, array.get(0)], ["<f8", [3], array.data[0]]);
 */
export async function load(input, { trailing = true, compat = false, objects } = {}) {
  checkDecoder(objects);
  const source = await open(input, true);
  try {
    const { header, refusal } = await examine(source, trailing, compat);
    if (refusal) throw new NpyError(refusal);
    return await elements(source, header, objects);
  } finally {
    await source.close();
  }
}

/** What `objects` may be: nothing, or what `objects()` returns, but not the name of a set. */
export function checkDecoder(objects) {
  if (objects && !objects.array) throw new TypeError("expected objects: objects(), of safenpy/objects");
}

async function elements(source, header, objects) {
  if (header.hasObject && !objects) throw await failure(OBJECT_DATA, header.dataOffset);
  const bytes = await readData(source, header);
  return header.hasObject ? objects.array(bytes, header) : arrayOf(header, bytes);
}

/** The bytes of the data; of objects, the rest of the file. */
export async function readData(source, { dataOffset, dataSize }) {
  const size = dataSize ?? source.size - dataOffset;
  const bytes = await source.read(dataOffset, size);
  if (bytes.length < size) throw await failure(FILE_CHANGED, dataOffset + bytes.length);
  return bytes;
}

/** The array that a header declares, over its data. */
export const arrayOf = ({ dtype, shape, fortranOrder }, bytes) =>
  new NpyArray({ dtype, shape, strides: stridesOf(shape, dtype.itemsize, fortranOrder), bytes });

/**
 * Reads the header of an NPY file. Only the first bytes are read: of a file, a Blob and an address, whose size is compared,
 * and of a stream or a Response, which is cancelled then.
 *
 * @param {Input} input as for load
 * @returns {Promise<object>} Header
 * @throws {NpyError} the header is refused, or the file is too short
 * @example
 * assert.deepEqual((await header(bytes)).shape, [3]);
 */
export async function header(input) {
  const { header, refusal } = await examined(input);
  if (refusal) throw new NpyError(refusal);
  return header;
}

async function examined(input) {
  const stream = input instanceof Response ? demand(input).body : input;
  if (stream instanceof ReadableStream) return examineStream(stream);
  const source = await open(input);
  try {
    return await examine(source, true);
  } finally {
    await source.close();
  }
}
