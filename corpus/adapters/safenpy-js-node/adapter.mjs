// safenpy for JavaScript in Node, under the runner's protocol.
//
//   node adapter.mjs [npz]
//
// Only an NpyError is a refusal; any other exception ends the process.

import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import * as safenpy from "../../../bindings/js/src/index.js";
import { answer, json, write } from "../shared/js/safenpy.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../../bindings/js/package.json", import.meta.url)));
const LARGE = /(?<="shape": ?\[[\d, ]*)\b\d{16,}/g; // dimensions that JSON.parse would round
const suite = process.argv[2] ?? "npy";

async function written(request, file) {
  const { bytes, answer } = await write(safenpy, request);
  if (bytes) writeFileSync(file, bytes);
  return answer;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, seq, file, request } = JSON.parse(line.replace(LARGE, '"$&"'));
  if (cmd === "stop") break;
  const reply = cmd === "start" ? { protocol: 1, implementation: "safenpy-js-node", version, language: "JavaScript, C" }
    : cmd === "write" ? { seq, ...(await written(request, file)) }
    : { seq, ...(await answer(safenpy, new Uint8Array(readFileSync(file)), suite)) };
  process.stdout.write(json(reply) + "\n");
}
process.stdin.destroy();
