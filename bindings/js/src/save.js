// save.js: arrays to files and archives. The core writes headers and records; equal arrays give equal bytes.

import { NpyArray, stridesOf } from "./array.js";
import { core, newCore, OBJECT_DATA, OK, ZIP_WRITE_DUPLICATE, ZIP_WRITE_KEY } from "./core.js";
import { crc32 } from "./crc.js";
import { NpyError } from "./error.js";
import { failure } from "./header.js";
import { join, view } from "./source.js";

const PREFIX = 12; // bytes of a header of version 3.0 before its text
const LOCAL = 30;
const CENTRAL = 46;
const MOST_RECORD = CENTRAL + 65535;
const TAIL = 65633; // SNPY_ZIP_TAIL
const UTF8 = 0x800; // the flag of a name that is not ASCII
const DESCRS = {
  Uint8Array: "|u1", Uint8ClampedArray: "|u1", Int8Array: "|i1", Uint16Array: "<u2", Int16Array: "<i2", Uint32Array: "<u4",
  Int32Array: "<i4", BigUint64Array: "<u8", BigInt64Array: "<i8", Float16Array: "<f2", Float32Array: "<f4", Float64Array: "<f8",
};

/** Some pieces as one deflate stream. */
async function deflate(pieces) {
  const stream = new Blob(pieces).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text of a header, in version 3.0: the core reads it, and writes it as NumPy does. */
function minimal({ descr, shape, fortranOrder }) {
  const type = descr.startsWith("[") ? descr : `'${descr}'`;
  const dimensions = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const order = fortranOrder ? "True" : "False";
  const text = new TextEncoder().encode(`{'descr': ${type}, 'fortran_order': ${order}, 'shape': (${dimensions})}\n`);
  const head = new Uint8Array(PREFIX + text.length);
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 3, 0]);
  new DataView(head.buffer).setUint32(8, text.length, true);
  head.set(text, PREFIX);
  return head;
}

/** The header as NumPy writes it, and what it declares. */
async function headerFor(declared) {
  const safenpy = await core();
  const { wasm } = safenpy;
  const read = safenpy.parse(minimal(declared));
  if (read !== OK) throw new NpyError({ ...safenpy.refusal(read), offset: Math.max(0, safenpy.refusal(read).offset - PREFIX) });
  const header = safenpy.header();
  if (header.hasObject) throw await failure(OBJECT_DATA, 0);
  wasm.write_header(0, 0);
  const size = safenpy.number(0);
  const at = safenpy.take(size);
  const written = wasm.write_header(at, size);
  if (written !== OK) throw new NpyError(safenpy.refusal(written));
  return { header, text: safenpy.bytes(at, size).slice() };
}

/** What to write for a typed array: its elements as they are in memory. */
function declaredBy(data, options) {
  const descr = options.descr ?? DESCRS[data?.constructor?.name];
  if (descr === undefined) throw new TypeError("expected an NpyArray, or a typed array, or bytes and their descr");
  if (typeof descr !== "string") throw new TypeError("a descr is a string, as NumPy writes it");
  return { descr, shape: options.shape ?? [data.length ?? data.byteLength], fortranOrder: options.fortranOrder ?? false, bytes: view(data) };
}

/** The header and the data of an array: two pieces. */
async function pieces(array, options = {}) {
  const isArray = array instanceof NpyArray;
  const declared = isArray ? array : declaredBy(array, options);
  const { header, text } = await headerFor(declared);
  if (isArray) return [text, array.fileBytes()];
  const { dtype, shape, fortranOrder, dataSize } = header;
  const { bytes } = declared;
  if (bytes.length !== dataSize) throw new RangeError(`expected ${dataSize} bytes for ${dtype.descr} (${shape}), got ${bytes.length}`);
  return [text, new NpyArray({ dtype, shape, strides: stridesOf(shape, dtype.itemsize, fortranOrder), bytes }).fileBytes()];
}

/**
 * The bytes of an NPY file, as `numpy.save` writes them. Bytes between fields become zeros.
 *
 * @param {NpyArray | ArrayBufferView | ArrayBuffer} array an array that was loaded, or elements as they are in memory
 * @param {{shape?: number[], descr?: string, fortranOrder?: boolean}} [options] of elements: their shape, otherwise one
 *   dimension; their type as NumPy writes it, otherwise that of the typed array; whether they are in Fortran order
 * @returns {Promise<Uint8Array>} equal for equal arrays
 * @throws {NpyError} there is no such array, or it has objects; the offset is that of the byte at fault in the text of the header
 * @throws {RangeError} the number of bytes is not that of type and shape
 * @example
 * const file = await save(Float64Array.of(1, 2, 3, 4), { shape: [2, 2] });
 * assert.deepEqual((await load(file)).toArray(), [[1, 2], [3, 4]]);
 */
export async function save(array, options) {
  return join(await pieces(array, options));
}

