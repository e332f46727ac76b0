// views.js: what is shown of an array: a part of its values, a histogram, a picture. No DOM.

import { ObjectArray, PyObject } from "./safenpy/objects/index.js";
import { NpyArray, toDate } from "./safenpy/src/index.js";

export const ROWS = 20;
export const COLUMNS = 10;
const BINS = 40;
const MOST_PIXELS = 512; // along each axis

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The shortest number that is the same float. */
function shortest(value, itemsize) {
  if (itemsize === 8 || !Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  for (let digits = itemsize === 2 ? 3 : 6; digits < 9; digits++)
    if (Math.fround(Number(value.toPrecision(digits))) === value) return String(Number(value.toPrecision(digits)));
  return String(Number(value.toPrecision(9)));
}

function date(value, dtype) {
  if (value === -(2n ** 63n)) return "NaT";
  if (dtype.kind === "m" || !dtype.unit) return `${value}${dtype.unit ? ` ${dtype.multiplier > 1 ? dtype.multiplier : ""}${dtype.unit}` : ""}`;
  const found = toDate(value, dtype);
  return Number.isNaN(found.getTime()) ? String(value) : found.toISOString().replace(/T00:00:00\.000Z$/, "").replace(/Z$/, "");
}

/** An element as text. */
function text(value, dtype) {
  const { kind, itemsize } = dtype;
  if (kind === "f" && itemsize <= 8) return shortest(value, itemsize);
  if (kind === "c" && itemsize <= 16) {
    const [real, imaginary] = value.map((part) => shortest(part, itemsize / 2));
    return `${real}${/^[-N]/.test(imaginary) ? "" : "+"}${imaginary}j`;
  }
  if (kind === "M" || kind === "m") return date(value, dtype);
  if (kind === "S") return new TextDecoder("latin1").decode(value);
  if (value instanceof Uint8Array) return hex(value);
  if (kind === "r") return dtype.fields.map((field) => `${field.name}: ${nested(value[field.name], field)}`).join(", ");
  return String(value);
}

const nested = (value, { dtype, shape }) =>
  shape.length === 0 ? text(value, dtype)
  : `[${Array.from(value, (inner) => nested(inner, { dtype, shape: shape.slice(1) })).join(", ")}]`;

/** Without the leading axes, and `at` cut to the shape. */
function plane(array, at) {
  const leading = array.shape.slice(0, Math.max(0, array.ndim - 2));
  const index = leading.map((length, axis) => Math.min(Math.max(0, at[axis] ?? 0), Math.max(0, length - 1)));
  return { leading, index, part: array.slice(...index) };
}

const clamp = (start, length, step) => Math.max(0, Math.min(start ?? 0, Math.floor(Math.max(0, length - 1) / step) * step));

/**
 * A part of the values: `at` has an index for each leading axis, then the first row and the first column. The columns of
 * an array of records with one axis are its fields.
 */
export function cells(array, at = []) {
  if (array.size === 0) return { leading: [], index: [], rows: [], columns: [], values: [], first: [0, 0], total: [0, 0] };
  const { leading, index, part } = plane(array, at);
  const fields = array.ndim < 2 ? array.dtype.fields : undefined;
  const length = part.ndim === 0 ? 1 : part.shape[0];
  const width = fields ? fields.length : part.ndim === 2 ? part.shape[1] : 1;
  const first = [clamp(at[leading.length], length, ROWS), clamp(at[leading.length + 1], width, COLUMNS)];
  const rows = range(first[0], Math.min(length, first[0] + ROWS));
  const columns = range(first[1], Math.min(width, first[1] + COLUMNS));
  const one = (row, column) => {
    if (!fields) return text(part.get(...[row, column].slice(0, part.ndim)), array.dtype);
    const value = part.get(...[row].slice(0, part.ndim));
    return nested(value[fields[column].name], fields[column]);
  };
  const values = rows.map((row) => columns.map((column) => one(row, column)));
  const names = columns.map((column) => (fields ? fields[column].name : part.ndim === 2 ? String(column) : "value"));
  return { leading, index, rows, columns: names, values, first, total: [length, width] };
}

const range = (start, end) => Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

const isReal = ({ kind, itemsize }) => "biuf".includes(kind) && itemsize <= 8;

/** The least and the greatest finite number, and how many are not finite. */
function extent(data) {
  let [low, high, strange, sum] = [Infinity, -Infinity, 0, 0];
  for (let i = 0; i < data.length; i++) {
    const value = Number(data[i]);
    if (!Number.isFinite(value)) {
      strange++;
      continue;
    }
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
  }
  return { low, high, strange, mean: sum / (data.length - strange) };
}

/** How often numbers occur in equal parts of their range; null for what are no real numbers. */
export function histogram(array) {
  if (!isReal(array.dtype) || array.size === 0) return null;
  const { data } = array;
  const { low, high, strange, mean } = extent(data);
  const bins = new Array(BINS).fill(0);
  if (strange === data.length) return { low, high, strange, mean, bins };
  const scale = high > low ? BINS / (high - low) : 0;
  for (let i = 0; i < data.length; i++) {
    const value = Number(data[i]);
    if (Number.isFinite(value)) bins[Math.min(BINS - 1, Math.floor((value - low) * scale))]++;
  }
  return { low, high, strange, mean, bins };
}

const HEAT = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // viridis

function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (HEAT.length - 1);
  const from = Math.min(Math.floor(at), HEAT.length - 2);
  return HEAT[from].map((low, i) => low + (HEAT[from + 1][i] - low) * (at - from));
}

