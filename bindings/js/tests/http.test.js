// Addresses: which bytes are asked for, of servers with and without ranges; and headers from the first bytes of a stream.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import test, { after } from "node:test";
import { check, header, load, loadNpz, save, savez } from "../src/index.js";

const numbers = Float64Array.from({ length: 100000 }, (_, i) => i);
const file = await save(numbers);
const archive = await savez({ a: numbers, b: Int8Array.of(1, 2), c: numbers });
const files = { "/a.npy": file, "/a.npz": archive, "/empty": new Uint8Array(0), "/short.npy": file.subarray(0, 70000) };

let asked = [];
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const bytes = files[pathname];
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  asked.push(first === undefined ? "all" : `${first}-${last}`);
  if (!bytes) return response.writeHead(404).end();
  const tag = searchParams.has("changes") ? `"${asked.length}"` : '"1"';
  if (first === undefined || searchParams.has("plain")) return response.writeHead(200, { etag: tag }).end(bytes);
  if (Number(first) >= bytes.length) return response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
  const part = bytes.subarray(Number(first), Number(last) + 1);
  const size = searchParams.has("secret") ? "*" : bytes.length;
  response.writeHead(206, { etag: tag, "content-range": `bytes ${first}-${Number(first) + part.length - 1}/${size}` }).end(part);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const base = `http://127.0.0.1:${server.address().port}`;
after(() => server.close());

/** What a call returns, and the ranges that it has asked for. */
async function asking(call) {
  asked = [];
  const found = await call();
  return [found, asked];
}

test("a header and a verdict cost the first bytes, an array one request", async () => {
  for (const address of [`${base}/a.npy`, new URL(`${base}/a.npy`)]) {
    assert.deepEqual(await asking(async () => (await header(address)).shape), [[100000], ["0-65535"]]);
    assert.deepEqual(await asking(async () => (await check(address)).accepted), [true, ["0-65535"]]);
    assert.deepEqual(await asking(async () => (await load(address)).data.at(-1)), [99999, ["all"]]);
  }
  await assert.rejects(header(`${base}/short.npy`), { status: "SNPY_TRUNCATED_DATA", offset: 70000 });
});

test("of an archive only the members that are asked for are read", async () => {
  const [opened, ranges] = await asking(() => loadNpz(`${base}/a.npz`));
  const bytes = (range) => range.split("-").reduce((first, last) => last - first + 1);
  assert.ok(ranges.map(bytes).reduce((sum, size) => sum + size) < 200000, String(ranges));
  const [array, more] = await asking(() => opened.get("b"));
  assert.deepEqual([...array.data], [1, 2]);
  assert.ok(more.length <= 1 && more.every((range) => bytes(range) < 1000), String(more));
  assert.deepEqual((await opened.get("c")).data, numbers);
  assert.equal((await check(`${base}/a.npz`)).accepted, true);
});

test("a server without ranges gives all", async () => {
  for (const query of ["?plain", "?secret"]) {
    assert.deepEqual((await (await loadNpz(`${base}/a.npz${query}`)).get("b")).toArray(), [1, 2]);
    assert.deepEqual((await header(`${base}/a.npy${query}`)).shape, [100000]);
  }
  assert.deepEqual((await check(`${base}/empty`)).status, "SNPY_TRUNCATED_PREFIX");
  await assert.rejects(check(`${base}/missing`), /HTTP 404/);
  await assert.rejects(load(`${base}/missing`), /HTTP 404/);
});

test("a file that changes is no mixture", async () => {
  await assert.rejects(loadNpz(`${base}/a.npz?changes`), { status: "SNPY_FILE_CHANGED" });
});

/** A stream that counts the chunks which are taken. */
function counted(chunks) {
  const state = { taken: 0, isCancelled: false };
  const pull = (controller) => (state.taken < chunks.length ? controller.enqueue(chunks[state.taken++]) : controller.close());
  state.stream = new ReadableStream({ pull, cancel: () => void (state.isCancelled = true) }, { highWaterMark: 0 });
  return state;
}

test("a header takes as many chunks of a stream as it needs", async () => {
  const whole = counted([file.subarray(0, 200), file.subarray(200)]);
  assert.deepEqual((await header(whole.stream)).shape, [100000]);
  assert.deepEqual([whole.taken, whole.isCancelled], [1, true]);
  const bits = counted(Array.from({ length: 40 }, (_, i) => file.subarray(10 * i, 10 * i + 10)));
  assert.deepEqual((await header(bits.stream)).descr, "<f8");
  assert.equal(bits.taken, 13);
  const first = counted([file.subarray(0, 3), file.subarray(3, 128)]);
  assert.deepEqual((await header(new Response(first.stream))).shape, [100000]);
  await assert.rejects(header(counted([file.subarray(0, 100)]).stream), { status: "SNPY_TRUNCATED_HEADER", offset: 100 });
  await assert.rejects(header(counted([new TextEncoder().encode("<!doctype html>")]).stream), { status: "SNPY_BAD_MAGIC" });
  await assert.rejects(header(new Response("", { status: 500 })), /HTTP 500/);
});
