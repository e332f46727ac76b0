// inflate.js: deflate streams, by zlib in Node and by DecompressionStream elsewhere. Neither says enough about a stream that it
// refuses: measure.js does.                                                                          NPZ-DATA-002 … 004

import { ZIP_BAD_DEFLATE, ZIP_DEFLATE_TRAILING, ZIP_INFLATED_SIZE } from "./core.js";
import { measure } from "./measure.js";
import { builtin } from "./platform.js";
import { view } from "./source.js";

const PIECE = 2 ** 20;

const BAD = { status: ZIP_BAD_DEFLATE, at: 0 };

/** What is wrong with a stream: a status, and the byte of the stream where it applies. As src/npz/member.c, which asks for one
 * byte more than the size, before it looks at what follows the stream. */
function explain(data, size) {
  const { isEnded, used, total } = measure(data, size + 1);
  if (isEnded && used < data.length) return { status: ZIP_DEFLATE_TRAILING, at: used };
  if (isEnded && total === size) return undefined;
  return isEnded || total > size ? { status: ZIP_INFLATED_SIZE, at: 0 } : BAD;
}

/**
 * Inflates a stream of `length` bytes that gives `size` bytes.
 *
 * @param {(offset: number, length: number) => Promise<Uint8Array>} read bytes of the stream
 * @param {(chunk: Uint8Array) => void} consume gets the bytes, never more than `size`
 * @returns {Promise<{status: number, at: number} | undefined>} what is wrong
 */
export function inflate(read, length, size, consume) {
  const zlib = builtin("node:zlib");
  return zlib ? byZlib(zlib, read, length, size, consume) : byStream(read, length, size, consume);
}

/**
 * Inflates a stream at once where zlib is: {bytes} or {fault}. undefined where it is not.
 *
 * @param {Uint8Array} data the stream
 */
export async function inflateWhole(data, size) {
  const zlib = builtin("node:zlib");
  if (!zlib) return undefined;
  const options = { info: true, chunkSize: Math.max(size + 1, 64), maxOutputLength: size + 1 };
  const found = await new Promise((resolve, reject) =>
    zlib.inflateRaw(data, options, (error, result) => (error && !isFault(error) ? reject(error) : resolve(result))));
  const isRight = found && found.engine.bytesWritten === data.length && found.buffer.length === size;
  return isRight ? { bytes: view(found.buffer) } : { fault: explain(data, size) ?? BAD };
}

/** Whether zlib has thrown for what is in a stream, and not for want of memory. */
const isFault = ({ code }) => (String(code).startsWith("Z_") && code !== "Z_MEM_ERROR") || code === "ERR_BUFFER_TOO_LARGE";

async function* pieces(read, length) {
  for (let at = 0; at < length; at += PIECE) yield read(at, Math.min(PIECE, length - at));
}

/** A function that passes on no more than `size` bytes, and counts them all. */
function meter(size, consume) {
  const meter = { total: 0 };
  meter.take = (chunk) => {
    const left = Math.max(0, size - meter.total);
    meter.total += chunk.length;
    if (left > 0) consume(chunk.length > left ? chunk.subarray(0, left) : chunk);
  };
  return meter;
}

// ---- zlib: the bytes that it has consumed are known, those that it has given before it refuses are not.

async function byZlib(zlib, read, length, size, consume) {
  const stream = zlib.createInflateRaw({ chunkSize: Math.min(Math.max(size + 1, 64), PIECE) });
  const given = meter(size, consume);
  const isGood = await flows(stream, pieces(read, length), given, size);
  const used = stream.bytesWritten;
  stream.destroy();
  if (isGood && used === length && given.total === size) return undefined;
  return explain(await read(0, length), size) ?? BAD;
}

/** Whether a stream ends by itself before it has given more than `size` bytes. */
async function flows(stream, chunks, given, size) {
  const feeding = (async () => {
    for await (const chunk of chunks) {
      if (stream.destroyed || stream.writableEnded) return;
      if (!stream.write(chunk)) await new Promise((go) => stream.once("drain", go).once("close", go));
    }
    stream.end();
  })();
  try {
    for await (const chunk of stream) {
      given.take(chunk);
      if (given.total > size) return false;
    }
    await feeding;
    return true;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}

// ---- DecompressionStream: it takes a stream or refuses it; some take bytes after the end as well.

async function byStream(read, length, size, consume) {
  const given = meter(size, consume);
  const isComplete = await feed(pieces(read, length), given, size);
  const isGood = isComplete && given.total === size;
  if (isGood && !(await takesRest())) return undefined;
  return explain(await read(0, length), size) ?? (isGood ? undefined : BAD);
}

/** Feeds a DecompressionStream: whether it accepts the stream, and has not given more than `size` bytes. */
async function feed(chunks, given, size) {
  const { readable, writable } = new DecompressionStream("deflate-raw");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let isComplete = false;
  const draining = drain(reader, given, size);
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
    isComplete = true;
  } catch (error) {
    if (!(error instanceof TypeError) && error?.code !== "Z_DATA_ERROR" && error?.code !== "Z_BUF_ERROR" && !given.isOver) throw error;
  }
  await draining;
  return isComplete && !given.isOver;
}

/** Reads until the end, an error or a byte too many. */
async function drain(reader, given, size) {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      given.take(value);
      given.isOver = given.total > size;
      if (given.isOver) return void (await reader.cancel());
    }
  } catch {
    // the writer's error says the same
  }
}

let rest;

/** Whether bytes after the end of a stream are ignored here, as in Node 20. */
const takesRest = () => (rest ??= feed([Uint8Array.of(3, 0, 0)], meter(0, () => {}), 0));
