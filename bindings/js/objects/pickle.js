// pickle.js: a decoded pickle in the memory of the decoder, which is compiled to WebAssembly. Decides nothing.

import { compile, fromBytes, OK } from "../src/core.js";
import { NpyError } from "../src/error.js";

// Statuses that are asked for by number: those of include/safenpy/statuses.h.

export const HEADER_TOO_LONG = 201;
export const NO_MEMORY = 1402;
export const PKL_DTYPE = 2318;
export const PKL_HEADER = 2321;

const MOST_IDLE = 2 ** 24; // bytes of memory that are kept for the next pickle
const TEXT_BYTES = 9870; // SNPY_OBJECT_DIGITS: of an int, and of texts that are copied at once
const TEXT_FLOAT = "F".charCodeAt(0);
const FLOATS = { inf: Infinity, "-inf": -Infinity };

let module;
let idle; // an instance that nobody uses

/** A whole number as a number, as a bigint beyond 2^53 - 1 in size. */
export function whole(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text of UTF-8 in which surrogates may be alone. */
function decoded(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return fromBytes(bytes);
  }
}

export class Pickle {
  /** A pickle to be opened; `start` is the byte of the file at which it begins. */
  static async make(safenpy, start) {
    module ??= compile(new URL("./objects.wasm", import.meta.url));
    const { exports } = idle ?? (await WebAssembly.instantiate(await module));
    idle = undefined;
    return Object.assign(new Pickle(), { wasm: exports, safenpy, start });
  }

  /** Decodes a payload, and compares it with the header of its file. The error is thrown if it is refused. */
  open(bytes, set, { descr, dtype, fortranOrder, shape }) {
    this.wasm.rewind(0);
    this.scratch = this.take(TEXT_BYTES);
    const sizes = this.put(new Uint8Array(BigUint64Array.from(shape, BigInt).buffer));
    const at = this.put(bytes);
    const [bits] = crypto.getRandomValues(new BigUint64Array(1));
    this.demand(this.wasm.open(at, bytes.length, set, bits));
    this.pickle = at;
    let matches = this.wasm.matches(dtype.kind.charCodeAt(0), Number(fortranOrder), sizes, shape.length) !== 0;
    if (matches && dtype.fields) matches = this.array(this.wasm.root()).header.descr === descr;
    if (!matches) throw this.failure(PKL_HEADER, 0);
  }

  /** Leaves the memory to the next pickle, if there is not too much of it. */
  close() {
    if (this.wasm.memory.buffer.byteLength <= MOST_IDLE) idle = { exports: this.wasm };
  }

  demand(status) {
    if (status === NO_MEMORY) throw this.lack();
    if (status !== OK) throw this.failure(status, this.words()[0]);
  }

  failure(status, at) {
    return new NpyError({ ...this.safenpy.said(status), offset: this.start + at });
  }

  lack() {
    return new RangeError("the objects need more than 1 GiB of memory, or more than there is");
  }

  /** The address of some memory. */
  take(size) {
    const at = this.wasm.take(size);
    if (at === 0) throw this.lack();
    return at >>> 0;
  }

  put(bytes) {
    const at = this.take(bytes.length);
    this.memory(at, bytes.length).set(bytes);
    return at;
  }

  memory(at, length) {
    return new Uint8Array(this.wasm.memory.buffer, at, length);
  }

  /** What the last call has returned. */
  words() {
    return new Uint32Array(this.wasm.memory.buffer, this.wasm.words_at(), 5);
  }

  /** The numbers of a value's snpy_node. */
  node(value) {
    const { buffer } = this.wasm.memory; // another one when it has grown
    if (this.table?.buffer !== buffer) this.table = new Uint32Array(buffer);
    const { table } = this;
    const at = this.wasm.node(value) >>> 2;
    return { kind: table[at], offset: table[at + 1], start: table[at + 2], size: table[at + 3], role: table[at + 11] };
  }

  /** The members of a value; of a dictionary, its keys and values in turn. */
  members(value) {
    const { wasm } = this;
    const found = [];
    wasm.begin(value);
    for (let member; (member = wasm.next()) !== 0;) {
      if (wasm.is_pair()) found.push(wasm.part(member, 0), wasm.part(member, 1));
      else found.push(member);
    }
    return found;
  }

  /** An int: a bigint beyond 2^53 - 1. */
  integer(value) {
    const number = this.wasm.integer(value);
    if (!Number.isNaN(number)) return number;
    return whole(BigInt(this.ascii(this.scratch, this.wasm.digits(value, this.scratch))));
  }

  ascii(at, size) {
    return strict.decode(this.memory(at, size));
  }

  float({ offset, start, size }) {
    const at = this.pickle + start;
    if (this.memory(this.pickle + offset, 1)[0] !== TEXT_FLOAT)
      return new DataView(this.wasm.memory.buffer).getFloat64(at);
    const text = this.ascii(at, size);
    return FLOATS[text] ?? Number(text);
  }

  text(value) {
    return this.copied(value, decoded);
  }

  bytes(value) {
    return this.copied(value, (bytes) => bytes.slice());
  }

  /** What `use` makes of a text or of bytes, of which it may keep only a copy. */
  copied(value, use) {
    const size = this.wasm.text(value, this.scratch, TEXT_BYTES) >>> 0;
    if (size <= TEXT_BYTES) return use(this.memory(this.scratch, size));
    const end = this.wasm.mark();
    const at = this.take(size);
    this.wasm.text(value, at, size);
    const result = use(this.memory(at, size));
    this.wasm.rewind(end);
    return result;
  }

  /** The header of a NumPy array, scalar or dtype, and a copy of the bytes of its data. The error is thrown if it has none. */
  array(value) {
    const end = this.wasm.mark();
    const status = this.wasm.array(value, 0, 0, 0n, 0n);
    const [, at, size] = this.words();
    if (status !== PKL_DTYPE || at === 0) this.demand(status);
    const header = this.header(this.memory(at, size));
    const { hasObject, count, dataSize } = header;
    this.wasm.rewind(end);
    this.demand(this.wasm.array(value, 1, Number(hasObject), BigInt(count), BigInt(dataSize ?? 0)));
    const [, , , from, length] = this.words();
    const bytes = this.memory(from, length).slice();
    this.wasm.rewind(end);
    return { header, bytes };
  }

  /** The header that the decoder has written, read by the core. Equal ones are read once. */
  header(bytes) {
    this.headers ??= new Map();
    const text = strict.decode(bytes.subarray(12));
    let header = this.headers.get(text);
    if (header) return header;
    const status = this.safenpy.parse(bytes, true);
    if (status !== OK) throw this.failure(status === HEADER_TOO_LONG ? status : PKL_DTYPE, this.words()[0]);
    header = this.safenpy.header();
    this.headers.set(text, header);
    return header;
  }
}
