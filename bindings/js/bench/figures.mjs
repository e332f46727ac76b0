// figures.mjs: how long loading takes, against npyjs, numpy-parser and numpy-ts, in one run. Prints a table.
//
//   mkdir -p build/figures && cp bindings/js/bench/package.json build/figures
//   npm install --prefix build/figures --ignore-scripts && node bindings/js/bench/figures.mjs build/figures
//
// All read the same bytes in memory, in turns; what is shown is the median. An array counts as loaded when some of its
// elements have been summed, so that none can leave its work for later.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { cpus } from "node:os";
import { pathToFileURL } from "node:url";
import * as safenpy from "../src/index.js";

const ROUNDS = 15;
const MIB = 2 ** 20;
const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, "package.json"));
const peer = (name) => import(pathToFileURL(require.resolve(name)));
const version = (name) => JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"))).version;
const [npyjs, numpyParser, numpyTs] = await Promise.all(["npyjs", "numpy-parser", "numpy-ts"].map(peer));
const parser = numpyParser.default;

/** The sum of some of the elements: all of a small array, one of each page of a large one. */
function touch(data) {
  let sum = 0;
  for (let i = 0; i < data.length; i += data.length > 4096 ? 1024 : 1) sum += Number(data[i]);
  return sum;
}

const buffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);

const readers = {
  safenpy: async (bytes) => touch((await safenpy.load(bytes)).data),
  npyjs: async (bytes) => touch((await npyjs.load(bytes)).data),
  "numpy-parser": async (bytes) => touch(parser.fromArrayBuffer(bytes).data),
  "numpy-ts": async (bytes) => {
    const array = numpyTs.parseNpy(bytes);
    const sum = touch(array.data);
    array.dispose();
    return sum;
  },
};

const archives = {
  safenpy: async (bytes) => {
    const archive = await safenpy.loadNpz(bytes);
    let sum = 0;
    for (const key of archive.keys) sum += touch((await archive.get(key)).data);
    return sum;
  },
  "numpy-ts": async (bytes) => {
    const { arrays } = await numpyTs.parseNpz(bytes);
    let sum = 0;
    for (const array of arrays.values()) {
      sum += touch(array.data);
      array.dispose();
    }
    return sum;
  },
};

const wave = (length) => Float64Array.from({ length }, (_, i) => Math.round(1000 * Math.sin(i / 50)) / 8);
const members = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`m${i}`, wave(MIB / 8)]));
const cases = [
  ["small file, 100 f8", readers, await safenpy.save(wave(100)), 2000],
  ["64 MiB of f8", readers, await safenpy.save(wave(8 * MIB)), 1],
  ["NPZ, 8 members of 1 MiB, stored", archives, await safenpy.savez(members), 1],
  ["NPZ, 8 members of 1 MiB, deflated", archives, await safenpy.savez(members, { compress: true }), 1],
];

async function seconds(read, bytes, times) {
  const start = performance.now();
  for (let i = 0; i < times; i++) await read(bytes);
  return (performance.now() - start) / 1000 / times;
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** The median time of each reader. All must find the same sum. */
async function measure(kinds, content, times) {
  const bytes = buffer(content);
  const found = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  const sums = new Set();
  for (const read of Object.values(kinds)) sums.add(await read(bytes));
  if (sums.size !== 1) throw new Error(`the sums differ: ${[...sums]}`);
  const turns = Object.entries(kinds);
  for (let round = 0; round < ROUNDS * turns.length; round++) {
    for (const [name, read] of turns) found[name].push(await seconds(read, bytes, times));
turns.sort(() => Math.random() - 0.5); // what a reader leaves in the caches is another one's gain or loss each time
  }
  return Object.fromEntries(Object.entries(found).map(([name, times]) => [name, median(times)]));
}

function shown(time) {
  const [size, unit] = time < 1e-3 ? [time * 1e6, "µs"] : [time * 1e3, "ms"];
  return `${size.toPrecision(3)} ${unit}`;
}

const names = Object.keys(readers);
console.log(`${new Date().toISOString().slice(0, 10)}, ${process.arch}, ${cpus().length} processors, Node ${process.version}, ` +
  ["npyjs", "numpy-parser", "numpy-ts"].map((name) => `${name} ${version(name)}`).join(", ") + "\n");
console.log(`| what | ${names.map((name, i) => (i ? `${name} (safenpy takes)` : name)).join(" | ")} |\n|---${"|---".repeat(names.length)}|`);
for (const [what, kinds, content, times] of cases) {
  const found = await measure(kinds, content, times);
  const cell = (name) => (found[name] === undefined ? "–" : shown(found[name]) + (name === "safenpy" ? "" : ` (${(found.safenpy / found[name]).toPrecision(2)})`));
  console.log(`| ${what} | ${names.map(cell).join(" | ")} |`);
}
