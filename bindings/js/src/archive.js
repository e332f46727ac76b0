// archive.js: arrays from archives (NPZ), member by member.

import * as core from "./core.js";
import { crc32 } from "./crc.js";
import { directory } from "./directory.js";
import { NpyError } from "./error.js";
import { failure, MOST_BYTES, parse } from "./header.js";
import { inflate, inflateWhole } from "./inflate.js";
import { arrayOf, checkDecoder } from "./load.js";
import { open } from "./source.js";

const MOST_MEMBER = 2 ** 32; // NPZ-LIMIT-002
const MOST_TOTAL = 2 ** 34; // NPZ-LIMIT-003
const MOST_RATIO = 1032; // NPZ-LIMIT-004
const CRC_AT = 16; // in a central header
const SIZE_AT = 24;
const PIECE = 2 ** 20;
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Refuses a member at a byte of the archive, or of the member for a rule of NPY files. */
async function refuse(member, status, offset) {
  throw Object.assign(await failure(status, offset), { member: member.name });
}

/** Refuses a member that inflates to more than the limits allow. */
async function demandLimits(member) {
  const { isDeflated, size, compressedSize, centralOffset } = member;
  if (isDeflated && size > MOST_MEMBER) return refuse(member, core.ZIP_MEMBER_TOO_LARGE, centralOffset + SIZE_AT);
  if (isDeflated && size > compressedSize * MOST_RATIO) return refuse(member, core.ZIP_RATIO, centralOffset + SIZE_AT);
}

async function demandCrc(member, crc) {
  if (crc !== member.crc) return refuse(member, core.ZIP_BAD_CRC, member.centralOffset + CRC_AT);
}

async function refuseFault(member, { status, at }) {
  const { centralOffset, dataOffset } = member;
  return refuse(member, status, status === core.ZIP_INFLATED_SIZE ? centralOffset + SIZE_AT : dataOffset + at);
}

/** All bytes of a member, checked. Those of a stored one may be the source's own. */
async function readMember(source, member) {
  await demandLimits(member);
  const { isDeflated, size, compressedSize, dataOffset } = member;
  const data = await whole(await source.read(dataOffset, compressedSize), compressedSize, dataOffset);
  const found = isDeflated ? await inflateWhole(data, size) : { bytes: data };
  if (found === undefined) return readStart(source, member, Infinity);
  if (found.fault) return refuseFault(member, found.fault);
  await demandCrc(member, (await crc32())(0, found.bytes));
  return found.bytes;
}

/** Reads all bytes of a member piece by piece, and checks them. Returns the first ones: `most` of them. */
async function readStart(source, member, most) {
  await demandLimits(member);
  const { isDeflated, size, compressedSize, dataOffset } = member;
  const after = await crc32();
  const out = new Uint8Array(Math.min(size, most));
  const consume = collector(out);
  let crc = 0;
  const take = (chunk) => {
    crc = after(crc, chunk);
    consume(chunk);
  };
  const read = async (at, length) => whole(await source.read(dataOffset + at, length), length, dataOffset + at);
  if (isDeflated) {
    const fault = await inflate(read, compressedSize, size, take);
    if (fault) return refuseFault(member, fault);
  } else {
    for (let at = 0; at < size; at += PIECE) take(await read(at, Math.min(PIECE, size - at)));
  }
  await demandCrc(member, crc);
  return out;
}

/** What a decoder of objects finds; the error names the member. */
const named = (member, found) =>
  found.catch((error) => Promise.reject(error instanceof NpyError ? Object.assign(error, { member: member.name }) : error));

async function whole(bytes, length, offset) {
  if (bytes.length < length) throw await failure(core.FILE_CHANGED, offset + bytes.length);
  return bytes;
}

/** The function that collects bytes from the first on, up to the size of `out`. */
function collector(out) {
  let at = 0;
  return (chunk) => {
    const part = chunk.subarray(0, out.length - at);
    out.set(part, at);
    at += part.length;
  };
}

