// Deflate streams that are wrong: the verdicts on their archives are those of the command, by zlib and by DecompressionStream.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { after } from "node:test";
import zlib from "node:zlib";
import { check, loadNpz } from "../src/index.js";

const SAFENPY = fileURLToPath(new URL("../../../build/gcc/safenpy", import.meta.url));
const skip = !existsSync(SAFENPY) && "build/gcc/safenpy is not built";
const folder = mkdtempSync(join(tmpdir(), "safenpy-inflate-"));
after(() => rmSync(folder, { recursive: true }));

/** An archive of one member, no array, whose stream, size and CRC are given. */
function archive(stream, size, crc) {
  const name = Buffer.from("x");
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(8, 4);
  shared.writeUInt16LE(33, 8);
  shared.writeUInt32LE(crc, 10);
  shared.writeUInt32LE(stream.length, 14);
  shared.writeUInt32LE(size, 18);
  shared.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, name, stream]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), shared, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  for (const at of [8, 10]) end.writeUInt16LE(1, at);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

/** Whole numbers below n, the same in each run. */
function numbers(seed) {
  let state = seed;
  return (n) => (state = (state * 48271) % 2147483647) % n;
}

const CHANGES = [
  (data) => data,
  (data, int) => data.subarray(0, int(data.length)),
  (data, int) => Buffer.from(data).map((byte, i) => byte ^ (int(data.length) === i ? 1 << int(8) : 0)),
  (data, int) => Buffer.concat([data, Buffer.from(Array.from({ length: 1 + int(20) }, () => int(256)))]),
];

/** Archives of random streams, changed, with sizes that are right or not. */
function archives() {
  const int = numbers(5);
  const found = [archive(Buffer.from([1, 100, 0, 155, 255, ...new Uint8Array(51)]), 50, 0)]; // cut after one byte too many
  for (let round = 0; round < 400; round++) {
    const raw = Buffer.from(Array.from({ length: int(2000) }, (_, i) => (int(3) ? i & 63 : int(256))));
    const level = int(10);
    const data = zlib.deflateRawSync(raw, { level, strategy: int(5) });
    const size = int(3) ? raw.length : Math.max(0, raw.length + int(9) - 4);
    for (const change of CHANGES) found.push(archive(change(data, int), size, zlib.crc32(raw)));
  }
  return found;
}

/** What the command says of each file: status and offset, null for what it accepts. */
function verdicts(files) {
  const { stdout } = spawnSync(SAFENPY, ["check", "--json", ...files], { encoding: "utf8", maxBuffer: 2 ** 28 });
  return stdout.trim().split("\n").map((line) => {
    const { verdict, members: [member] } = JSON.parse(line);
    return verdict === "accept" ? null : [member.status, member.offset];
  });
}

const builtin = process.getBuiltinModule;

test("the command's verdicts on random streams, changed", { skip }, async () => {
  const all = archives();
  const files = all.map((bytes, i) => join(folder, `${i}.npz`));
  all.forEach((bytes, i) => writeFileSync(files[i], bytes));
  const expected = verdicts(files);
  assert.equal(expected.length, all.length);
  const counts = {};
  for (const [status] of expected.map((found) => found ?? ["right"])) counts[status] = (counts[status] ?? 0) + 1;
  for (const status of ["right", "SNPY_ZIP_BAD_DEFLATE", "SNPY_ZIP_DEFLATE_TRAILING", "SNPY_ZIP_INFLATED_SIZE"])
    assert.ok(counts[status] > 50, JSON.stringify(counts));
  for (const hidden of [undefined, "node:zlib"]) {
    process.getBuiltinModule = (name) => (name === hidden ? undefined : builtin(name));
    try {
      for (const [i, bytes] of all.entries()) {
        const { accepted, status, offset } = await check(bytes);
        assert.deepEqual(accepted ? null : [status, offset], expected[i], files[i]);
        const read = await (await loadNpz(bytes)).bytes("x").catch((error) => [error.status, error.offset]);
        if (!accepted) assert.deepEqual(read, expected[i], `${files[i]}, at once`);
      }
    } finally {
      process.getBuiltinModule = builtin;
    }
  }
});
