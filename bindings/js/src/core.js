// core.js: the core of safenpy, compiled to WebAssembly. Shares out its memory; decides nothing.

import { builtin } from "./platform.js";

const PAGE = 65536;
const AT_NUMBERS = 2; // places of the words, as in wasm/shim.c
const AT_SHAPE = 20;
export const OK = 0;

// Statuses that JavaScript returns itself: numbers of include/safenpy/statuses.h.
export const BAD_MAGIC = 101;
export const OBJECT_DATA = 1303;
export const FILE_CHANGED = 1404;
export const ZIP_MEMBER_TOO_LARGE = 1901;
export const ZIP_TOTAL_TOO_LARGE = 1902;
export const ZIP_RATIO = 1903;
export const ZIP_BAD_DEFLATE = 1904;
export const ZIP_DEFLATE_TRAILING = 1905;
export const ZIP_INFLATED_SIZE = 1906;
export const ZIP_BAD_CRC = 1907;
export const ZIP_WRITE_KEY = 2101;
export const ZIP_WRITE_DUPLICATE = 2102;
export const NO_MEMBER = 2201;
export const NOT_AN_ARRAY = 2202;
export const TABLE_TOO_SMALL = 602;
export const BUFFER_TOO_SMALL = 1302;
const UNITS = ["", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

/** Numbers up to 2^53 - 1 as numbers, others as bigint. */
export const exact = (value) => (value <= MAX_SAFE ? Number(value) : value);
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

let module;
let shared;

/** A module from a file. */
export async function compile(url) {
  const files = url.protocol === "file:" && builtin("node:fs/promises");
  const bytes = files ? files.readFile(url) : fetch(url).then((response) => response.arrayBuffer());
  return WebAssembly.compile(await bytes);
}

/** A core of its own, for what keeps something in its memory. */
export async function newCore() {
  module ??= compile(new URL("./safenpy.wasm", import.meta.url));
  const { exports } = await WebAssembly.instantiate(await module);
  return new Core(exports);
}

/** The core that all calls share: what it has read is there until the caller awaits something. */
export const core = () => (shared ??= newCore());

class Core {
  constructor(wasm) {
    this.wasm = wasm;
    this.start = (wasm.__heap_base.value + 7) & ~7;
    this.free();
  }

  /** The address of an area after those taken so far: RangeError beyond 256 MiB. `free` gives all of them back. */
  take(size) {
    const at = this.end;
    const end = at + Math.ceil(size / 8) * 8;
    const missing = end - this.wasm.memory.buffer.byteLength;
    if (missing > 0) this.wasm.memory.grow(Math.ceil(missing / PAGE));
    this.end = end;
    return at;
  }

  /** The address of a copy of some bytes. */
  put(bytes) {
    const at = this.take(bytes.length);
    this.bytes(at, bytes.length).set(bytes);
    return at;
  }

  free() {
    this.end = this.start;
  }

  bytes(at, length) {
    return new Uint8Array(this.wasm.memory.buffer, at, length);
  }

  words() {
    const { buffer } = this.wasm.memory; // another one when it has grown
    if (this.table?.buffer !== buffer) this.table = new BigUint64Array(buffer, this.wasm.words_at());
    return this.table;
  }

  /** A number that the last call has returned. */
  number(place) {
    return exact(this.words()[AT_NUMBERS + place]);
  }

  /** The text at an address that the core has returned; undefined for none. */
  text(at) {
    if (at === 0) return undefined;
    const bytes = new Uint8Array(this.wasm.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** What a status means. */
  said(status) {
    const [name, rule, message, hint] = [0, 1, 2, 3].map((which) => this.text(this.wasm.status_text(which, status)));
    return { status: name, rule, message, hint };
  }

  /** What is wrong, after a call that has refused. */
  refusal(status) {
    return { ...this.said(status), offset: exact(this.words()[1]) };
  }

  /** Reads a header: the status. The tables are made once more if a record needs larger ones. compat: as in wasm/shim.c. */
  parse(head, compat = false) {
    let [fields, dims] = [0, 0];
    this.wasm.set_compat(Number(compat));
    for (;;) {
      this.free();
      const text = this.put(head);
      const table = this.take(fields * this.wasm.field_size());
      this.dims = this.take(dims * 4);
      const status = this.wasm.parse(text, head.length, table, fields, this.dims, dims);
      const needed = [this.number(7), this.number(8)];
      if (status !== TABLE_TOO_SMALL || (needed[0] <= fields && needed[1] <= dims)) return status;
      [fields, dims] = needed;
    }
  }

  /** The header that `parse` has read. */
  header() {
    const number = (place) => this.number(place);
    const hasObject = number(4) === 1;
    const fields = number(7);
    const shape = this.words().subarray(AT_SHAPE, AT_SHAPE + number(9));
    const found = {
      version: `${number(0)}.0`,
      shape: Array.from(shape, exact),
      fortranOrder: number(3) === 1,
      itemsize: number(11),
      count: number(5),
      hasObject,
      dataOffset: number(1),
      dataSize: hasObject ? null : number(6),
    };
    const simple = this.simple(10);
    const dtype = simple.kind === "r" ? { ...simple, ...this.record(0, this.children(fields)) } : simple;
    return { descr: dtype.descr, ...found, dtype };
  }

  /** A type without fields. The numbers are its kind and, from `place` + 1 on, itemsize, order, unit and multiplier. */
  simple(place) {
    const [kind, itemsize, byteorder, unit, multiplier] = [0, 1, 2, 3, 4].map((i) => this.number(place + i));
    const [letter, order] = [String.fromCharCode(kind), String.fromCharCode(byteorder)];
    const times = "mM".includes(letter) && unit > 0 && { unit: UNITS[unit], multiplier };
    const size = letter === "O" ? "" : letter === "U" ? itemsize / 4 : itemsize;
    const suffix = times ? `[${multiplier === 1 ? "" : multiplier}${UNITS[unit]}]` : "";
    return { descr: `${order}${letter}${size}${suffix}`, kind: letter, byteorder: order, itemsize, ...times };
  }

  /** For each entry of the table the entries that it consists of. */
  children(count) {
    const found = Array.from({ length: count }, () => []);
    for (let entry = 1; entry < count; entry++) {
      this.wasm.field(entry);
      found[this.number(0)].push(entry);
    }
    return found;
  }

  /** The type of an entry that has fields. */
  record(entry, children) {
    const fields = children[entry].map((child) => this.field(child, children)).filter((field) => field !== null);
    return { descr: this.variable((at, size) => this.wasm.descr(entry, at, size)), fields };
  }

  /** A field; null for padding. */
  field(entry, children) {
    this.wasm.field(entry);
    const [itemsize, offset, hasTitle, isPadding] = [9, 10, 12, 13].map((place) => this.number(place));
    if (isPadding) return null;
    const name = this.name(entry, 0);
    const title = hasTitle ? this.name(entry, 1) : null;
    return { name, title, offset, itemsize, ...this.inner(entry, children) };
  }

  /** The type of an entry, and the shape of a sub-array, nested ones joined. */
  inner(entry, children) {
    this.wasm.field(entry);
    const [ndim, first] = [this.number(2), this.number(3)];
    const shape = [...new Int32Array(this.wasm.memory.buffer, this.dims).subarray(first, first + ndim)];
    const dtype = this.simple(4);
    if (dtype.kind === "r") return { shape, dtype: { ...dtype, ...this.record(entry, children) } };
    if (dtype.kind !== "s") return { shape, dtype };
    const inside = this.inner(children[entry][0], children);
    return { shape: [...shape, ...inside.shape], dtype: inside.dtype };
  }

  /** The bytes that a call writes and measures, as text in which surrogates may be alone. */
  variable(call) {
    const end = this.end;
    call(0, 0);
    const size = this.number(0);
    const at = this.take(size);
    call(at, size);
    const text = fromBytes(this.bytes(at, size));
    this.end = end;
    return text;
  }

  name(entry, isTitle) {
    return this.variable((at, size) => this.wasm.name(entry, isTitle, at, size));
  }
}

/** UTF-8 in which each surrogate has three bytes. */
export function fromBytes(bytes) {
  const [length, mask] = [(lead) => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4), [0, 0x7f, 0x1f, 0x0f, 7]];
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const size = length(bytes[at]);
    let code = bytes[at] & mask[size];
    for (let i = 1; i < size; i++) code = code * 64 + (bytes[at + i] & 63);
    text += String.fromCodePoint(code);
    at += size;
  }
  return text;
}
