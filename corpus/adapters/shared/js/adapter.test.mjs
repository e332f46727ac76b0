import assert from "node:assert/strict";
import test from "node:test";
import { accept, digest, fromHalf, halves, transposed } from "./adapter.mjs";

test("Fortran order is put in C order", () => {
  assert.deepEqual([...transposed(Uint8Array.of(0, 3, 1, 4, 2, 5), 1, [2, 3])], [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([...transposed(Uint8Array.of(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11), 2, [2, 3])],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([...transposed(Uint8Array.of(7, 8), 2, [])], [7, 8]);
  assert.equal(digest(Uint8Array.of(1, 2, 3), 1, [2, 2], true), digest(Uint8Array.of(1, 2, 3), 1, [], false));
});

test("every half float comes back", () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    const value = fromHalf(bits);
    const expected = Number.isNaN(value) ? 0x7e00 : bits;
    assert.equal(halves([value])[0], expected, bits.toString(16));
  }
});

test("half floats mean these numbers", () => {
  const bits = [0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x7c00, 0x3555];
  assert.deepEqual(bits.map(fromHalf), [1, -2, 65504, 2 ** -14, 2 ** -24, Infinity, 0.333251953125]);
});

test("dimensions that the protocol cannot say", () => {
  assert.deepEqual(accept([3, NaN], {}), { verdict: "accept", shape: [3, 0], "x-shape": "3, NaN" });
  assert.deepEqual(accept([3], {}), { verdict: "accept", shape: [3] });
});
