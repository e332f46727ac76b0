// Arrays of objects: verdicts and values are those of the command, for each case of corpus/objects.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "node:test";
import { objects, ObjectArray, PyObject } from "../objects/index.js";
import * as pickle from "../objects/pickle.js";
import { KINDS, ROLES } from "../objects/values.js";
import { check, load, loadNpz, NpyArray } from "../src/index.js";
import { listed, pickled, zipped } from "./pickles.js";

const root = new URL("../../../", import.meta.url);
const corpus = new URL("corpus/objects/", root);
const { cases } = JSON.parse(readFileSync(new URL("manifest.json", corpus)));
const command = fileURLToPath(new URL("build/gcc/safenpy", root));
const skip = !existsSync(command) && "build/gcc/safenpy has not been built";
const bytesOf = ({ file }) => readFileSync(new URL(file, corpus));
const pathOf = ({ file }) => fileURLToPath(new URL(file, corpus));
const plain = { objects: objects("plain") };

const run = (...words) => spawn(words).stdout.toString();
const spawn = (words) => {
  try {
    return { stdout: execFileSync(command, words, { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 28 }) };
  } catch (error) {
    return error;
  }
};

test("the verdicts are those of the command, for both sets", { skip }, async () => {
  const paths = cases.map(pathOf);
  let refused = 0;
  for (const set of ["data", "plain"]) {
    const lines = run("check", "--objects", set, "--json", ...paths).trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(lines.length, cases.length);
    for (const [i, { status, offset, rule, message, hint }] of lines.entries()) {
      const found = await check(bytesOf(cases[i]), { objects: objects(set) });
      const expected = status === undefined || status === "SNPY_OK" ? {} : { status, offset, rule, message, hint };
      const { accepted, header, ...got } = found;
      assert.deepEqual(got, expected, cases[i].id);
      if (!accepted) refused++;
    }
  }
  assert.ok(refused > 1000, String(refused));
});

test("what the manifest accepts or refuses is accepted or refused", async () => {
  for (const one of cases) {
    if (one.options?.nodes || one.options?.decoded_bytes) continue; // smaller limits than ours
    const verdict = await check(bytesOf(one), { objects: objects(one.options?.allowed ?? "plain") });
    assert.deepEqual([verdict.status, verdict.offset], [one.error?.status, one.error?.offset], one.id);
  }
});

/** What cat prints, with integers that JSON.parse would round as strings. */
const parsed = (text) => JSON.parse(text.replace(/(?<=^|[[:,] ?)-?\d{16,}(?=[,\]}\n]|$)/g, '{"$int": "$&"}'));

/** Compares what cat prints for a scalar of type S, V, f16 or c32. */
function compareBytes(json, value) {
  if (typeof json !== "string") return assert.equal(value.length, Array.isArray(json) ? 32 : 16);
  assert.ok(json === Buffer.from(value).toString("latin1") || json === `0x${hex(value)}`, `${json} ${hex(value)}`);
}

/** Compares what cat prints with a value. `ids` has the values that were printed once. */
function compare(json, value, ids) {
  if (isScalar(value)) return compareScalar(json, value);
  if (value instanceof Uint8Array && (typeof json !== "object" || Array.isArray(json))) return compareBytes(json, value);
  if (json === null || typeof json !== "object") return assert.deepEqual(value, json);
  if ("$id" in json) return ids.set(json.$id, value) && compare(json.$value, value, ids);
  if ("$ref" in json) return assert.equal(value, ids.get(json.$ref));
  if (Array.isArray(json)) return compareAll(json, value.type === "complex" ? [value.real, value.imag] : value, ids);
  const [key] = Object.keys(json);
  const compared = COMPARE[key];
  if (compared) return compared(json, value, ids);
  return compareMap(Object.entries(json), value, ids);
}

/** Whether a value was a NumPy scalar of a type that the command prints in another form. */
const isScalar = (value) => SCALARS.includes(value?.type) || Object.getPrototypeOf(Object(value)) === null;
const SCALARS = ["numpy.datetime64", "numpy.timedelta64"];

function compareScalar(json, value) {
  if (!SCALARS.includes(value.type)) return assert.deepEqual(Object.keys(value), Object.keys(json));
  assert.equal(typeof json, "string");
}

