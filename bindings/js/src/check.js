// check.js: what is wrong with a file, or what it holds.

import { NpzArchive } from "./archive.js";
import { directory, isArchive } from "./directory.js";
import { NpyError } from "./error.js";
import { examine } from "./header.js";
import { checkDecoder, readData } from "./load.js";
import { open } from "./source.js";

/**
 * Checks an NPY file, or an archive and all its members, by the same rules and with the same offsets as `safenpy check`.
 * Objects are not read, and the verdict says nothing about their pickle, unless something is given that decodes them.
 *
 * @param {Input} input as for load
 * @param {{trailing?: boolean, format?: "npy" | "npz", objects?: ObjectDecoder}} [options] trailing: whether bytes after the
 *   data of an NPY file are accepted; true. format: what the file must be; otherwise its first bytes decide. objects: as for
 *   load; the verdict is that of `--objects`
 * @returns {Promise<object>} Verdict: accepted and, if the file is refused, status, rule, message, hint and the byte offset
 * @throws {RangeError} the header or the directory needs more than 256 MiB of memory
 * @example
 * const verdict = await check(new Uint8Array([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 1]));
 * assert.deepEqual([verdict.accepted, verdict.rule, verdict.offset], [false, "NPY-FRAME-003", 7]);
 */
export async function check(input, { trailing = true, format, objects } = {}) {
  checkDecoder(objects);
  const source = await open(input);
  try {
    const found = format ?? (isArchive(await source.read(0, 4)) ? "npz" : "npy");
    return await (found === "npz" ? checkArchive(source, objects) : checkFile(source, trailing, objects));
  } catch (error) {
    return error instanceof NpyError ? error.verdict() : Promise.reject(error);
  } finally {
    await source.close();
  }
}

async function checkFile(source, trailing, objects) {
  const { header, refusal } = await examine(source, trailing);
  if (refusal) return { accepted: false, ...refusal };
  if (objects && header.hasObject) await objects.check(await readData(source, header), header);
  return { accepted: true, header };
}

/** The first member that is refused refuses the archive. */
async function checkArchive(source, objects) {
  const members = await new NpzArchive(source, await directory(source)).checkAll({ objects });
  const bad = members.find(({ verdict }) => !verdict.accepted);
  return bad ? { ...bad.verdict, members } : { accepted: true, members };
}
