// The statuses, the examples, the types and the package. The corpus is read by adapters: corpus/adapters/safenpy-js-node.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";
import * as core from "../src/core.js";
import { objects } from "../objects/index.js";
import * as safenpy from "../src/index.js";
import { pickled } from "./pickles.js";

const { check, load, save } = safenpy;

const root = new URL("../../../", import.meta.url);
const corpus = new URL("corpus/", root);
const manifest = JSON.parse(readFileSync(new URL("manifest.json", corpus)));

test("the statuses that JavaScript returns itself have the numbers of the table", () => {
  const table = readFileSync(new URL("include/safenpy/statuses.h", root), "utf8");
  const numbers = new Map([...table.matchAll(/^SNPY_STATUS\(SNPY_(\w+), (\d+),/gm)].map(([, name, number]) => [name, Number(number)]));
  const own = Object.entries(core).filter(([name, value]) => typeof value === "number" && name !== "OK");
  assert.ok(own.length > 10);
  for (const [name, number] of own) assert.equal(number, numbers.get(name), name);
});

test("a file of another format is recognised", async () => {
  const found = await check(new TextEncoder().encode("<!doctype html><p>404"));
  assert.deepEqual([found.status, found.looksLike.name], ["SNPY_BAD_MAGIC", "html"]);
});

test("bytes after the data are refused on demand", async () => {
  const one = readFileSync(new URL("accept/numpy/dtype/le-f8.npy", corpus));
  const longer = Buffer.concat([one, Buffer.of(0)]);
  assert.equal((await check(longer)).accepted, true);
  const found = await check(longer, { trailing: false });
  assert.deepEqual([found.status, found.offset], ["SNPY_TRAILING_DATA", one.length]);
});

test("spellings of other programs are accepted on demand, and saved as NumPy writes them", async () => {
  const some = manifest.cases.filter(({ id, options }) => id.startsWith("choice/compat/") && options?.[0] === "--compat" && options[1] !== "platform-float");
  let fixed = 0;
  for (const { file, id } of some) {
    const bytes = readFileSync(new URL(file, corpus));
    const array = await load(bytes, { compat: true }).catch(({ status }) => status);
    if (array === "SNPY_OBJECT_DATA") continue;
    assert.equal((await check(await save(array))).accepted, true, id);
    await assert.rejects(load(bytes), { name: "NpyError" }, id);
    fixed++;
  }
  assert.ok(fixed > 50, String(fixed));
});

const AsyncFunction = (async () => {}).constructor;

test("the examples in comments and README run", async () => {
  const modules = [...sources, ...decoder].filter((name) => name.endsWith(".js"));
  const text = modules.map((name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8")).join("");
  const examples = [...text.matchAll(/@example\n([^]*?)\*\//g)].map(([, code]) => code.replace(/^ \* ?/gm, ""));
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const shown = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code.replace(/^import .*$/gm, ""));
  const functions = Object.keys({ ...safenpy, objects }).filter((name) => /^[a-z]/.test(name));
  assert.equal(examples.length, functions.length);
  assert.ok(shown.length > 0);
  const known = { assert, bytes: readFileSync(new URL("accept/numpy/dtype/le-f8.npy", corpus)),
    npz: readFileSync(new URL("archives/accept/crc/right.npz", corpus)), pickled, objects, ...safenpy };
  for (const code of [...examples, ...shown]) await new AsyncFunction(...Object.keys(known), code)(...Object.values(known));
});

const filesOf = (folder) =>
  readdirSync(new URL(`../${folder}/`, import.meta.url)).filter((name) => !name.endsWith(".d.ts")).map((name) => `${folder}/${name}`);
const sources = filesOf("src");
const decoder = filesOf("objects");

/** Bytes of files by gzip -9, each by itself. */
const packed = (names) =>
  names.map((name) => execFileSync("gzip", ["-9nc", fileURLToPath(new URL(`../${name}`, import.meta.url))]).length)
    .reduce((sum, bytes) => sum + bytes);

test("all but the decoder of objects has at most 60,000 bytes, by gzip -9", () => {
  assert.ok(sources.includes("src/safenpy.wasm") && sources.length > 15);
  const total = packed(sources);
  assert.ok(total <= 60000, `${total} bytes`);
});

test("the decoder of objects has at most 33,000 bytes, by gzip -9", () => {
  assert.ok(decoder.includes("objects/objects.wasm") && decoder.length === 4);
  const total = packed(decoder);
  assert.ok(total <= 33000, `${total} bytes`);
});

/** The modules that a module needs, itself among them. */
function needs(name, found = new Set()) {
  found.add(name);
  const place = new URL(`../${name}`, import.meta.url);
  for (const [, other] of readFileSync(place, "utf8").matchAll(/^(?:import|export) .* from "(\..*)";$/gm)) {
    const path = new URL(other, place).href.slice(new URL("..", import.meta.url).href.length);
    if (!found.has(path)) needs(path, found);
  }
  return found;
}

test("who loads arrays need not take what reads and writes archives, nor the decoder of objects", () => {
  const isModule = (name) => name.endsWith(".js");
  assert.deepEqual([...needs("src/index.js")].sort(), sources.filter(isModule).sort());
  assert.deepEqual(decoder.filter((name) => isModule(name) && !needs("objects/index.js").has(name)), []);
  for (const other of ["archive.js", "inflate.js", "save.js", "check.js"])
    for (const name of ["src/load.js", "objects/index.js"]) assert.ok(!needs(name).has(`src/${other}`), other);
  const { sideEffects } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));
  assert.equal(sideEffects, false);
});

test("nothing is evaluated, and the compiled modules import nothing", () => {
  for (const name of [...sources, ...decoder].filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
    assert.doesNotMatch(text, /\beval\(|\bFunction\(|setTimeout\(["'`]/, name);
  }
  for (const name of ["src/safenpy.wasm", "objects/objects.wasm"])
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(new URL(`../${name}`, import.meta.url)))), []);
});

const hasTsc = spawnSync("tsc", ["--version"]).status === 0;

test("the types say what they should", { skip: !hasTsc && "there is no tsc" }, () => {
  const { status, stdout } = spawnSync("tsc", ["-p", fileURLToPath(new URL(".", import.meta.url))], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

const hasNpm = spawnSync("npm", ["--version"]).status === 0;

test("the packed package works where it is installed", { skip: !hasNpm && "there is no npm" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "safenpy-"));
  const quiet = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  try {
    execFileSync("npm", ["pack", fileURLToPath(new URL("..", import.meta.url)), "--ignore-scripts"], quiet);
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "./safenpy-0.1.0.tgz"], quiet);
    const program = `import { check, load } from "safenpy"; import { objects } from "safenpy/objects";
      console.log((await check(new Uint8Array(1))).rule, (await load("objects.npy", { objects: objects() })).data[1]);`;
    writeFileSync(join(folder, "objects.npy"), pickled);
    assert.equal(execFileSync("node", ["--input-type=module", "-e", program], quiet), "NPY-FRAME-001 two\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
