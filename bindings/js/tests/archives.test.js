// Archives of the corpus, inflated by Node's DecompressionStream. The adapter of the suite reads them by zlib.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";
import { check, loadNpz } from "../src/index.js";

const corpus = new URL("../../../corpus/archives/", import.meta.url);
const { cases } = JSON.parse(readFileSync(new URL("manifest.json", corpus)));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const file = (one) => readFileSync(new URL(one.file, corpus));

async function compare(one) {
  const bytes = file(one);
  const found = await check(bytes, { format: "npz" });
  assert.equal(found.accepted, one.error === undefined, one.id);
  if (one.error) {
    const { status, offset, member } = one.error;
    assert.deepEqual([found.status, found.offset], [status, offset], one.id);
    if (member !== undefined) assert.ok(found.member === member || found.member === `${member}.npy`, one.id);
    return;
  }
  const archive = await loadNpz(new Blob([bytes]));
  assert.deepEqual(archive.keys, one.expect.members.map(({ key }) => key), one.id);
  for (const [index, { name, key, method, size, sha256: digest, array }] of one.expect.members.entries()) {
    const member = found.members[index];
    assert.deepEqual([member.name, member.key, member.method, member.size], [name, key, method, size], one.id);
    assert.equal(sha256(await archive.bytes(name)), digest, one.id);
    if (!array) {
      assert.equal(member.verdict.header, null, one.id);
      await assert.rejects(archive.get(name), { status: "SNPY_NOT_AN_ARRAY" });
    } else if (array.has_object) {
      await assert.rejects(archive.get(name), { status: "SNPY_OBJECT_DATA" });
    } else {
      const loaded = await archive.get(name);
      assert.deepEqual([loaded.descr, loaded.shape], [array.descr, array.shape], one.id);
      assert.equal(sha256(loaded.toBytes()), array.elements_sha256, one.id);
    }
  }
}

const builtin = process.getBuiltinModule;
test(`${cases.length} archives of the corpus, by DecompressionStream`, async () => {
  assert.ok(cases.length > 500);
  process.getBuiltinModule = (name) => (name === "node:zlib" ? undefined : builtin(name));
  try {
    for (const one of cases) await compare(one);
  } finally {
    process.getBuiltinModule = builtin;
  }
});

test("a key that is not there, a name for a key, and what is no archive", async () => {
  const archive = await loadNpz(file(cases.find(({ id }) => id === "accept/crc/right")));
  assert.deepEqual([archive.has("x"), archive.has("x.npy"), archive.has("z")], [true, true, false]);
  assert.deepEqual((await archive.get("x.npy")).shape, [50]);
  for (const call of ["get", "bytes", "check"]) await assert.rejects(archive[call]("z"), { status: "SNPY_NO_MEMBER", member: "z" });
  await assert.rejects(loadNpz(new Uint8Array(100)), { status: "SNPY_BAD_MAGIC", offset: 0 });
});
