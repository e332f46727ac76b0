// index.js: the values of arrays of objects, for load, loadNpz and check.

import { core } from "../src/core.js";
import { Pickle } from "./pickle.js";
import { ObjectArray, PyObject, rootOf } from "./values.js";

export { ObjectArray, PyObject };

const SETS = ["data", "plain"];

/** Decodes payloads: load, check and archives call it. Both methods throw the NpyError of a payload that is refused. */
class ObjectDecoder {
  #set;

  constructor(set) {
    this.#set = set;
  }

  async #decode(bytes, header, use) {
    const pickle = await Pickle.make(await core(), header.dataOffset);
    pickle.open(bytes, this.#set, header); // from here on nothing is awaited: others use the same memory
    const result = use(pickle);
    pickle.close();
    return result;
  }

  check(bytes, header) {
    return this.#decode(bytes, header, () => undefined);
  }

  array(bytes, header) {
    return this.#decode(bytes, header, rootOf);
  }
}

/**
 * What the option `objects` of load, check and archives takes: it decodes arrays of objects by an allow-list, without
 * running their pickle.
 *
 * @param {"data" | "plain"} [set] the largest set of spec/objects.md that a payload may need; plain
 * @returns {ObjectDecoder} for any number of calls
 * @throws {TypeError} there is no such set
 * @example
 * const array = await load(pickled, { objects: objects("plain") });
 * assert.deepEqual([array.descr, array.shape, array.data], ["|O", [3], [1, "two", null]]);
 */
export function objects(set = "plain") {
  const number = SETS.indexOf(set);
  if (number < 0) throw new TypeError(`expected "data" or "plain", got ${String(set)}`);
  return new ObjectDecoder(number);
}