/** Which picture an array is: of RGB or grey bytes, or a heat map of numbers with two axes at least. */
function kindOf({ dtype, shape, ndim, size }) {
  if (!isReal(dtype) || size === 0 || ndim < 2) return null;
  const isByte = dtype.kind === "u" && dtype.itemsize === 1;
  if (isByte && ndim === 3 && (shape[2] === 3 || shape[2] === 4)) return "RGB picture";
  return isByte && ndim === 2 ? "grey picture" : "heat map";
}

/** Pixels of an array, or of one plane of it; every n-th one where it is larger than the picture. */
export function picture(array, at = []) {
  const kind = kindOf(array);
  if (kind === null) return null;
  const isColour = kind === "RGB picture";
  const whole = isColour ? array : plane(array, at).part;
  const step = Math.ceil(Math.max(whole.shape[0], whole.shape[1]) / MOST_PIXELS);
  const part = whole.slice([null, null, step], [null, null, step]);
  const [height, width] = part.shape;
  const values = Array.from(part, Number);
  const { low, high } = extent(values);
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  const channels = isColour ? part.shape[2] : 1;
  for (let i = 0; i < width * height; i++) {
    const value = values[i];
    const colour = isColour ? values.slice(channels * i, channels * (i + 1))
      : kind === "grey picture" ? [value, value, value]
      : Number.isFinite(value) ? heat(high > low ? (value - low) / (high - low) : 0.5) : [128, 128, 128];
    pixels.set(colour, 4 * i);
  }
  return { kind, width, height, pixels, step, low, high };
}

const MOST_VALUES = 500; // of objects
const MOST_DEPTH = 6;
const MOST_TEXT = 80;

/** The values of an array of objects as text, as far as they are few: values that Python would print, one line for each element. */
export function preview(array) {
  let left = MOST_VALUES;
  const list = (open, values, close, depth) => {
    if (depth > MOST_DEPTH) return `${open}…${close}`;
    const shown = [];
    for (const value of values) {
      if (left <= 0) return `${open}${[...shown, "…"].join(", ")}${close}`;
      shown.push(value instanceof Pair ? `${text(value.key, depth)}: ${text(value.value, depth)}` : text(value, depth));
    }
    return `${open}${shown.join(", ")}${close}`;
  };
  const text = (value, depth) => {
    left--;
    if (value === null || value === undefined) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value === "string") return JSON.stringify(cut(value));
    if (typeof value !== "object") return String(value);
    if (Array.isArray(value)) return Object.isFrozen(value) ? list("(", value, ")", depth + 1) : list("[", value, "]", depth + 1);
    if (value instanceof Map) return list("{", Array.from(value, ([key, of]) => new Pair(key, of)), "}", depth + 1);
    if (value instanceof Set) return list("{", value, "}", depth + 1);
    if (value instanceof Uint8Array) return cut(`b'${Array.from(value.subarray(0, MOST_TEXT), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'`);
    if (value instanceof NpyArray || value instanceof ObjectArray) return `array of ${value.descr} (${value.shape.join(", ")})`;
    const { type, dtype, ...parts } = value instanceof PyObject ? value : { type: "record", ...value };
    return list(`${type}(`, Object.entries(dtype ? { ...parts, dtype: dtype.descr } : parts).map(([key, of]) => new Pair(key, of)), ")", depth + 1);
  };
  const lines = [];
  for (const value of array) {
    if (left <= 0) return [...lines, `… ${array.size.toLocaleString("en")} elements in all`].join("\n");
    lines.push(text(value, 0));
  }
  return lines.join("\n");
}

const cut = (text) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

class Pair {
  constructor(key, value) {
    Object.assign(this, { key, value });
  }
}
