// header.js: what is wrong with an NPY file, or what its header declares. core.js runs the core that decides it.

import { core, OK } from "./core.js";
import { NpyError } from "./error.js";
import { join, view } from "./source.js";

const LOOK_BYTES = 512; // SNPY_LOOK_BYTES
const FIRST_BYTES = 4096;
export const MOST_BYTES = 12 + 65536; // prefix and header
const SHORT = ["SNPY_TRUNCATED_PREFIX", "SNPY_TRUNCATED_HEADER"];

/** The header of an NPY file, or what is wrong with it: {header} or {refusal}. */
export async function examine(source, trailing, compat = false) {
  const safenpy = await core();
  let start = await source.read(0, FIRST_BYTES);
  let found = parse(safenpy, start, source.size, trailing, compat);
  if (SHORT.includes(found.refusal?.status) && start.length < source.size) {
    start = await source.read(0, MOST_BYTES);
    found = parse(safenpy, start, source.size, trailing, compat);
  }
  if (found.refusal) Object.assign(found.refusal, looks(safenpy, start));
  return found;
}

/** Likewise of a stream, of which no more is read than the header takes: its size is not compared. */
export async function examineStream(stream) {
  const safenpy = await core();
  const reader = stream.getReader();
  const chunks = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (!done) chunks.push(view(value));
      const start = join(chunks);
      const status = safenpy.parse(start.subarray(0, MOST_BYTES));
      if (status === OK) return { header: safenpy.header() };
      const refusal = safenpy.refusal(status);
      const mayGoOn = !done && SHORT.includes(refusal.status) && start.length < MOST_BYTES;
      if (!mayGoOn) return { refusal: { ...refusal, ...looks(safenpy, start) } };
    }
  } finally {
    await reader.cancel();
  }
}

/** Reads a header, and compares it with the size of the file. */
export function parse(safenpy, start, size, trailing, compat = false) {
  let status = safenpy.parse(start.subarray(0, MOST_BYTES), compat);
  if (status === OK) status = safenpy.wasm.check_data(BigInt(size), Number(trailing));
  return status === OK ? { header: safenpy.header() } : { refusal: safenpy.refusal(status) };
}

/** The error for a status that the core has not returned. */
export async function failure(number, offset) {
  return new NpyError({ ...(await core()).said(number), offset });
}

/** What a file of another format looks like; a guess from its first bytes. */
export function looks(safenpy, bytes) {
  const start = bytes.subarray(0, LOOK_BYTES);
  safenpy.free();
  const look = safenpy.wasm.look(safenpy.put(start), start.length);
  const [name, noun, hint] = [0, 1, 2].map((which) => safenpy.text(safenpy.wasm.look_text(which, look)));
  return hint === undefined ? {} : { looksLike: { name, noun, hint } };
}
