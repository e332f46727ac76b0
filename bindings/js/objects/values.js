// values.js: values of JavaScript for the values of a pickle. Iterative: containers may be a thousand deep, and in themselves.

import { reader } from "../src/element.js";
import { NpyError } from "../src/error.js";
import { arrayOf } from "../src/load.js";
import { whole } from "./pickle.js";

// The kinds of nodes, and the roles of calls: numbers of include/safenpy/object.h.
export const KINDS = {
  NONE: 2, FALSE: 3, TRUE: 4, INT: 5, FLOAT: 6, STR: 7, RAW: 8, BYTES: 9, BYTEARRAY: 10, TUPLE: 11, LIST: 12, DICT: 13,
  SET: 14, FROZENSET: 15, CALL: 17,
};
export const ROLES = {
  DTYPE: 2, RECONSTRUCT: 3, SCALAR: 4, FROMBUFFER: 5, ENCODE: 6, BYTES: 7, COMPLEX: 8, BYTEARRAY: 10, DATE: 11, DATETIME: 12,
  DECIMAL: 13, DEFAULTDICT: 14, FRACTION: 17, FROZENSET: 18, MARECONSTRUCT: 21, ORDERED_DICT: 25, RANGE: 26, RECONSTRUCTOR: 28,
  SET: 30, SLICE: 31, STRINGDTYPE: 33, STRUCT_TIME: 34, TIME: 35, TIMEDELTA: 36, TIMEZONE: 37, UUID: 39, POSIX_PATH: 40,
  PURE_POSIX_PATH: 41, WINDOWS_PATH: 42, PURE_WINDOWS_PATH: 43,
};
const BOOL = { descr: "|b1", kind: "b", byteorder: "|", itemsize: 1 };

/** A value of Python that JavaScript has not: `type` is Python's name, the rest its parts. */
export class PyObject {
  constructor(type, parts) {
    Object.freeze(Object.assign(this, { type }, parts));
  }
}

/** An array of objects. `data` has its elements in C order, whatever `fortranOrder`. */
export class ObjectArray {
  constructor({ dtype, shape, fortranOrder, count }) {
    Object.assign(this, { dtype, descr: dtype.descr, shape, fortranOrder, size: Number(count), data: [] });
  }

  get ndim() {
    return this.shape.length;
  }

  /** The element at an index, of which there is one number for each axis; -1 is the last one. */
  get(...index) {
    if (index.length !== this.ndim) throw new RangeError(`expected ${this.ndim} numbers, got ${index.length}`);
    return this.data[index.reduce((at, number, axis) => at * Number(this.shape[axis]) + this.#step(number, axis), 0)];
  }

  #step(number, axis) {
    const length = Number(this.shape[axis]);
    const from = number < 0 ? number + length : number;
    if (Number.isInteger(from) && from >= 0 && from < length) return from;
    throw new RangeError(`index ${number} is outside axis ${axis} of length ${length}`);
  }

  /** The elements in C order. */
  [Symbol.iterator]() {
    return this.data.values();
  }

  /** The elements as lists in lists; the element itself if there is no axis. */
  toArray() {
    const nested = (axis, at) => {
      if (axis === this.ndim) return this.data[at];
      const length = Number(this.shape[axis]);
      return Array.from({ length }, (_, i) => nested(axis + 1, at * length + i));
    };
    return nested(0, 0);
  }
}

/** The array of a pickle. That of a masked one has the mask and the fill value besides. */
export function rootOf(pickle) {
  const found = new Values(pickle).all(pickle.wasm.root());
  if (!(found instanceof PyObject)) return found;
  const { data, mask, fillValue } = found;
  return Object.assign(data, { mask, fillValue });
}

const word = (bytes, at) => bytes[at] * 256 + bytes[at + 1];
const date = (bytes) => ({ year: word(bytes, 0), month: bytes[2] & 127, day: bytes[3] });
const time = (bytes, at, tzinfo) => ({
  hour: bytes[at] & 127, minute: bytes[at + 1], second: bytes[at + 2], microsecond: bytes[at + 3] * 65536 + word(bytes, at + 4),
  tzinfo,
});

/** Values by node. One that may occur twice is made once. */
class Values {
  constructor(pickle) {
    Object.assign(this, { pickle, wasm: pickle.wasm, shared: new Map(), todo: [] });
  }

