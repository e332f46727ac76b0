// Files with an array of objects, byte by byte.

/** CRC-32, bit by bit. */
function crc32(content) {
  let crc = -1;
  for (const byte of content) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
const OBJECT = "cnumpy\ndtype\nU\x02O8\x89\x88\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb";

/** An NPY file with some bytes after its header. */
export function npy(shape, ...payload) {
  const text = `{'descr': '|O', 'fortran_order': False, 'shape': ${shape}, }\n`;
  return bytes("\x93NUMPY\x01\0", Buffer.of(text.length, 0), text, ...payload);
}

/** An array of objects with one axis, of which the opcodes of a list are given. */
export const listed = (length, ...list) =>
  npy(`(${length},)`, "\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\x01J", int(length), "\x85",
    OBJECT, "\x89", ...list, "tb.");

export const int = (number) => Buffer.from(Int32Array.of(number).buffer);

/** 1, "two" and None. */
export const pickled = listed(3, "](K\x01X\x03\0\0\0twoNe");

const u16 = (number) => Buffer.of(number & 255, number >> 8);
const u32 = (number) => Buffer.from(Uint32Array.of(number).buffer);

/** An archive of stored members. */
export function zipped(members) {
  const [local, central] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const about = [u16(20), u16(0), u16(0), u32(0x210000), u32(crc32(content)), u32(content.length), u32(content.length), u16(name.length), u16(0)];
    central.push("PK\x01\x02", u16(20), ...about, u16(0), u16(0), u16(0), u32(0), u32(at), name);
    const record = bytes("PK\x03\x04", ...about, name, content);
    local.push(record);
    at += record.length;
  }
  const directory = bytes(...central);
  const count = u16(Object.keys(members).length);
  return bytes(...local, directory, "PK\x05\x06", u32(0), count, count, u32(directory.length), u32(at), u16(0));
}
