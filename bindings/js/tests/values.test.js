// The values of arrays of every type, byte order and order in memory, against NumPy's.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import test, { after } from "node:test";
import { load, NpyError, toDate } from "../src/index.js";

const PYTHON = "/usr/bin/python3";
const skip = spawnSync(PYTHON, ["-c", "import numpy"]).status !== 0 && "no NumPy for /usr/bin/python3";
const folder = mkdtempSync(join(tmpdir(), "safenpy-values-"));
after(() => rmSync(folder, { recursive: true }));

const script = fileURLToPath(new URL("arrays.py", import.meta.url));
const large = { encoding: "utf8", maxBuffer: 2 ** 28 };
const { cases = [], dates = [] } = skip ? {} : JSON.parse(execFileSync(PYTHON, [script, folder], large));

const hex = (bytes) => Buffer.from(bytes).toString("hex");

/** A number as arrays.py writes it. */
function float(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return Number.isNaN(value) ? "nan" : hex(new Uint8Array(view.buffer));
}

/** An element as arrays.py writes it. */
function written(value, dtype) {
  const { kind, itemsize } = dtype;
  if (kind === "r") {
    const entries = dtype.fields.map(({ name, dtype, shape }) => [name, nested(value[name], dtype, shape.length)]);
    return Object.defineProperties({}, Object.fromEntries(entries.map(([name, value]) => [name, { value, enumerable: true }])));
  }
  if (kind === "c" && itemsize < 32) return value.map(float);
  if (kind === "f" && itemsize < 16) return float(value);
  if (kind === "U") return Array.from(value, (character) => character.codePointAt(0).toString(16)).join(" ");
  if (value instanceof Uint8Array) return hex(value);
  return String(kind === "b" ? Number(value) : value);
}

const nested = (value, dtype, depth) =>
  depth === 0 ? written(value, dtype) : Array.from(value, (inner) => nested(inner, dtype, depth - 1));

const entries = (value) =>
  Array.isArray(value) ? value.map(entries) : typeof value === "object" ? Object.entries(value).map(([k, v]) => [k, entries(v)]) : value;

function same(array, { shape, values }, message) {
  assert.deepEqual(array.shape, shape, message);
  assert.deepEqual(entries(nested(array.toArray(), array.dtype, array.ndim)), entries(values), message);
  const flat = nested([...array], array.dtype, 1);
  const all = shape.length ? values.flat(shape.length - 1) : [values];
  assert.deepEqual(entries(flat), entries(all), message);
}

/** The ranges of an index in Python. */
function ranges(text) {
  const number = (part) => (part.trim() === "" ? null : Number(part));
  return text.split(",").map((range) => {
    const parts = range.split(":").map(number);
    return range.includes(":") ? [parts[0], parts[1], parts[2] ?? 1] : parts[0];
  });
}

test(`${cases.length} arrays have NumPy's values`, { skip }, async () => {
  assert.ok(cases.length > 500);
  for (const one of cases) {
    const array = await load(join(folder, one.file));
    const about = `${one.dtype} ${one.shape} ${one.file}`;
    same(array, one, about);
    assert.equal(array.fortranOrder, one.fortran_order, about);
  }
});

test("slices and fields", { skip }, async () => {
  for (const one of cases) {
    const array = await load(readFileSync(join(folder, one.file)));
    for (const [text, expected] of one.slices) {
      const slice = array.slice(...ranges(text));
      same(slice, expected, `${one.dtype} ${one.file} ${text}`);
    }
    for (const [name, expected] of one.fields) same(array.field(name), expected, `${one.dtype} ${name}`);
  }
});

