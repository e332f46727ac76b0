// array.js: an array over bytes: its elements, slices and fields. Reads no files.

import { halves, parts, reader } from "./element.js";

const LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const Half = globalThis.Float16Array;
const TYPES = {
  b1: Uint8Array, u1: Uint8Array, i1: Int8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array, i4: Int32Array,
  u8: BigUint64Array, i8: BigInt64Array, M8: BigInt64Array, m8: BigInt64Array, f2: Half ?? Uint16Array, f4: Float32Array,
  f8: Float64Array, c8: Float32Array, c16: Float64Array,
};

/** Reverses each number of `size` bytes, a power of two. */
export function swap(bytes, size) {
  if (size === 2) {
    const halfWords = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
    for (let i = 0; i < halfWords.length; i++) halfWords[i] = (halfWords[i] << 8) | (halfWords[i] >> 8);
    return;
  }
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const step = size / 4;
  for (let at = 0; at < words.length; at += step)
    for (let i = at, j = at + step - 1; i <= j; i++, j--) [words[i], words[j]] = [reversed(words[j]), reversed(words[i])];
}

const reversed = (word) => (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);

/** Bytes at an address that is a multiple of `size`: these, or a copy. */
const aligned = (bytes, size) => (bytes.byteOffset % size === 0 ? bytes : bytes.slice());

/** Bytes from one element to the next along each axis. */
export function stridesOf(shape, itemsize, fortranOrder) {
  const axes = shape.map((_, axis) => axis);
  if (!fortranOrder) axes.reverse();
  const strides = [];
  axes.reduce((stride, axis) => ((strides[axis] = stride), stride * Math.max(Number(shape[axis]), 1)), itemsize);
  return strides;
}

/** The words and the step in words in which elements can be copied. */
function units(array) {
  const { bytes, offset, itemsize, strides } = array;
  for (const Type of [Uint32Array, Uint16Array]) {
    const size = Type.BYTES_PER_ELEMENT;
    if ([bytes.byteOffset + offset, itemsize, ...strides].every((number) => number % size === 0))
      return { Type, size };
  }
  return { Type: Uint8Array, size: 1 };
}

