// source.js: where bytes come from: memory, a Blob, a Response, a stream, a file, HTTP. Decides nothing about them.
//
// A source has a `size` and `read(offset, length)`, which returns as many bytes as there are, and `close()`.

import { core, FILE_CHANGED } from "./core.js";
import { NpyError } from "./error.js";
import { builtin } from "./platform.js";

/** The bytes of an ArrayBuffer or of a view. */
export const view = (bytes) =>
  ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);

class Memory {
  constructor(bytes) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  async read(offset, length) {
    return this.bytes.subarray(offset, offset + length);
  }

  async close() {}
}

class Pieces {
  constructor(blob) {
    this.blob = blob;
    this.size = blob.size;
  }

  async read(offset, length) {
    return new Uint8Array(await this.blob.slice(offset, offset + length).arrayBuffer());
  }

  async close() {}
}

class File {
  static async open(path) {
    const handle = await builtin("node:fs/promises").open(path);
    const { size } = await handle.stat();
    return Object.assign(new File(), { handle, size });
  }

  async read(offset, length) {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - offset)));
    let got = 0;
    while (got < bytes.length) {
      const { bytesRead } = await this.handle.read(bytes, got, bytes.length - got, offset + got);
      if (bytesRead === 0) break;
      got += bytesRead;
    }
    return bytes.subarray(0, got);
  }

  close() {
    return this.handle.close();
  }
}

/** The chunks of a stream as one array. */
export function join(chunks) {
  const joined = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

const FIRST = 65536; // bytes of the first request: most headers, and small files as a whole

/** A file at an address, read by ranges. The first part and the last one that was read are kept. */
class Remote {
  /** From the answer to a request for the first bytes; null if the server gives no ranges, or does not say of how much. */
  static async from(url, response) {
    const range = rangeOf(response);
    if (range === null || range.start !== 0) return null;
    const start = new Uint8Array(await response.arrayBuffer());
    return Object.assign(new Remote(), { url, size: range.size, tag: tagOf(response), parts: [{ offset: 0, bytes: start }] });
  }

  async read(offset, length) {
    const end = Math.min(offset + length, this.size);
    if (end <= offset) return new Uint8Array(0);
    const has = ({ offset: at, bytes }) => at <= offset && end <= at + bytes.length;
    const part = this.parts.find(has) ?? (await this.request(offset, end));
    return part.bytes.subarray(offset - part.offset, end - part.offset);
  }

  async request(offset, end) {
    const response = await fetch(this.url, { headers: { Range: `bytes=${offset}-${end - 1}` } });
    const range = rangeOf(response);
    if (range?.start !== offset || range.size !== this.size || tagOf(response) !== this.tag) {
      await response.body?.cancel();
      throw new NpyError({ ...(await core()).said(FILE_CHANGED), offset });
    }
    const part = { offset, bytes: new Uint8Array(await response.arrayBuffer()) };
    this.parts = [this.parts[0], part];
    return part;
  }

  async close() {}
}

/** Where the bytes of a response start, and of how many they are a part; null for a response that does not say so. */
function rangeOf({ status, headers }) {
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  const isRange = status === 206 && size !== undefined && !headers.has("content-encoding");
  return isRange ? { start: Number(start), size: Number(size) } : null;
}

/** What changes with the file, as far as the server says it. */
const tagOf = ({ headers }) => headers.get("etag") ?? headers.get("last-modified");

/** A source for an address; where a server gives no ranges, the whole file. */
async function remote(url) {
  const response = await fetch(url, { headers: { Range: `bytes=0-${FIRST - 1}` } });
  const ranged = await Remote.from(url, response);
  if (ranged) return ranged;
  if (response.status === 200) return new Memory(await body(response));
  await response.body?.cancel();
  return new Memory(await body(await fetch(url)));
}

async function drained(stream) {
  const chunks = [];
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks);
    chunks.push(view(value));
  }
}

/** The address that an input names; undefined for a path and for what is no name. A URL file: is a path. */
export function addressOf(input) {
  if (input instanceof URL) return input.protocol === "file:" ? undefined : input;
  const isAddress = typeof input === "string" && (/^https?:/.test(input) || !builtin("node:fs/promises"));
  return isAddress ? input : undefined;
}

/**
 * Opens what a caller names: bytes, a Blob, a Response, a ReadableStream, a URL, or a path; where there are no files, a
 * string is an address. `isWhole`: all of it will be read, so that ranges would only cost requests.
 */
export async function open(input, isWhole = false) {
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return new Memory(view(input));
  if (globalThis.SharedArrayBuffer && input instanceof SharedArrayBuffer) return new Memory(view(input));
  if (input instanceof Blob) return new Pieces(input);
  if (input instanceof Response) return new Memory(await body(input));
  if (input instanceof ReadableStream) return new Memory(await drained(input));
  const address = addressOf(input);
  if (address !== undefined) return isWhole ? new Memory(await body(await fetch(address))) : remote(address);
  if (typeof input === "string" || input instanceof URL) return File.open(input);
  throw new TypeError("expected bytes, a Blob, a Response, a ReadableStream, a URL or a path");
}

/** Throws for a response that is no file. */
export function demand(response) {
  if (!response.ok) throw new Error(`HTTP ${response.status} for ${response.url}`);
  return response;
}

async function body(response) {
  demand(response);
  return new Uint8Array(await response.arrayBuffer());
}