test("data are typed arrays of the elements in order of memory", { skip }, async () => {
  for (const one of cases) {
    const { data, dtype, size, fortranOrder, ndim, ...array } = await load(join(folder, one.file));
    if (data instanceof DataView) {
      assert.ok("USVr".includes(dtype.kind) || dtype.itemsize >= 16, one.dtype);
      continue;
    }
    const pairs = dtype.kind === "c" ? 2 : 1;
    assert.equal(data.length, size * pairs, one.dtype);
    const loaded = await load(join(folder, one.file));
    if (loaded.fortranOrder) continue;
    const elements = pairs === 1 ? [...data] : Array.from({ length: size }, (_, i) => [data[2 * i], data[2 * i + 1]]);
    assert.deepEqual(elements.map((value) => written(value, dtype)), [...loaded].map((value) => written(value, dtype)), one.dtype);
    assert.ok(array);
  }
});

test("data of slices and of Fortran order", { skip }, async () => {
  const one = cases.find(({ dtype, shape, fortran_order }) => dtype === ">f4" && String(shape) === "2,3" && fortran_order);
  const array = await load(join(folder, one.file));
  const [first, second] = array.toArray();
  assert.deepEqual([...array.data], [0, 1, 2].flatMap((i) => [first[i], second[i]]));
  const part = array.slice(null, [0, 3, 2]);
  assert.equal(part.fortranOrder, false);
  assert.deepEqual([...part.data], [first[0], first[2], second[0], second[2]]);
});

test("dates", { skip }, async () => {
  for (const { descr, counts, stamps } of dates) {
    const [, unit] = descr.match(/\[(.*)\]/);
    const [, multiplier, letters] = unit.match(/^(\d*)(.*)$/);
    const dtype = { unit: letters, multiplier: Number(multiplier || 1) };
    counts.forEach((count, i) => assert.equal(toDate(BigInt(count), dtype).getTime(), stamps[i], `${descr} ${count}`));
  }
  assert.equal(toDate(-(2n ** 63n), { unit: "s", multiplier: 1 }), null);
  assert.throws(() => toDate(1n, {}), TypeError);
});

test("an array comes from anything that has its bytes", { skip }, async () => {
  const { file } = cases.find(({ dtype, shape }) => dtype === "<f8" && String(shape) === "2,3");
  const path = join(folder, file);
  const bytes = new Uint8Array(readFileSync(path));
  const odd = new Uint8Array(bytes.length + 1);
  odd.set(bytes, 1);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const inputs = [path, pathToFileURL(path), bytes, bytes.buffer, odd.subarray(1), new DataView(bytes.buffer), new Blob([bytes]),
    new Response(bytes), new Blob([bytes]).stream(), shared];
  const expected = [...(await load(path)).data];
  for (const input of inputs) assert.deepEqual([...(await load(input)).data], expected);
  const { data } = await load(bytes);
  assert.equal(data.buffer, bytes.buffer);
  await assert.rejects(load(7), TypeError);
  await assert.rejects(load(new Response("", { status: 404 })), /HTTP 404/);
  await assert.rejects(load(join(folder, "missing")), { code: "ENOENT" });
});

test("what is no array is refused, with the verdict's words", async () => {
  await assert.rejects(load(new Uint8Array(3)), (error) => {
    assert.ok(error instanceof NpyError);
    assert.deepEqual([error.status, error.rule, error.offset], ["SNPY_BAD_MAGIC", "NPY-FRAME-001", 0]);
    return error.message.includes("NPY-FRAME-001, byte 0") && error.hint.length > 5;
  });
  const object = readFileSync(new URL("../../../corpus/accept/handmade/object-O.npy", import.meta.url));
  await assert.rejects(load(object), { status: "SNPY_OBJECT_DATA" });
});

test("wrong indices, ranges and fields", { skip }, async () => {
  const { file } = cases.find(({ dtype, shape }) => dtype === "<f8" && String(shape) === "2,3");
  const array = await load(join(folder, file));
  for (const index of [[0], [0, 3], [2, 0], [0, -4], [0, 0.5], [0, 0, 0], ["0", 0]]) assert.throws(() => array.get(...index), RangeError);
  for (const range of [[null, null, null], [3], [null, [0, 1, 0]], [null, [0, 1, 0.5]]]) assert.throws(() => array.slice(...range), RangeError);
  assert.throws(() => array.field("x"), RangeError);
});
