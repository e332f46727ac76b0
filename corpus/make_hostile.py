"""Writes the handmade files: hostile ones, old spellings, and both sides of every bound.

    python3 corpus/make_hostile.py          # the standard library is all it needs

The definitions are in cases/, a module a topic; cases/dsl.py says how to read them. Status, rule and
offset of a refusal come from the definition and spec/npy.md alone; no reader is asked.
"""

import manifest
from cases import compat, dsl, dtype, frame, handmade, literal, phases, shape

MAKER = "make_hostile.py"


def main():
    """Makes all cases."""
    for topic in (frame, literal, dtype, shape, compat, phases, handmade):
        topic.cases()
    manifest.publish(dsl.CASES, MAKER)


if __name__ == "__main__":
    main()
