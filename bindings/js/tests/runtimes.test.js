// The package in Deno and in Bun, which npm installs:
//
//   npm install --prefix build/runtimes deno bun

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import test from "node:test";

const smoke = fileURLToPath(new URL("smoke.js", import.meta.url));
const installed = fileURLToPath(new URL("../../../build/runtimes/node_modules/.bin/", import.meta.url));

/** The program of a runtime: installed in build/runtimes, or on the path; undefined if there is none. */
const programOf = (name) => [`${installed}${name}`, name].find((program) =>
  (program === name || existsSync(program)) && spawnSync(program, ["--version"]).status === 0);

const run = (program, ...words) => execFileSync(program, [...words, smoke], { encoding: "utf8", maxBuffer: 2 ** 26 });

for (const [name, ...words] of [["deno", "run", "--no-config", "--allow-read"], ["bun"]]) {
  const program = programOf(name);
  test(`${name} gives the answers of Node`, { skip: !program && `there is no ${name}` }, () => {
    const expected = run(process.execPath);
    assert.ok(expected.split("\n").length > 100, expected);
    assert.equal(run(program, ...words), expected);
  });
}