/** The offset of each row along the last axis, in C order. */
function* rows({ shape, strides, offset }) {
  const index = shape.slice(0, -1).fill(0);
  for (let at = offset; ;) {
    yield at;
    let axis = index.length - 1;
    for (; axis >= 0; axis--) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= index[axis] * strides[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** The bytes of the elements in C order: a copy. */
function gathered(array) {
  const { bytes, shape, strides, itemsize, size } = array;
  const out = new Uint8Array(size * itemsize);
  if (out.length === 0) return out;
  const { Type, size: unit } = units(array);
  const base = bytes.byteOffset % unit;
  const from = new Type(bytes.buffer, bytes.byteOffset - base, Math.floor((bytes.length + base) / unit));
  const to = new Type(out.buffer);
  const [length, step] = shape.length ? [shape.at(-1), strides.at(-1) / unit] : [1, 0];
  const wide = itemsize / unit;
  let end = 0;
  for (const at of rows(array)) {
    let start = (at + base) / unit;
    for (let i = 0; i < length; i++, start += step)
      for (let j = 0; j < wide; j++) to[end++] = from[start + j];
  }
  return out;
}

/** start, stop, step of a range as Python has them, for an axis: [first, how many, step]. */
function resolve([start, stop, step = 1], length) {
  if (!Number.isInteger(step) || step === 0) throw new RangeError("the step of a range is a whole number other than 0");
  const clamp = (value, low, high) => Math.min(Math.max(value < 0 ? value + length : value, low), high);
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const first = start == null ? (step > 0 ? 0 : length - 1) : clamp(start, low, high);
  const last = stop == null ? (step > 0 ? length : -1) : clamp(stop, low, high);
  return [first, Math.max(0, Math.ceil((last - first) / step)), step];
}

/**
 * An array over bytes. `shape` and `strides` (in bytes) mean what they mean in NumPy; `dtype` is the type of one element.
 * Its values must not be changed: slices, fields and the bytes that it was loaded from may share its memory.
 */
export class NpyArray {
  #data;
  #read;
  #view;

  constructor({ dtype, shape, strides, bytes, offset = 0 }) {
    Object.assign(this, { dtype, shape, strides, bytes, offset });
    this.itemsize = dtype.itemsize;
    this.size = Number(shape.reduce((product, length) => product * BigInt(length), 1n));
  }

  get descr() {
    return this.dtype.descr;
  }

  get ndim() {
    return this.shape.length;
  }

  /** Whether the elements are in memory without gaps, in the order that is asked for. */
  isContiguous(fortranOrder = false) {
    const strides = stridesOf(this.shape, this.itemsize, fortranOrder);
    return this.size === 0 || this.shape.every((length, axis) => length === 1 || this.strides[axis] === strides[axis]);
  }

  /** Whether `data` is in Fortran order, and not in C order as well. */
  get fortranOrder() {
    return this.isContiguous(true) && !this.isContiguous(false);
  }

  /**
   * The elements: a typed array in this machine's byte order, or a DataView of the bytes for S, U, V, records and
   * numbers that JavaScript does not have. In the order of `fortranOrder`; a slice with gaps is copied to C order.
   */
  get data() {
    return (this.#data ??= this.#typed(this.#packed()));
  }

  #packed() {
    if (!this.isContiguous(false) && !this.isContiguous(true)) return gathered(this);
    return this.bytes.subarray(this.offset, this.offset + this.size * this.itemsize);
  }

  #typed(bytes) {
    const { kind, itemsize, byteorder } = this.dtype;
    const Type = TYPES[kind + itemsize];
    if (!Type) return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const size = Type.BYTES_PER_ELEMENT;
    const isForeign = size > 1 && (byteorder === ">") === LITTLE;
    const own = isForeign ? bytes.slice() : aligned(bytes, size);
    if (isForeign) swap(own, size);
    const numbers = new Type(own.buffer, own.byteOffset, own.length / size);
    return kind === "f" && itemsize === 2 && !Half ? Float32Array.from(numbers, (bits) => halves()[bits]) : numbers;
  }

  /** The element at an index, of which there is one number for each axis; -1 is the last one. */
  get(...index) {
    if (index.length !== this.ndim) throw new RangeError(`expected ${this.ndim} numbers, got ${index.length}`);
    const at = index.reduce((sum, number, axis) => sum + this.#step(number, axis), this.offset);
    return this.#element(at);
  }

  #element(at) {
    this.#read ??= reader(this.dtype);
    this.#view ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    return this.#read(this.#view, at);
  }

  #step(number, axis) {
    const length = Number(this.shape[axis]);
    const from = number < 0 ? number + length : number;
    if (!Number.isInteger(from) || from < 0 || from >= length)
      throw new RangeError(`index ${number} is outside axis ${axis} of length ${length}`);
    return from * this.strides[axis];
  }

  /**
   * A part of the array, without a copy. One range for each axis, the last ones may be left out: null for all of it,
   * [start, stop, step] as in Python, or a number, which removes the axis.
   */
  slice(...ranges) {
    if (ranges.length > this.ndim) throw new RangeError(`expected at most ${this.ndim} ranges, got ${ranges.length}`);
    const [shape, strides] = [[], []];
    let { offset } = this;
    for (let axis = 0; axis < this.ndim; axis++) {
      const range = ranges[axis] ?? [];
      if (typeof range === "number") {
        offset += this.#step(range, axis);
        continue;
      }
      const [first, length, step] = resolve(range, Number(this.shape[axis]));
      if (length > 0) offset += first * this.strides[axis];
      shape.push(length);
      strides.push(step * this.strides[axis]);
    }
    return new NpyArray({ ...this, shape, strides, offset });
  }

  /** A field of all elements, by name or title, without a copy. The axes of a sub-array come last. */
  field(name) {
    const { fields = [] } = this.dtype;
    const found = fields.find((field) => field.name === name) ?? fields.find((field) => field.title === name);
    if (!found) throw new RangeError(`no field ${JSON.stringify(name)}`);
    const { dtype, offset } = found;
    const shape = [...this.shape, ...found.shape];
    const strides = [...this.strides, ...stridesOf(found.shape, dtype.itemsize, false)];
    return new NpyArray({ dtype, shape, strides, bytes: this.bytes, offset: this.offset + offset });
  }

  /** The elements in C order. */
  *[Symbol.iterator]() {
    if (this.size === 0) return;
    const [length, step] = this.ndim ? [this.shape.at(-1), this.strides.at(-1)] : [1, 0];
    for (const start of rows(this)) for (let i = 0; i < length; i++) yield this.#element(start + i * step);
  }

  /** The elements as lists in lists; the element itself if there is no axis. */
  toArray() {
    if (this.ndim === 0) return this.get();
    const length = Number(this.shape[0]);
    if (this.ndim === 1) return Array.from({ length }, (_, i) => this.get(i));
    return Array.from({ length }, (_, i) => this.slice(i).toArray());
  }

  /** The bytes of the elements in C order, numbers little-endian, padding zero: equal for equal arrays. A copy. */
  toBytes() {
    return this.#clean(gathered(this), true);
  }

  /** The bytes of the elements as a file has them: in the order of `fortranOrder`, padding zero. Not always a copy. */
  fileBytes() {
    return this.#clean(this.#packed(), false);
  }

  /** Bytes of elements without what is in their padding, their numbers reversed on demand. */
  #clean(all, isLittle) {
    if (all.length === 0) return all;
    const pieces = parts(this.dtype).map(([offset, size, times, swaps]) => [offset, size, times, swaps && isLittle]);
    if (pieces.length === 1 && pieces[0][2] * pieces[0][1] === this.itemsize && !pieces[0][3]) return all;
    const out = new Uint8Array(all.length);
    for (let at = 0; at < out.length; at += this.itemsize)
      for (const [offset, size, times, swaps] of pieces) copyPart(all, out, at + offset, size, times, swaps);
    return out;
  }
}

function copyPart(from, to, at, size, times, swaps) {
  const end = at + size * times;
  to.set(from.subarray(at, end), at);
  for (let start = at; swaps && start < end; start += size) to.subarray(start, start + size).reverse();
}
