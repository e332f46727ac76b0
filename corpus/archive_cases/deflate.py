"""Deflate streams written bit by bit: good ones, the same everywhere, and every kind that RFC 1951 forbids.

A `Bits` takes numbers (least significant bit first) and codewords (most significant bit first). Standard library only.
"""

ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
END = 256


class Bits:
    """A stream of bits."""

    def __init__(self):
        self.bits = []

    def number(self, value, count):
        """A number of so many bits."""
        self.bits += [value >> place & 1 for place in range(count)]
        return self

    def word(self, codeword):
        """A codeword (its value, its length)."""
        value, length = codeword
        self.bits += [value >> place & 1 for place in reversed(range(length))]
        return self

    def align(self):
        """Zeros up to the next byte."""
        self.bits += [0] * (-len(self.bits) % 8)
        return self

    def raw(self, data):
        """Bytes at a byte's boundary."""
        assert len(self.bits) % 8 == 0
        for byte in data:
            self.number(byte, 8)
        return self

    def done(self):
        """The bytes."""
        self.align()
        return bytes(sum(bit << place for place, bit in enumerate(self.bits[at:at + 8]))
                     for at in range(0, len(self.bits), 8))


def codewords(lengths):
    """The codewords of a canonical code: {symbol: (value, length)}; RFC 1951, 3.2.2."""
    code, words = 0, {}
    for length in range(1, max(lengths, default=0) + 1):
        for symbol, size in enumerate(lengths):
            if size == length:
                words[symbol] = (code, length)
                code += 1
        code <<= 1
    return words


FIXED = codewords([8] * 144 + [9] * 112 + [7] * 24 + [8] * 8)
FIXED_DISTANCE = codewords([5] * 32)


def block(bits, kind, final=True):
    """The three bits that begin a block."""
    return bits.number(1 if final else 0, 1).number(kind, 2)


def stored(bits, data, final=True, complement=None):
    """A block that is stored, of at most 65,535 bytes."""
    block(bits, 0, final).align().number(len(data), 16)
    return bits.number(len(data) ^ 0xFFFF if complement is None else complement, 16).raw(data)


def fixed(bits, data, final=True, end=True):
    """A block of the fixed code, of literals only."""
    block(bits, 1, final)
    for byte in data:
        bits.word(FIXED[byte])
    return bits.word(FIXED[END]) if end else bits


def plain(data):
    """A whole stream: a block of the fixed code; runs of one byte are written as matches."""
    bits, at = block(Bits(), 1), 0
    while at < len(data):
        run = 1
        while at + run < len(data) and run < 258 + 1 and data[at + run] == data[at]:
            run += 1
        bits.word(FIXED[data[at]])
        if run == 259:                    # length 258 is symbol 285, distance 1 is symbol 0
            bits.word(FIXED[285]).word(FIXED_DISTANCE[0])
            at += 258
        at += 1
    return bits.word(FIXED[END]).done()


def dynamic_head(bits, literal, distance, final=True, counts=None, pieces=None, pre=None):
    """The description of two codes, given by their lengths.

    Every length is written by itself; `pieces` replaces what is written (a number, or a pair of a repetition 16 to 18
    and its argument), `counts` the two counts, `pre` the lengths of the code of lengths."""
    counts = counts or (len(literal), len(distance))
    pieces = [*literal, *distance] if pieces is None else pieces
    used = sorted({piece if isinstance(piece, int) else piece[0] for piece in pieces})
    if pre is None:
        pre = [0] * 19
        size = max(1, (len(used) - 1).bit_length())
        spare = 2 ** size - len(used)     # so many codewords are one bit shorter
        for number, symbol in enumerate(used):
            pre[symbol] = size - 1 if number < spare and size > 1 else size
        if len(used) == 1:
            pre[next(symbol for symbol in range(19) if symbol not in used)] = 1
    words = codewords(pre)
    block(bits, 2, final).number(counts[0] - 257, 5).number(counts[1] - 1, 5).number(19 - 4, 4)
    for symbol in ORDER:
        bits.number(pre[symbol], 3)
    for piece in pieces:
        symbol, argument = (piece, 0) if isinstance(piece, int) else piece
        bits.word(words[symbol])
        bits.number(argument, {16: 2, 17: 3, 18: 7}.get(symbol, 0))
    return bits


def lengths_for(symbols, count=257, size=None):
    """The lengths of a code of so many symbols, complete if their number is a power of two."""
    size = size or max(1, (len(symbols) - 1).bit_length())
    lengths = [0] * count
    for symbol in symbols:
        lengths[symbol] = size
    return lengths
