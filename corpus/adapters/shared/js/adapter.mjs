// What the JavaScript adapters share: the lines level of the protocol of corpus/RUNNER.md, and elements in C
// order, little-endian.
//
// An exception is the way in which a library in JavaScript refuses a file.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** The answer for a type or an order of which the library says that it does not do it. */
export const unsupported = (error) => ({ verdict: "unsupported", message: brief(error) });
export const reject = (error) => ({ verdict: "reject", message: brief(error) });

/** Thrown by a writer for a request that is beyond the library. */
export class Beyond extends Error {}

/** A message in one line, cut short: some quote a whole hostile header. */
const brief = (error) => [...String(error?.message ?? error).split(/\s+/).join(" ").trim()].slice(0, 100).join("");

/** Answers the runner's lines until it says stop or closes the pipe. `read` gives an answer, or throws to refuse. */
export async function serve({ implementation, version, read, write }) {
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    let reply;
    if (command.cmd === "start") {
      reply = { protocol: 1, implementation, version, language: "JavaScript" };
    } else if (command.cmd === "read") {
      reply = { seq: command.seq, ...(await answer(read, command.file)) };
    } else if (command.cmd === "write") {
      reply = { seq: command.seq, ...(await written(write, command)) };
    } else {
      break;
    }
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
  process.stdin.destroy(); // an open pipe would keep the process
}

async function answer(read, file) {
  try {
    return await read(file);
  } catch (error) {
    return reject(error);
  }
}

async function written(write, { request, file }) {
  try {
    const elements = Buffer.from(request.elements_base64, "base64");
    if (!request.shape.every(Number.isSafeInteger)) throw new Beyond("a dimension beyond JavaScript's safe integers");
    await write({ ...request, elements: arrayBuffer(elements) }, file);
    return { written: true };
  } catch (error) {
    return error instanceof Beyond ? { unsupported: brief(error) } : { error: brief(error) };
  }
}

/** A buffer of its own, as the libraries want it: node's small buffers share one. */
const arrayBuffer = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);

/** A file as an ArrayBuffer. */
export const load = (file) => arrayBuffer(readFileSync(file));

/**
 * The answer for an array that the library returned with this shape. Dimensions that the protocol cannot say
 * (NaN, negative, not whole) are given as 0, and as they are under x-shape.
 */
export function accept(shape, keys) {
  const sayable = (dimension) => Number.isInteger(dimension) && dimension >= 0 && dimension < 1e21;
  const strange = shape.every(sayable) ? {} : { "x-shape": shape.map(String).join(", ") };
  return { verdict: "accept", shape: shape.map((d) => (sayable(d) ? d : 0)), ...strange, ...keys };
}

/** The bytes of a typed array, of numbers or of booleans, little-endian as this machine is. */
export function bytes(data) {
  if (Array.isArray(data)) return Uint8Array.from(data, Number);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/**
 * The digest of elements that the library returned in the order of the file.
 *
 * If their number is not that of the shape the library returned something that cannot be put in order; the
 * digest of what it returned is then as good as any other wrong one.
 */
export function digest(elements, itemsize, shape, fortran) {
  const size = shape.reduce((product, dimension) => product * dimension, itemsize);
  const ordered = fortran && size === elements.length ? transposed(elements, itemsize, shape) : elements;
  return createHash("sha256").update(ordered).digest("hex");
}

/** Elements of an array in Fortran order, put in C order. */
export function transposed(elements, itemsize, shape) {
  const out = new Uint8Array(elements.length);
  const strides = [];
  shape.reduce((stride, dimension) => (strides.push(stride), stride * dimension), itemsize);
  const index = shape.map(() => 0);
  for (let to = 0; to < out.length; to += itemsize) {
    const from = index.reduce((at, i, axis) => at + i * strides[axis], 0);
    out.set(elements.subarray(from, from + itemsize), to);
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
  return out;
}

/**
 * Whether the header's text gives a list (a record) as descr: asked only when a library whose documentation
 * promises plain types alone has refused the file, so that a refusal is not called a fault.
 */
export const hasRecord = (file) => /descr['"]?\s*:\s*\[/.test(readFileSync(file, "latin1"));

const toHalf = (value) => {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = Object.is(Math.sign(value), -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024);
};

/** The number that a half float's bits mean. */
export function fromHalf(bits) {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24
    : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** The bits of half floats that a library has widened to numbers: each of them is one exactly. */
export const halves = (numbers) => Uint16Array.from(numbers, toHalf);