  /** A value with all that it contains. */
  all(index) {
    const value = this.value(index);
    while (this.todo.length > 0) {
      const [container, of, fill] = this.todo.pop();
      fill.call(this, container, this.pickle.members(of));
    }
    return value;
  }

  /** A value whose members come later. */
  value(index) {
    if (!this.wasm.is_shared(index)) return this.make(index);
    if (!this.shared.has(index)) this.shared.set(index, this.make(index));
    return this.shared.get(index);
  }

  make(index) {
    const { pickle } = this;
    const node = pickle.node(index);
    switch (node.kind) {
      case KINDS.NONE: return null;
      case KINDS.FALSE: return false;
      case KINDS.TRUE: return true;
      case KINDS.INT: return pickle.integer(index);
      case KINDS.FLOAT: return pickle.float(node);
      case KINDS.STR:
      case KINDS.RAW: return pickle.text(index);
      case KINDS.BYTES:
      case KINDS.BYTEARRAY: return pickle.bytes(index);
      case KINDS.TUPLE: return this.later([], index, this.fillTuple);
      case KINDS.LIST: return this.later([], index, this.fillList);
      case KINDS.DICT: return this.later(new Map(), index, this.fillMap);
      case KINDS.SET:
      case KINDS.FROZENSET: return this.later(new Set(), index, this.fillSet);
      default: return this.call(index, node.role);
    }
  }

  later(container, index, fill) {
    this.todo.push([container, index, fill]);
    return container;
  }

  fillList(list, members) {
    for (const member of members) list.push(this.value(member));
  }

  fillTuple(list, members) {
    this.fillList(list, members);
    Object.freeze(list);
  }

  fillSet(set, members) {
    for (const member of members) set.add(this.value(member));
  }

  fillMap(map, members) {
    for (let i = 0; i < members.length; i += 2) map.set(this.value(members[i]), this.value(members[i + 1]));
  }

  /** The value of an argument; undefined if there are fewer. */
  argument(index, place) {
    const part = this.wasm.part(this.wasm.args(index), place);
    return part === 0 ? undefined : this.value(part);
  }

  /** Parts of a value from its arguments, by name. */
  parts(index, ...names) {
    return Object.fromEntries(names.map((name, place) => [name, this.argument(index, place) ?? null]));
  }

  /** The result of a call. */
  call(index, role) {
    switch (role) {
      case ROLES.RECONSTRUCT:
      case ROLES.FROMBUFFER: return this.array(index);
      case ROLES.MARECONSTRUCT: return this.masked(index);
      case ROLES.SCALAR: return this.scalar(index);
      case ROLES.ENCODE:
      case ROLES.BYTES:
      case ROLES.BYTEARRAY: return this.pickle.bytes(index);
      case ROLES.SET:
      case ROLES.FROZENSET: return this.later(new Set(), index, this.fillSet);
      case ROLES.ORDERED_DICT:
      case ROLES.DEFAULTDICT: return this.later(new Map(), index, this.fillMap);
      default: return this.object(index, role);
    }
  }

  /** A value of a type that JavaScript has not. */
  object(index, role) {
    switch (role) {
      case ROLES.COMPLEX: return new PyObject("complex", this.parts(index, "real", "imag"));
      case ROLES.DTYPE: return new PyObject("numpy.dtype", { dtype: this.dtype(index) });
      case ROLES.DATE: return new PyObject("datetime.date", date(this.first(index)));
      case ROLES.DATETIME: return this.datetime(index);
      case ROLES.TIME: return this.time(index);
      case ROLES.TIMEDELTA: return new PyObject("datetime.timedelta", this.parts(index, "days", "seconds", "microseconds"));
      case ROLES.TIMEZONE: return new PyObject("datetime.timezone", this.parts(index, "offset", "name"));
      case ROLES.DECIMAL: return new PyObject("decimal.Decimal", this.parts(index, "text"));
      case ROLES.FRACTION: return this.fraction(index);
      case ROLES.UUID:
      case ROLES.RECONSTRUCTOR: return this.uuid(index);
      case ROLES.RANGE: return new PyObject("range", this.parts(index, "start", "stop", "step"));
      case ROLES.SLICE: return new PyObject("slice", this.parts(index, "start", "stop", "step"));
      case ROLES.STRUCT_TIME: return new PyObject("time.struct_time", this.parts(index, "fields", "zone"));
      case ROLES.STRINGDTYPE: return this.stringType(index);
      default: return this.path(index, role);
    }
  }

