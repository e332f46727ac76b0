// What save and savez write: NumPy's bytes, and those of `safenpy pack`.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { after } from "node:test";
import { check, load, loadNpz, save, savez } from "../src/index.js";

const PYTHON = "/usr/bin/python3";
const SAFENPY = fileURLToPath(new URL("../../../build/gcc/safenpy", import.meta.url));
const skip = spawnSync(PYTHON, ["-c", "import numpy"]).status !== 0 && "no NumPy for /usr/bin/python3";
const skipPack = skip || (!existsSync(SAFENPY) && "build/gcc/safenpy is not built");
const folder = mkdtempSync(join(tmpdir(), "safenpy-save-"));
after(() => rmSync(folder, { recursive: true }));

const script = fileURLToPath(new URL("arrays.py", import.meta.url));
const { cases = [] } = skip ? {} : JSON.parse(execFileSync(PYTHON, [script, folder], { encoding: "utf8", maxBuffer: 2 ** 28 }));

test(`${cases.length} arrays that NumPy saved are saved as the same bytes`, { skip }, async () => {
  assert.ok(cases.length > 500);
  for (const { file } of cases) {
    const bytes = readFileSync(join(folder, file));
    const array = await load(bytes);
    const saved = await save(array);
    if (!array.descr.includes("('', '|V")) assert.deepEqual(Buffer.from(saved), bytes, file);
    else assert.deepEqual((await load(saved)).toBytes(), array.toBytes(), file); // NumPy keeps what is in the padding
  }
});

/** The archive that the command writes of some files. */
function packed(files) {
  const out = join(folder, "packed.npz");
  execFileSync(SAFENPY, ["pack", "--store", out, ...files.map((file) => join(folder, file))]);
  const bytes = readFileSync(out);
  rmSync(out);
  return bytes;
}

const key = (file) => file.replace(/\.npy$/, "");

test("an archive has the bytes that the command writes", { skip: skipPack }, async () => {
  const whole = cases.filter(({ dtype }) => !dtype.includes("offsets"));
  for (const some of [whole.slice(0, 1), whole.filter((_, i) => i % 5 === 0)]) {
    const files = some.map(({ file }) => file);
    const arrays = new Map();
    for (const file of files) arrays.set(key(file), await load(join(folder, file)));
    assert.deepEqual(Buffer.from(await savez(arrays)), packed(files));
  }
});

test("an archive whose data look like its end, too", { skip: skipPack }, async () => {
  const end = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(16), 255, 255);
  writeFileSync(join(folder, "end.npy"), await save(end));
  const bytes = await savez({ end });
  assert.ok(bytes.length > 65535);
  assert.deepEqual(Buffer.from(bytes), packed(["end.npy"]));
});

test("deflated members come back", async () => {
  const x = Float64Array.from({ length: 10000 }, (_, i) => i % 7);
  const bytes = await savez({ x, é: [x, { shape: [100, 100], fortranOrder: true }] }, { compress: true });
  assert.ok(bytes.length < 20000);
  const { accepted, members } = await check(bytes);
  assert.deepEqual([accepted, members.map(({ name, method }) => [name, method])], [true, [["x.npy", "deflated"], ["é.npy", "deflated"]]]);
  const archive = await loadNpz(bytes);
  assert.deepEqual((await archive.get("x")).data, x);
  assert.equal((await archive.get("é")).get(1, 2), x[201]);
  assert.deepEqual(await savez({}), Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(18)));
});

test("elements of a type that JavaScript has no array for", async () => {
  const file = await save(Float32Array.of(1, 2, 3, 4), { descr: "<c8", shape: [2] });
  assert.deepEqual((await load(file)).toArray(), [[1, 2], [3, 4]]);
  const descr = "[('a', '<u2'), ('é', '|S1')]";
  const records = await load(await save(Uint8Array.of(1, 0, 65, 2, 0, 66), { descr, shape: [2] }));
  assert.deepEqual([records.descr, [...records.field("a").data]], [descr, [1, 2]]);
  const untyped = await load(await save(new Uint8Array([1, 0]).buffer, { descr: "|b1" }));
  assert.deepEqual(untyped.toArray(), [true, false]);
});

test("what cannot be saved", async () => {
  const x = new Uint8Array(8);
  await assert.rejects(save(x, { descr: "<f9" }), { status: "SNPY_BAD_TYPE_SIZE", rule: "NPY-DTYPE-004", offset: 13 });
  await assert.rejects(save(x, { descr: "|O" }), { status: "SNPY_OBJECT_DATA", offset: 0 });
  await assert.rejects(save(x, { shape: [-8] }), { status: "SNPY_SIGNED_DIMENSION", offset: 51 });
  await assert.rejects(save(x, { shape: [3] }), RangeError);
  await assert.rejects(save([1, 2]), TypeError);
  await assert.rejects(save(x, { descr: 7 }), TypeError);
  const nested = "[('a', ".repeat(100) + "'|u1'" + ")]".repeat(100);
  await assert.rejects(save(x, { descr: nested }), (error) => error.status.startsWith("SNPY_") && error.offset > 0);
  await assert.rejects(savez({ x, y: [x, { descr: "<f9" }] }), { status: "SNPY_BAD_TYPE_SIZE", member: "y.npy" });
  for (const bad of ["a\0b", "\ud800", "k".repeat(65532)])
    await assert.rejects(savez({ x, [bad]: x }), { status: "SNPY_ZIP_WRITE_KEY", offset: 1 });
  for (const pair of [["a", "a.npy"], ["a.npy", "a"]])
    await assert.rejects(savez(new Map(pair.map((name) => [name, x]))), { status: "SNPY_ZIP_WRITE_DUPLICATE", offset: 1 });
});
