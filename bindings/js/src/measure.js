// measure.js: how long a deflate stream is, and how many bytes it gives: RFC 1951, without the bytes. In the order in which
// zlib finds it, so that a stream which is refused is refused for the same reason everywhere.

const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MOST_BITS = 15;
const END = 256;

/** Thrown where a stream is wrong or has no more bytes. */
class Stop extends Error {}

function demand(isRight) {
  if (!isRight) throw new Stop();
}

/** A prefix code: how many codes of each length there are, and the symbols in order of their codes. */
function codeOf(lengths, mustBeComplete = false) {
  const counts = new Uint16Array(MOST_BITS + 1);
  for (const length of lengths) counts[length]++;
  let [left, most] = [1, 0];
  for (let length = 1; length <= MOST_BITS; length++) {
    left = 2 * left - counts[length];
    demand(left >= 0);
    if (counts[length] > 0) most = length;
  }
  demand(left === 0 || most === 0 || (!mustBeComplete && most === 1));
  const symbols = Array.from(lengths, (_, symbol) => symbol).filter((symbol) => lengths[symbol] > 0);
  return { counts, symbols: symbols.sort((a, b) => lengths[a] - lengths[b] || a - b) };
}

let fixed;

const fixedCodes = () =>
  (fixed ??= [
    codeOf(Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))),
    codeOf(new Uint8Array(32).fill(5)),
  ]);

class Stream {
  constructor(data, most) {
    Object.assign(this, { data, most, position: 0, hold: 0, held: 0, total: 0 });
  }

  /** The next `count` bits, at most 16, the first one lowest. */
  bits(count) {
    while (this.held < count) {
      demand(this.position < this.data.length);
      this.hold |= this.data[this.position++] << this.held;
      this.held += 8;
    }
    const value = this.hold & ((1 << count) - 1);
    this.hold >>>= count;
    this.held -= count;
    return value;
  }

  symbol({ counts, symbols }) {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length <= MOST_BITS; length++) {
      code |= this.bits(1);
      const count = counts[length];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = 2 * (first + count);
      code *= 2;
    }
    throw new Stop();
  }

  give(count) {
    this.total += count;
    demand(this.total <= this.most);
  }

  stored() {
    this.hold = this.held = 0;
    const length = this.bits(16);
    demand(this.bits(16) === (length ^ 0xffff));
    const there = Math.min(length, this.data.length - this.position);
    this.position += there;
    this.give(there);
    demand(there === length);
  }

  /** The lengths of `count` codes, by a code for lengths. */
  lengths(code, count) {
    const found = [];
    while (found.length < count) {
      const symbol = this.symbol(code);
      if (symbol < 16) {
        found.push(symbol);
        continue;
      }
      demand(symbol !== 16 || found.length > 0);
      const length = symbol === 16 ? found.at(-1) : 0;
      const times = symbol === 16 ? 3 + this.bits(2) : symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7);
      demand(found.length + times <= count);
      for (let i = 0; i < times; i++) found.push(length);
    }
    return found;
  }

  codes() {
    const [literals, distances, count] = [257 + this.bits(5), 1 + this.bits(5), 4 + this.bits(4)];
    demand(literals <= 286 && distances <= 30);
    const lengths = new Uint8Array(19);
    for (const symbol of CODE_ORDER.slice(0, count)) lengths[symbol] = this.bits(3);
    const found = this.lengths(codeOf(lengths, true), literals + distances);
    demand(found[END] > 0);
    return [codeOf(found.slice(0, literals)), codeOf(found.slice(literals))];
  }

  compressed([literals, distances]) {
    for (;;) {
      const symbol = this.symbol(literals);
      if (symbol === END) return;
      if (symbol < END) {
        this.give(1);
        continue;
      }
      const length = this.length(symbol - END - 1);
      demand(this.distance(distances) <= this.total);
      this.give(length);
    }
  }

  length(symbol) {
    demand(symbol < 29);
    if (symbol < 8 || symbol === 28) return symbol === 28 ? 258 : symbol + 3;
    const extra = (symbol >> 2) - 1;
    return 3 + ((4 + (symbol & 3)) << extra) + this.bits(extra);
  }

  distance(code) {
    const symbol = this.symbol(code);
    demand(symbol < 30);
    if (symbol < 4) return symbol + 1;
    const extra = (symbol >> 1) - 1;
    return 1 + ((2 + (symbol & 1)) << extra) + this.bits(extra);
  }

  block() {
    const [isLast, type] = [this.bits(1), this.bits(2)];
    demand(type < 3);
    if (type === 0) this.stored();
    else this.compressed(type === 1 ? fixedCodes() : this.codes());
    return isLast === 1;
  }
}

/**
 * Follows a stream until it ends, is wrong, has no more bytes, or gives more than `most`.
 *
 * @returns {{isEnded: boolean, used: number, total: number}} whether it ends, after how many of its bytes, and what it gives
 */
export function measure(data, most) {
  const stream = new Stream(data, most);
  let isEnded = false;
  try {
    while (!isEnded) isEnded = stream.block();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { isEnded, used: stream.position, total: stream.total };
}