  /** The bytes of the first argument, which may be a string of Python 2. */
  first(index) {
    return this.pickle.bytes(this.wasm.part(this.wasm.args(index), 0));
  }

  datetime(index) {
    const bytes = this.first(index);
    const rest = time(bytes, 4, this.argument(index, 1) ?? null);
    return new PyObject("datetime.datetime", { ...date(bytes), ...rest, fold: bytes[2] >> 7 });
  }

  time(index) {
    const bytes = this.first(index);
    return new PyObject("datetime.time", { ...time(bytes, 0, this.argument(index, 1) ?? null), fold: bytes[0] >> 7 });
  }

  fraction(index) {
    let [numerator, denominator] = [this.argument(index, 0), this.argument(index, 1)];
    if (denominator === undefined) [numerator, denominator = 1] = numerator.split("/").map((text) => whole(BigInt(text)));
    return new PyObject("fractions.Fraction", { numerator, denominator });
  }

  uuid(index) {
    const state = this.pickle.members(this.wasm.state(index));
    const place = state.findIndex((member, i) => i % 2 === 0 && this.pickle.text(member) === "int");
    const hex = this.value(state[place + 1]).toString(16).padStart(32, "0");
    return new PyObject("uuid.UUID", { text: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") });
  }

  /** The type of strings of NumPy 2: what stands for a missing one. */
  stringType(index) {
    return new PyObject("numpy.dtypes.StringDType", { coerce: Boolean(this.argument(index, 0)), naObject: this.argument(index, 2) });
  }

  path(index, role) {
    const name = ["PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath"][role - ROLES.POSIX_PATH];
    return new PyObject(`pathlib.${name}`, { parts: this.value(this.wasm.args(index)) });
  }

  /** The type of a dtype as a header has it; null if none can: a sub-array. */
  dtype(index) {
    try {
      return this.pickle.array(index).header.dtype;
    } catch (error) {
      if (error instanceof NpyError) return null;
      throw error;
    }
  }

  array(index) {
    const { header, bytes } = this.pickle.array(index);
    return header.hasObject ? this.later(new ObjectArray(header), index, this.fillElements) : arrayOf(header, bytes);
  }

  fillElements({ data }, members) {
    this.fillList(data, members);
  }

  masked(index) {
    const { header } = this.pickle.array(index);
    const state = this.wasm.state(index);
    const bytes = this.pickle.bytes(this.wasm.part(state, 5));
    const mask = bytes.length === header.count ? arrayOf({ ...header, dtype: BOOL }, bytes) : bytes;
    const fillValue = this.value(this.wasm.part(state, 6));
    return new PyObject("numpy.ma.MaskedArray", { data: this.array(index), mask, fillValue });
  }

  /** A NumPy scalar: an element of its type. */
  scalar(index) {
    const { header: { dtype }, bytes } = this.pickle.array(index);
    const value = reader(dtype)(new DataView(bytes.buffer), 0);
    if (dtype.kind === "M") return new PyObject("numpy.datetime64", { count: value, dtype });
    if (dtype.kind === "m") return new PyObject("numpy.timedelta64", { count: value, dtype });
    if (dtype.kind === "c" && dtype.itemsize <= 16) return new PyObject("complex", { real: value[0], imag: value[1] });
    return typeof value === "bigint" ? whole(value) : value;
  }
}
