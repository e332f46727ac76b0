// safenpy for JavaScript as an implementation: what it answers for the bytes of a file, in Node and in browsers.
//
// load, check and header read the same bytes. If they disagree, the adapter fails.

/** JSON in which a bigint is a number: no string of an answer looks like the mark. */
export const json = (answer) =>
  JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? `\0bigint ${value}` : value))
    .replace(/"\\u0000bigint (\d+)"/g, "$1");

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** All fields of a record type, and those of records inside after each. */
function fieldsOf(dtype, path = [], start = 0) {
  return (dtype.fields ?? []).flatMap(({ name, title, offset, itemsize, shape, dtype: type }) => {
    const here = [...path, name];
    const field = { path: here, title, descr: type.descr, offset: start + offset, itemsize, shape };
    return [field, ...fieldsOf(type, here, start + offset)];
  });
}

function described({ version, descr, shape, fortranOrder, itemsize, count, dataOffset, dataSize, hasObject, dtype }) {
  const fields = fieldsOf(dtype);
  return { version, descr, shape, fortran_order: fortranOrder, itemsize, count, data_offset: dataOffset, data_size: dataSize,
    has_object: hasObject, ...(fields.length && { fields }) };
}

const same = (one, other) => {
  if (json(one) !== json(other)) throw new Error(`${json(one)} is not ${json(other)}`);
};

/** What a call returns, or the NpyError that it throws. */
const attempt = (safenpy, promise) =>
  promise.catch((error) => (error instanceof safenpy.NpyError ? error : Promise.reject(error)));

/** `data` must have the numbers that the elements have, which are read one by one. */
function sameNumbers(array) {
  const { data, dtype, fortranOrder } = array;
  if (data instanceof DataView || fortranOrder || dtype.kind === "b") return; // bytes of bool are kept
  const expected = Array.from(array).flat().map(Number);
  if (expected.length !== data.length || !expected.every((number, i) => Object.is(number, Number(data[i]))))
    throw new Error(`the data are not the elements: ${dtype.descr}`);
}

/** An array with the digest of its elements; without one if it has objects, which must be refused. */
async function arrayOf(safenpy, header, promise) {
  const array = await attempt(safenpy, promise);
  if (header.hasObject) {
    same(array.status, "SNPY_OBJECT_DATA");
    return described(header);
  }
  same([array.descr, array.shape, array.dtype], [header.descr, header.shape, header.dtype]);
  sameNumbers(array);
  return { ...described(header), elements_sha256: await sha256(array.toBytes()) };
}

const refused = ({ status, offset, message }) => ({ verdict: "reject", status, offset, message });

async function readFile(safenpy, bytes) {
  const verdict = await safenpy.check(bytes, { format: "npy" });
  if (verdict.accepted) {
    same(await safenpy.header(new Blob([bytes])), verdict.header);
    return { verdict: "accept", ...(await arrayOf(safenpy, verdict.header, safenpy.load(bytes))) };
  }
  const { status, rule, offset, reason, hint, looksLike } = await attempt(safenpy, safenpy.load(bytes));
  same([status, rule, offset, reason, hint, looksLike],
    [verdict.status, verdict.rule, verdict.offset, verdict.message, verdict.hint, verdict.looksLike]);
  return refused(verdict);
}

async function readMember(safenpy, archive, { name, key, method, size, verdict: { header } }) {
  const array = header && (await arrayOf(safenpy, header, archive.get(name)));
  return { name, key, method, size, sha256: await sha256(await archive.bytes(name)), array };
}

async function readArchive(safenpy, bytes) {
  const verdict = await safenpy.check(bytes, { format: "npz" });
  if (!verdict.accepted) return refused(verdict);
  const archive = await safenpy.loadNpz(new Blob([bytes]));
  const members = [];
  for (const member of verdict.members) members.push(await readMember(safenpy, archive, member));
  return { verdict: "accept", members };
}

/** The answer for a file of a suite, `npy` or `npz`. */
export const answer = (safenpy, bytes, suite) => (suite === "npz" ? readArchive : readFile)(safenpy, bytes);

/**
 * Writes a request to write: {bytes} or {answer}, what the runner gets if there are none.
 *
 * The request has numbers little-endian, in C order; save takes them as the file has them. toBytes of an array made of them
 * reverses those that are big-endian, and transposes what is given in Fortran order with its axes reversed. A dimension may be
 * a string: JSON.parse would round a large number.
 */
export async function write(safenpy, { descr, shape: dimensions, fortran_order: fortranOrder, version, elements_base64: base64 }) {
  if (version) return { answer: { unsupported: "it chooses the version as NumPy does" } };
  const shape = dimensions.map(BigInt);
  const axes = fortranOrder ? [...shape].reverse() : shape;
  const given = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  try {
    const elements = (await safenpy.load(await safenpy.save(given, { descr, shape: axes, fortranOrder }))).toBytes();
    return { bytes: await safenpy.save(elements, { descr, shape, fortranOrder }), answer: { written: true } };
  } catch (error) {
    if (error instanceof safenpy.NpyError) return { answer: { error: error.message } };
    throw error;
  }
}
