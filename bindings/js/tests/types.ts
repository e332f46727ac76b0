// What the declared types allow; tsc checks it, nobody runs it.

import { check, header, load, loadNpz, NpyArray, NpyError, save, savez, toDate, type Element, type Header } from "../src/index.js";

const array: NpyArray = await load(new Uint8Array(3), { trailing: false });
const element: Element = array.slice(null, [0, null, 2], 3).field("x").get(0, -1);
const numbers: number = array.data instanceof Float64Array ? array.data[0] : 0;
if (array.dtype.kind === "r") array.dtype.fields.map(({ name, dtype }) => name + dtype.descr);
else if (array.dtype.kind === "M") toDate(array.get(0) as bigint, array.dtype)?.toISOString();

const verdict = await check(new Blob([]));
const found: Header | number | string = verdict.accepted ? verdict.header ?? verdict.members.length : verdict.rule + verdict.looksLike?.noun;
const dimension: number | bigint = (await header("a.npy")).shape[0];

import { objects, ObjectArray, PyObject, type Value } from "../objects/index.js";
const some: NpyArray | ObjectArray = await load("objects.npy", { objects: objects("plain") });
if (some instanceof ObjectArray) {
  const value: Value = some.get(0, -1);
  if (value instanceof PyObject && value.type === "datetime.date") console.log(value.year + value.month + value.day);
  else if (value instanceof Map) console.log(value.get("key"));
}
await check("a.npz", { objects: objects() });

const archive = await loadNpz("a.npz");
for (const key of archive.keys) console.log((await archive.get(key, { compat: true })).shape, archive.members[0].method);

const bytes: Uint8Array = await save(new Float32Array(6), { shape: [2, 3] });
await savez({ x: array, y: [bytes, { descr: "|b1" }] }, { compress: true });

try {
  await load(new URL("https://example.org/a.npy"));
} catch (error) {
  if (error instanceof NpyError) console.log(error.rule, error.offset, error.hint);
}

// @ts-expect-error: a verdict has no rule before it is known to be a refusal
verdict.rule;
// @ts-expect-error: lists have no type
await save([1, 2]);
// @ts-expect-error: there is no such set
objects("any");
// @ts-expect-error: the set is the decoder's
await load("a.npy", { objects: "plain" });
// @ts-expect-error: 7 is no file
await load(7);
// @ts-expect-error: arrays come from load
new NpyArray();
// @ts-expect-error: the shape is read only
array.shape[0] = 1;

export { dimension, element, found, numbers };