/** The header of a member that begins with some bytes; null for what is not an NPY file.               NPZ-NPY-001 … 003 */
async function headerOf(member, start, compat) {
  if (!MAGIC.every((byte, i) => start[i] === byte)) return null;
  const { header, refusal } = parse(await core.core(), start, member.size, false, compat);
  if (refusal) throw new NpyError({ ...refusal, member: member.name });
  return header;
}

/** An archive that is open. Members are read when they are asked for; its bytes must not change meanwhile. */
export class NpzArchive {
  #source;
  #members;

  constructor(source, members) {
    this.#source = source;
    this.#members = members;
  }

  /** The keys, in the order of the directory. */
  get keys() {
    return this.#members.map(({ key }) => key);
  }

  /** What the directory says of each member. */
  get members() {
    return this.#members.map(({ name, key, isDeflated, size, compressedSize }) =>
      ({ name, key, method: isDeflated ? "deflated" : "stored", size, compressedSize }));
  }

  #find(text) {
    return this.#members.find(({ name }) => name === text) ?? this.#members.find(({ key }) => key === text);
  }

  async #member(key) {
    const found = this.#find(key);
    if (!found) throw Object.assign(await failure(core.NO_MEMBER, 0), { member: key });
    return found;
  }

  has(key) {
    return this.#find(key) !== undefined;
  }

  /** All bytes of a member, by key or name; their CRC has been checked. They may be those that the archive was opened from. */
  async bytes(key) {
    return readMember(this.#source, await this.#member(key));
  }

  /** The array of a member, by key or name; compat and objects as for load. */
  async get(key, { compat = false, objects } = {}) {
    checkDecoder(objects);
    const member = await this.#member(key);
    const bytes = await readMember(this.#source, member);
    const header = await headerOf(member, bytes, compat);
    if (header === null) return refuse(member, core.NOT_AN_ARRAY, 0);
    const data = bytes.subarray(header.dataOffset);
    if (!header.hasObject) return arrayOf(header, data);
    if (!objects) return refuse(member, core.OBJECT_DATA, header.dataOffset);
    return named(member, objects.array(data, header));
  }

  /** The verdict on a member: all of its bytes are read, and none but the header kept; objects as for check. */
  async check(key, { objects } = {}) {
    checkDecoder(objects);
    const member = await this.#member(key);
    try {
      const start = await readStart(this.#source, member, MOST_BYTES);
      const header = await headerOf(member, start);
      if (objects && header?.hasObject) {
        const bytes = await readMember(this.#source, member);
        await named(member, objects.check(bytes.subarray(header.dataOffset), header));
      }
      return { accepted: true, header };
    } catch (error) {
      return error instanceof NpyError ? error.verdict() : Promise.reject(error);
    }
  }

  /** Verdicts on all members; objects as for check. */
  async checkAll(options) {
    let left = MOST_TOTAL;
    const verdicts = [];
    for (const member of this.#members) {
      const counts = member.isDeflated && member.size <= MOST_MEMBER;
      if (counts) left -= member.size;
      if (left < 0) return refuse(member, core.ZIP_TOTAL_TOO_LARGE, member.centralOffset + SIZE_AT);
    }
    for (const { name, ...member } of this.members) verdicts.push({ name, ...member, verdict: await this.check(name, options) });
    return verdicts;
  }

  /** Closes the file, if it is one. */
  close() {
    return this.#source.close();
  }
}

/**
 * Opens an archive: reads its directory and all its local headers, and no data.
 *
 * @param {Input} input as for load
 * @returns {Promise<NpzArchive>} to be closed if it is a file
 * @throws {NpyError} the archive is refused
 * @example
 * const archive = await loadNpz(npz);
 * for (const key of archive.keys) assert.ok((await archive.get(key)).size > 0);
 * await archive.close();
 */
export async function loadNpz(input) {
  const source = await open(input);
  try {
    return new NpzArchive(source, await directory(source));
  } catch (error) {
    await source.close();
    throw error;
  }
}
