// element.js: from the bytes of one element to a value. The type has been checked by the core.

/** The number that the bits of a half float mean. */
function fromHalf(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 0 ? fraction * 2 ** -24
    : exponent === 31 ? (fraction ? NaN : Infinity)
    : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

let table;

/** The numbers of all half floats, by their bits. */
export const halves = () => (table ??= Float32Array.from({ length: 65536 }, (_, bits) => fromHalf(bits)));

/** A text of `size` bytes, four for each code point, without the NULs at its end. */
function text(view, at, size, little) {
  let end = at + size;
  while (end > at && view.getUint32(end - 4, little) === 0) end -= 4;
  let found = "";
  for (let i = at; i < end; i += 4) found += String.fromCodePoint(view.getUint32(i, little));
  return found;
}

/** The bytes of a text, without the NULs at its end. */
function trimmed(view, at, size) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at, size);
  let end = size;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.slice(0, end);
}

const NUMBERS = {
  b1: (view, at) => view.getUint8(at) !== 0,
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, little) => view.getInt16(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  i8: (view, at, little) => view.getBigInt64(at, little),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  u8: (view, at, little) => view.getBigUint64(at, little),
  f2: (view, at, little) => halves()[view.getUint16(at, little)],
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
  c8: (view, at, little) => [view.getFloat32(at, little), view.getFloat32(at + 4, little)],
  c16: (view, at, little) => [view.getFloat64(at, little), view.getFloat64(at + 8, little)],
  M8: (view, at, little) => view.getBigInt64(at, little),
  m8: (view, at, little) => view.getBigInt64(at, little),
};

/** A function of a DataView and an offset that returns the element there. */
export function reader(dtype) {
  const { kind, itemsize } = dtype;
  const little = dtype.byteorder !== ">";
  if (kind === "r") return record(dtype.fields);
  if (kind === "U") return (view, at) => text(view, at, itemsize, little);
  if (kind === "S") return (view, at) => trimmed(view, at, itemsize);
  const number = NUMBERS[kind + itemsize];
  if (number) return (view, at) => number(view, at, little);
  return (view, at) => new Uint8Array(view.buffer, view.byteOffset + at, itemsize).slice(); // V, f16, c32
}

/** An object without a prototype, so that a field may have any name. */
function record(fields) {
  const readers = fields.map(({ name, offset, dtype, shape }) => [name, offset, nested(dtype, shape)]);
  return (view, at) => {
    const found = Object.create(null);
    for (const [name, offset, read] of readers) found[name] = read(view, at + offset);
    return found;
  };
}

/** A sub-array, as lists in lists. */
function nested(dtype, shape) {
  if (shape.length === 0) return reader(dtype);
  const [length, ...rest] = shape;
  const read = nested(dtype, rest);
  const size = rest.reduce((product, dimension) => product * dimension, dtype.itemsize);
  return (view, at) => Array.from({ length }, (_, i) => read(view, at + i * size));
}

/** The parts of an element: [offset, bytes of a number, how many of them, whether to reverse each]. Padding has none. */
export function parts(dtype, at = 0, times = 1) {
  const { kind, itemsize, byteorder } = dtype;
  if (kind === "r") return Array.from({ length: times }, (_, i) => inner(dtype.fields, at + i * itemsize)).flat();
  const size = kind === "U" ? 4 : kind === "c" ? itemsize / 2 : itemsize;
  const swaps = byteorder === ">" && !"bSV".includes(kind) && size > 1;
  return itemsize === 0 ? [] : [[at, size, (times * itemsize) / size, swaps]];
}

const inner = (fields, at) =>
  fields.flatMap(({ dtype, offset, shape }) => parts(dtype, at + offset, shape.reduce((product, n) => product * n, 1)));

const MS = { W: 604800000n, D: 86400000n, h: 3600000n, m: 60000n, s: 1000n, ms: 1n };
const PARTS_OF_MS = { us: 1000n, ns: 1000000n, ps: 10n ** 9n, fs: 10n ** 12n, as: 10n ** 15n };
const NOT_A_TIME = -(2n ** 63n);

/** The whole number not above a quotient. */
const floor = (a, b) => a / b - (a % b < 0n ? 1n : 0n);

/** Milliseconds since 1970 of a count of months. */
function months(count) {
  const year = floor(count, 12n);
  const date = new Date(0);
  return date.setUTCFullYear(Number(1970n + year), Number(count - 12n * year));
}

/**
 * The Date of an element of type M, to the millisecond below.
 *
 * @param {bigint} count the element
 * @param {{unit?: string, multiplier?: number}} dtype the array's type
 * @returns {Date | null} null for NaT; an invalid Date beyond the years of Date, 271822 BC to 275760
 * @throws {TypeError} the type has no unit
 * @example
 * assert.equal(toDate(-1n, { unit: "D", multiplier: 1 }).toISOString(), "1969-12-31T00:00:00.000Z");
 */
export function toDate(count, { unit, multiplier }) {
  if (count === NOT_A_TIME) return null;
  const units = count * BigInt(multiplier ?? 1);
  if (unit === "Y") return new Date(months(12n * units));
  if (unit === "M") return new Date(months(units));
  if (MS[unit]) return new Date(Number(units * MS[unit]));
  if (PARTS_OF_MS[unit]) return new Date(Number(floor(units, PARTS_OF_MS[unit])));
  throw new TypeError("a datetime64 without unit is no date");
}
