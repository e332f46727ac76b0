// directory.js: the walk through an archive, as src/npz/open.c takes it: the core decides, here are the bytes it wants.

import { BAD_MAGIC, BUFFER_TOO_SMALL, newCore, OK } from "./core.js";
import { NpyError } from "./error.js";
import { looks } from "./header.js";

const TAIL = 65633; // SNPY_ZIP_TAIL
const CENTRAL = 46; // bytes of a central header without its name
const DESCRIPTOR = 24;
const WINDOW = 65536;

/** A part of the source in memory, so that small members which lie close together cost one read. */
class Window {
  constructor(source, end) {
    Object.assign(this, { source, end, start: 0, bytes: new Uint8Array(0) });
  }

  async look(offset, length, wish) {
    const skipped = offset - this.start;
    if (skipped < 0 || skipped + length > this.bytes.length) {
      this.bytes = await this.source.read(offset, Math.max(length, Math.min(wish, this.end - offset)));
      this.start = offset;
    }
    return this.bytes.subarray(offset - this.start, offset - this.start + length);
  }
}

/** Whether a file begins as an archive.                                                             NPZ-END-001 */
export const isArchive = ([p, k, three, four]) =>
  p === 0x50 && k === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));

/** The members of an archive, as the directory has them. Throws NpyError for one that is refused. */
export async function directory(source) {
  const safenpy = await newCore();
  const start = await source.read(0, 512);
  if (!isArchive(start)) throw new NpyError({ ...safenpy.said(BAD_MAGIC), offset: 0, ...looks(safenpy, start) });
  const found = await find(safenpy, source);
  const central = safenpy.put(await source.read(found.offset, found.size));
  const capacity = Math.min(found.count, Math.floor(found.size / CENTRAL) + 1);
  const table = safenpy.take(capacity * safenpy.wasm.member_size());
  demand(safenpy, safenpy.wasm.zip_list(central, found.size, table, capacity));
  const count = safenpy.number(0);
  const scratch = safenpy.end;
  const window = new Window(source, found.offset);
  for (let index = 0; index < count; index++) {
    await visit(safenpy, window, index);
    safenpy.end = scratch;
  }
  demand(safenpy, safenpy.wasm.zip_compare());
  return Array.from({ length: count }, (_, index) => member(safenpy, index));
}

/** Throws unless a call has accepted. */
function demand(safenpy, status, member) {
  if (status !== OK) throw new NpyError({ ...safenpy.refusal(status), ...(member === undefined ? {} : { member }) });
}

async function find(safenpy, source) {
  const length = Math.min(source.size, TAIL);
  const tail = await source.read(source.size - length, length);
  demand(safenpy, safenpy.wasm.zip_find(safenpy.put(tail), length, BigInt(source.size)));
  safenpy.free();
  const [offset, size, count] = [0, 1, 2].map((place) => safenpy.number(place));
  return { offset, size, count };
}

/** Visits the local header of a member, and its descriptor. */
async function visit(safenpy, window, index) {
  const { wasm, end: scratch } = safenpy;
  const { name, localOffset, compressedSize, hasDescriptor } = member(safenpy, index);
  const wish = compressedSize < WINDOW / 2 ? WINDOW : 0;
  let length = wasm.zip_local_size(index);
  let status;
  for (let attempt = 0; attempt < 3; attempt++) {
    safenpy.end = scratch;
    const bytes = length === 0 ? new Uint8Array(0) : await window.look(localOffset, length, wish);
    status = wasm.zip_local(safenpy.put(bytes), bytes.length, index);
    if (status === OK || status !== BUFFER_TOO_SMALL) break;
    length = safenpy.number(0);
  }
  demand(safenpy, status, name);
  if (!hasDescriptor) return;
  const at = member(safenpy, index).endOffset;
  const after = await window.look(at, Math.min(window.end - at, DESCRIPTOR), wish);
  demand(safenpy, wasm.zip_descriptor(safenpy.put(after), after.length, index), name);
}

/** What the directory says of a member. */
function member(safenpy, index) {
  safenpy.wasm.member(index);
  const [centralOffset, localOffset, dataOffset, endOffset, compressedSize, size, crc, flags, method, nameLength] =
    Array.from({ length: 10 }, (_, place) => safenpy.number(place));
  const name = text(safenpy, index, nameLength);
  const key = name.endsWith(".npy") ? name.slice(0, -4) : name;
  const isDeflated = method === 8;
  const hasDescriptor = (flags & 8) !== 0;
  return { name, key, isDeflated, hasDescriptor, size, compressedSize, crc, centralOffset, localOffset, dataOffset, endOffset };
}

function text(safenpy, index, length) {
  const { end } = safenpy;
  const at = safenpy.take(4 * length);
  const count = safenpy.wasm.member_name(index, at);
  let name = "";
  for (const code of new Uint32Array(safenpy.wasm.memory.buffer, at, count)) name += String.fromCodePoint(code);
  safenpy.end = end;
  return name;
}
