// What the package says of some files, in a runtime that is not known: runtimes.test.js compares it with what Node says.
//
//   deno run --allow-read smoke.js, bun smoke.js, node smoke.js

import { readFileSync } from "node:fs";
import { objects } from "../objects/index.js";
import { check, load, loadNpz, NpyError, save, savez } from "../src/index.js";
import { pickled } from "./pickles.js";

const corpus = new URL("../../../corpus/", import.meta.url);
const say = (value) => console.log(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${one}n` : one instanceof Map ? [...one] : one)));

for (const [folder, every] of [["", 40], ["archives/", 20], ["objects/", 20]]) {
  const { cases } = JSON.parse(readFileSync(new URL(`${folder}manifest.json`, corpus)));
  for (const { id, file } of cases.filter((_, i) => i % every === 0)) {
    const { accepted, status, offset, member } = await check(new URL(file, new URL(folder, corpus)), { objects: objects("plain") });
    say([id, accepted, status, offset, member]);
  }
}
const array = await load(new URL("accept/numpy/dtype/le-f8.npy", corpus));
say([array.descr, array.shape, Array.from(array), (await save(array)).length]);
const archive = await loadNpz(await savez({ x: array, y: BigInt64Array.of(1n, -1n) }, { compress: true }));
say([archive.keys, Array.from(await archive.get("y"))]);
say((await load(pickled, { objects: objects() })).data);
say(await load(pickled).catch((error) => [error instanceof NpyError, error.status]));
