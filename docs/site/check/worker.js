// worker.js: reads files and arrays, away from the page. One message is answered by one message.

import { objects } from "./safenpy/objects/index.js";
import { check, load, loadNpz, NpyError, save, savez } from "./safenpy/src/index.js";
import { cells, histogram, picture, preview } from "./views.js";

const CONTEXT = 60; // bytes shown on either side of the byte at fault
const files = new Map();
const decoder = objects("plain");
let kept = { key: null, array: null }; // the array that was looked at last

/** A byte as it is shown. */
const shown = (byte) =>
  byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte === 10 ? "\\n" : `\\x${byte.toString(16).padStart(2, "0")}`;

/** The bytes around an offset, as far as they are in one line, in three parts. */
function around(bytes, offset) {
  const end = (from) => (bytes.indexOf(10, from) < 0 ? bytes.length : bytes.indexOf(10, from) + 1);
  const start = Math.max(0, offset - CONTEXT, bytes.subarray(0, offset).lastIndexOf(10) + 1);
  const text = (from, to) => Array.from(bytes.subarray(from, to), shown).join("");
  const after = text(offset + 1, Math.max(offset + 1, Math.min(end(offset), offset + CONTEXT)));
  return { before: text(start, offset), at: offset < bytes.length ? shown(bytes[offset]) : "end", after };
}

/** The line of a refusal. The rules of NPY files count in the member, the others in the archive. */
async function lineOf(file, { rule, offset, member }) {
  if (typeof offset !== "number") return null;
  if (member === undefined || !rule.startsWith("NPY-")) {
    const from = Math.max(0, offset - 1024);
    return around(new Uint8Array(await file.slice(from, offset + 1024).arrayBuffer()), offset - from);
  }
  const archive = await loadNpz(file);
  return around(await archive.bytes(member), offset);
}

/** Whether bytes follow the data of an NPY file. */
const hasRest = (file, { header }) => header !== undefined && !header.hasObject && file.size > header.dataOffset + header.dataSize;

/** Whether a member is an array, or one that perhaps can be read after all. */
const isArray = ({ verdict }) =>
  verdict.accepted ? verdict.header !== null && !verdict.header.hasObject : verdict.rule.startsWith("NPY-");

/** An archive of the same arrays, deflated if some were; null if some member is no array. */
async function fixedArchive(file, members) {
  if (!members.every(isArray)) return null;
  const archive = await loadNpz(file);
  const arrays = new Map();
  for (const { key, name } of members) arrays.set(key, await archive.get(name, { compat: true }));
  return savez(arrays, { compress: members.some(({ method }) => method === "deflated") });
}

/** The fixed file; null if there is nothing to fix, or no way to. */
async function fixed(file, verdict) {
  if (verdict.accepted ? !hasRest(file, verdict) : !verdict.rule.startsWith("NPY-")) return null;
  try {
    return await (verdict.members ? fixedArchive(file, verdict.members) : save(await load(file, { compat: true })));
  } catch (error) {
    if (error instanceof NpyError) return null;
    throw error;
  }
}

async function verdictOn(id, file) {
  files.set(id, file);
  const verdict = await check(file);
  const line = verdict.accepted ? null : await lineOf(file, verdict).catch(() => null);
  const rest = hasRest(file, verdict) ? file.size - verdict.header.dataOffset - verdict.header.dataSize : 0;
  return { verdict, line, rest, isFixable: rest > 0 || (!verdict.accepted && (await fixed(file, verdict)) !== null) };
}

/** The array of a file, or of a member. */
async function arrayOf(id, member) {
  const key = `${id} ${member ?? ""}`;
  if (kept.key !== key) {
    kept = { key: null, array: null };
    const file = files.get(id);
    const options = { objects: decoder };
    kept = { array: member === undefined ? await load(file, options) : await (await loadNpz(file)).get(member, options), key };
  }
  return kept.array;
}

const calls = {
  verdict: ({ id, file }) => verdictOn(id, file),
  values: async ({ id, member, at }) => cells(await arrayOf(id, member), at),
  objects: async ({ id, member }) => preview(await arrayOf(id, member)),
  histogram: async ({ id, member }) => histogram(await arrayOf(id, member)),
  picture: async ({ id, member, at }) => picture(await arrayOf(id, member), at),
  fix: async ({ id }) => fixed(files.get(id), await check(files.get(id))),
};

addEventListener("message", async ({ data: { number, call, ...request } }) => {
  try {
    postMessage({ number, result: await calls[call](request) });
  } catch (error) {
    postMessage({ number, error: error.message });
  }
});

// Fetches the core and the decoder: from now on no network is needed.
await check(new Uint8Array(0));
await decoder.check(new Uint8Array(0), { dtype: { kind: "O" }, shape: [], fortranOrder: false, dataOffset: 0 }).catch(() => undefined);