/** The name of a member. Refuses what is no key, and keys that hide one another.                   NPZ-WRITE-001, 002 */
async function nameOf(key, seen) {
  const name = new TextEncoder().encode(`${key}.npy`);
  const isText = new TextDecoder("utf-8", { ignoreBOM: true }).decode(name) === `${key}.npy`;
  if (!isText || key.includes("\0") || name.length > 65535) throw await failure(ZIP_WRITE_KEY, seen.size);
  const others = [key, `${key}.npy`, ...(key.endsWith(".npy") ? [key.slice(0, -4)] : [])];
  if (others.some((other) => seen.has(other))) throw await failure(ZIP_WRITE_DUPLICATE, seen.size);
  seen.add(key);
  return name;
}

/** Collects the parts of an archive; a core of its own makes the records. */
class Writer {
  constructor(safenpy) {
    Object.assign(this, { safenpy, parts: [], position: 0, members: [] });
    this.room = safenpy.take(MOST_RECORD);
  }

  add(...parts) {
    this.parts.push(...parts);
    for (const part of parts) this.position += part.length;
  }

  entry({ offset, compressedSize, size, crc, flags, method, name }) {
    this.safenpy.wasm.entry(BigInt(offset), BigInt(compressedSize), BigInt(size), crc, flags, method, name.length);
  }

  /** A record that the core has written, with a name after its first bytes. */
  record(size, before, name) {
    const record = this.safenpy.bytes(this.room, size);
    return join([record.subarray(0, before), name, record.subarray(before)]);
  }

  async member(name, file, compress) {
    const after = await crc32();
    const crc = file.reduce(after, 0);
    const size = file.reduce((sum, { length }) => sum + length, 0);
    const data = compress ? [await deflate(file)] : file;
    const compressedSize = data.reduce((sum, { length }) => sum + length, 0);
    const flags = name.every((byte) => byte < 128) ? 0 : UTF8;
    const member = { offset: this.position, compressedSize, size, crc, flags, method: compress ? 8 : 0, name };
    this.entry(member);
    this.add(this.record(this.safenpy.wasm.local_header(this.room), LOCAL, name), ...data);
    this.members.push(member);
  }

  central(member, isLong) {
    this.entry(member);
    return this.record(this.safenpy.wasm.central_header(this.room, Number(isLong)), CENTRAL, member.name);
  }

  /** Adds the directory. If data look like its end, zeros keep them away from it.                     NPZ-WRITE-010 */
  finish() {
    const directory = this.position;
    this.add(...this.members.slice(0, -1).map((member) => this.central(member, false)));
    const { parts, position } = this;
    for (const isLong of [false, true]) {
      Object.assign(this, { parts: [...parts], position });
      this.add(...this.members.slice(-1).map((member) => this.central(member, isLong)));
      const { wasm } = this.safenpy;
      const size = wasm.end_records(BigInt(this.members.length), BigInt(this.position - directory), BigInt(directory), this.room);
      this.add(this.record(size, 0, new Uint8Array(0)));
      const whole = join(this.parts);
      const status = this.find(whole);
      if (status === OK) return whole;
      if (isLong) throw new NpyError(this.safenpy.refusal(status));
    }
  }

  /** The status with which a reader finds the directory. */
  find(whole) {
    const { safenpy } = this;
    const { end } = safenpy;
    const tail = whole.subarray(Math.max(0, whole.length - TAIL));
    const status = safenpy.wasm.zip_find(safenpy.put(tail), tail.length, BigInt(whole.length));
    safenpy.end = end;
    return status;
  }
}

/**
 * The bytes of an archive. Stored members are those that `safenpy pack` writes, their data at multiples of 64.
 *
 * @param {object | Map<string, any>} arrays by key, each as save takes it; of elements only the typed array's own type and one
 *   dimension, so give [elements, options] for another one
 * @param {{compress?: boolean}} [options] compress: whether members are deflated, by the level of the platform
 * @returns {Promise<Uint8Array>} equal for equal arrays; of deflated ones on the same platform
 * @throws {NpyError} an array cannot be saved; a key cannot be written or hides another: its number is the offset
 * @example
 * const file = await savez({ x: Float32Array.of(1, 2), m: [new Uint8Array(6), { shape: [2, 3] }] });
 * assert.deepEqual((await loadNpz(file)).keys, ["x", "m"]);
 */
export async function savez(arrays, { compress = false } = {}) {
  const writer = new Writer(await newCore());
  const seen = new Set();
  for (const [key, value] of arrays instanceof Map ? arrays : Object.entries(arrays)) {
    const name = await nameOf(key, seen);
    const [array, options] = Array.isArray(value) ? value : [value];
    try {
      await writer.member(name, await pieces(array, options), compress);
    } catch (error) {
      throw error instanceof NpyError ? Object.assign(error, { member: `${key}.npy` }) : error;
    }
  }
  return writer.finish();
}