function compareAll(json, value, ids) {
  assert.ok(Array.isArray(value));
  assert.equal(value.length, json.length);
  json.forEach((one, i) => compare(one, value[i], ids));
}

function compareMap(pairs, value, ids) {
  assert.ok(value instanceof Map);
  assert.equal(value.size, pairs.length);
  const entries = [...value];
  pairs.forEach(([key, one], i) => {
    compare(key, entries[i][0], ids);
    compare(one, entries[i][1], ids);
  });
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const two = (number) => String(number).padStart(2, "0");
const dateOf = ({ year, month, day }) => `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
const timeOf = ({ hour, minute, second, microsecond }) =>
  `${two(hour)}:${two(minute)}:${two(second)}${microsecond ? `.${String(microsecond).padStart(6, "0")}` : ""}`;

/** The arguments that cat prints for a call, from the parts of a value. Null: not compared. */
const ARGUMENTS = {
  "datetime.timedelta": ({ days, seconds, microseconds }) => [days, seconds, microseconds],
  "datetime.timezone": ({ offset, name }) => (name === null ? [offset] : [offset, name]),
  "decimal.Decimal": ({ text }) => [text],
  range: ({ start, stop, step }) => [start, stop, step],
  slice: ({ start, stop, step }) => [start, stop, step],
  "time.struct_time": ({ fields, zone }) => [fields, zone],
};

const COMPARE = {
  $int: ({ $int }, value) => assert.equal(value, BigInt($int)),
  $float: ({ $float }, value) => assert.ok(Object.is(value, { nan: NaN, inf: Infinity, "-inf": -Infinity }[$float])),
  $codepoints: ({ $codepoints }, value) => assert.equal(value, String.fromCodePoint(...$codepoints)),
  $bytes: ({ $bytes }, value) => assert.equal(hex(value), $bytes),
  $bytearray: ({ $bytearray }, value) => assert.equal(hex(value), $bytearray),
  $set: ({ $set }, value, ids) => assert.ok(value instanceof Set) || compareAll($set, [...value], ids),
  $frozenset: ({ $frozenset }, value, ids) => assert.ok(value instanceof Set) || compareAll($frozenset, [...value], ids),
  $dict: ({ $dict }, value, ids) => compareMap($dict, value, ids),
  $complex: ({ $complex }, value, ids) => {
    assert.equal(value.type, "complex");
    compareAll($complex, [value.real, value.imag], ids);
  },
  $dtype: ({ $dtype }, { type, dtype }) => {
    assert.equal(type, "numpy.dtype");
    if ($dtype.length < 65000) assert.equal(dtype.descr, $dtype);
    else assert.equal(dtype, null);
  },
  $date: ({ $date }, value) => assert.deepEqual([value.type, dateOf(value)], ["datetime.date", $date]),
  $time: ({ $time }, value) => assert.deepEqual([value.type, timeOf(value), value.tzinfo], ["datetime.time", $time, null]),
  $datetime: ({ $datetime }, value) =>
    assert.deepEqual([value.type, `${dateOf(value)}T${timeOf(value)}`, value.tzinfo], ["datetime.datetime", $datetime, null]),
  $call: ({ $call, args }, value, ids) => {
    assert.equal(value.type, $call);
    if (ARGUMENTS[$call]) compareAll(args, ARGUMENTS[$call](value), ids);
    else called.add($call);
  },
  descr: ({ descr, shape, $array }, value, ids) => {
    const array = value instanceof PyObject ? value.data : value;
    assert.equal(array.descr, descr);
    assert.deepEqual([...array.shape], shape);
    if (array instanceof ObjectArray) return compare($array, array.toArray(), ids);
    assert.ok(array instanceof NpyArray);
    if ("biuf".includes(array.dtype.kind) && array.itemsize <= 8)
      assert.deepEqual([...array].map(Number), [$array].flat(64).map((number) => ("$float" in Object(number) ? Number(number.$float.replace("inf", "Infinity")) : Number(number.$int ?? number))));
  },
};

const called = new Set(); // types whose parts are compared in the next test

test("the values are those that cat prints", { skip }, async () => {
  let compared = 0;
  for (const one of cases.filter(({ verdict }) => verdict === "accept")) {
    const text = run("cat", "--objects", "plain", "--form=json", pathOf(one));
    const array = await load(bytesOf(one), plain);
    assert.ok(array instanceof ObjectArray, one.id);
    if (text === "") continue;
    try {
      compare(parsed(text), array.toArray(), new Map());
    } catch (error) {
      throw new Error(`${one.id}: ${error.message}: ${text.slice(0, 300)}`, { cause: error });
    }
    compared++;
  }
  assert.ok(compared > 300, String(compared));
});

const written = async (name) => (await load(bytesOf({ file: `accept/written/${name}-numpy-2.npy` }), plain)).get();
const withoutPrototype = (value) => structuredClone(value);

test("types that JavaScript has not are objects with the parts of Python", async () => {
  const utc = (await written("datetime-utc")).tzinfo;
  assert.deepEqual(withoutPrototype(utc), { type: "datetime.timezone", offset: { type: "datetime.timedelta", days: 0, seconds: 0, microseconds: 0 }, name: null });
  const [datetime, time] = await written("datetime-fold");
  assert.deepEqual([datetime.fold, datetime.month, time.fold, time.hour], [1, 10, 1, 1]);
  const [third, whole, large] = await written("fraction");
  assert.deepEqual([third.numerator, third.denominator, whole.numerator, whole.denominator], [1, 3, -7, 1]);
  assert.equal(large.numerator, 2n ** 70n);
  assert.equal((await written("uuid"))[1].text, "12345678-1234-5678-1234-567812345678");
  assert.deepEqual((await written("path"))[3].parts, ["/etc/x y"]);
  const day = await written("scalar-big-M8-D");
  assert.deepEqual([day.type, day.count, day.dtype.unit], ["numpy.datetime64", 1n, "D"]);
  const seconds = await written("scalar-little-m8-25s");
  assert.deepEqual([seconds.type, seconds.count, seconds.dtype.multiplier], ["numpy.timedelta64", 1n, 25]);
  const masked = (await load(bytesOf({ file: "accept/array/masked.npy" }), plain)).data[0];
  assert.deepEqual([masked.type, masked.data.get(0), masked.mask.get(0), masked.fillValue], ["numpy.ma.MaskedArray", 0, true, null]);
  assert.deepEqual([...called].filter((type) => !KNOWN_CALLS.has(type)), []);
});

const KNOWN_CALLS = new Set(["datetime.datetime", "datetime.time", "fractions.Fraction", "uuid.UUID", "numpy.dtype", "numpy.dtypes.StringDType",
  "pathlib.PosixPath", "pathlib.PurePosixPath", "pathlib.WindowsPath", "pathlib.PureWindowsPath"]);

test("shared values are one value, and may contain themselves", async () => {
  const [first, second, { k }] = await written("shared").then((list) => [list[0], list[1], { k: list[2].get("k") }]);
  assert.ok(first === second && second === k);
  const self = await written("cyclic");
  assert.equal(self[0], self);
  const dict = await written("cyclic-dict");
  assert.equal(dict.get("self"), dict);
  const tuple = await written("cyclic-tuple");
  assert.ok(Object.isFrozen(tuple) && tuple[0][0] === tuple);
});

test("a key named __proto__ is a key", async () => {
  const [dict] = (await load(listed(1, "](}X\x09\0\0\0__proto__K\x01se"), plain)).data;
  assert.deepEqual([...dict], [["__proto__", 1]]);
  assert.equal(Object.getPrototypeOf(dict), Map.prototype);
});

const status = async (bytes) => {
  const verdict = await check(bytes, plain);
  const error = await load(bytes, plain).catch((thrown) => thrown);
  if (!verdict.accepted) assert.deepEqual(error.verdict(), verdict);
  return verdict.status;
};

test("depth, width and repetition are bounded", async () => {
  const nested = (depth) => listed(1, "](", "]".repeat(depth), "a".repeat(depth - 1), "e");
  assert.equal(await status(nested(900)), undefined);
  let depth = 0;
  for (let [value] = (await load(nested(900), plain)).data; value !== undefined; [value] = value) depth++;
  assert.equal(depth, 900);
  assert.equal(await status(nested(100000)), "SNPY_PKL_TOO_DEEP");
  const wide = await load(listed(500000, "](", "K\x07".repeat(500000), "e"), plain);
  assert.deepEqual([wide.data.length, wide.get(-1)], [500000, 7]);
  const levels = Array.from({ length: 60 }, (_, i) => [Buffer.of(0x71, i), "]", Buffer.of(0x68, i, 0x61, 0x68, i, 0x61)]);
  const doubled = (await load(listed(61, "](", "]", ...levels.flat(), "e"), plain)).data; // 2^60 lists, if each were its own
  assert.ok(doubled[60][0] === doubled[59] && doubled[60][1] === doubled[59]);
  assert.equal(await status(listed(1, "](", "(".repeat(1000000), "e")), "SNPY_PKL_STACK");
});

test("more than 10,000,000 values are refused, and the memory is used again", async () => {
  assert.equal(await status(listed(1, "](", "N".repeat(10000001), "e")), "SNPY_PKL_TOO_MANY_NODES");
  assert.deepEqual((await load(pickled, plain)).data, [1, "two", null]);
});

test("a payload for which there is no memory is a RangeError", async () => {
  const header = { dtype: { kind: "O" }, fortranOrder: false, shape: [1], dataOffset: 128 };
  const huge = { length: 2 ** 30 };
  await assert.rejects(objects().check(huge, header), { name: "RangeError", message: /1 GiB/ });
  assert.equal((await check(pickled, plain)).accepted, true);
});

test("calls at the same time do not meet", async () => {
  const loaded = await Promise.all(Array.from({ length: 20 }, (_, i) => load(listed(1, `](X\x01\0\0\0${String.fromCharCode(65 + i)}e`), plain)));
  assert.equal(loaded.map(({ data }) => data[0]).join(""), "ABCDEFGHIJKLMNOPQRST");
});

test("members of archives are decoded, and a refusal names its member", async () => {
  const good = zipped({ "a.npy": pickled });
  const archive = await loadNpz(good);
  assert.deepEqual((await archive.get("a", plain)).data, [1, "two", null]);
  await assert.rejects(archive.get("a"), { status: "SNPY_OBJECT_DATA" });
  const bad = zipped({ "a.npy": pickled, "b.npy": listed(1, "](cos\nsystem\ne") });
  assert.equal((await check(bad)).accepted, true);
  const verdict = await check(bad, plain);
  assert.deepEqual([verdict.accepted, verdict.status, verdict.member], [false, "SNPY_PKL_GLOBAL", "b.npy"]);
  assert.deepEqual(verdict.members.map(({ verdict: { accepted } }) => accepted), [true, false]);
});

test("without a decoder objects are refused, and sets have a name", async () => {
  await assert.rejects(load(pickled), { status: "SNPY_OBJECT_DATA" });
  assert.equal((await check(pickled)).accepted, true);
  assert.throws(() => objects("any"), TypeError);
});

test("the numbers of kinds, roles and statuses are those of the headers", () => {
  const header = readFileSync(new URL("include/safenpy/object.h", root), "utf8");
  const numbers = (prefix) => new Map([...header.matchAll(new RegExp(`${prefix}_(\\w+) = (\\d+)`, "g"))].map(([, name, number]) => [name, Number(number)]));
  const [kinds, roles] = [numbers("SNPY_NODE"), numbers("SNPY_ROLE")];
  for (const [name, number] of Object.entries(KINDS)) assert.equal(number, kinds.get(name), name);
  for (const [name, number] of Object.entries(ROLES)) assert.equal(number, roles.get(name), name);
  const statuses = readFileSync(new URL("include/safenpy/statuses.h", root), "utf8");
  for (const [name, number] of Object.entries(pickle).filter(([, value]) => typeof value === "number"))
    assert.match(statuses, new RegExp(`SNPY_STATUS\\(SNPY_${name}, ${number},`));
});

test("a name of a set is no decoder", async () => {
  for (const wrong of ["plain", true, objects]) {
    await assert.rejects(load(bytesOf(cases[0]), { objects: wrong }), TypeError);
    await assert.rejects(check(bytesOf(cases[0]), { objects: wrong }), TypeError);
  }
});
