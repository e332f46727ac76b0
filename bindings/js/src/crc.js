// crc.js: the CRC-32 of many bytes, by zlib in Node and by the module elsewhere.

import { core } from "./core.js";
import { builtin } from "./platform.js";

const PIECE = 2 ** 18;

/** A function of a CRC and the bytes after it; the CRC before the first is 0. */
export async function crc32() {
  const zlib = builtin("node:zlib");
  if (zlib?.crc32) return (crc, bytes) => (bytes.length > 0 ? zlib.crc32(bytes, crc) : crc); // zlib begins anew where there are none
  const safenpy = await core();
  return (crc, bytes) => {
    let sum = crc;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      safenpy.free();
      sum = safenpy.wasm.crc32(sum, safenpy.put(piece), piece.length) >>> 0;
    }
    return sum;
  };
}
