"""Makes the whole suite, every file and manifest.json, from the definitions in cases/.

    python3 corpus/make.py            # writes what differs
    python3 corpus/make.py --check    # says what differs, and writes nothing

Needs Python 3.11 or later and nothing else: neither NumPy nor safenpy is asked. What NumPy says of the
files is in observations.json and confirmed.json, which observe_numpy.py and check_numpy_bytes.py write.
"""

import sys

sys.dont_write_bytecode = True

import manifest  # noqa: E402
from cases import (blanks, canonical, compat, defects, dsl, dtype, frame, handmade, literal, near,  # noqa: E402
                   old, phases, product, reading, scripts, shape, sizes, tags, truncation, values, written)

# The first topic that makes some bytes gives them their name; dsl.add says how.
TOPICS = (written, old, frame, literal, dtype, shape, compat, phases, handmade, product, values, scripts,
          truncation,
          sizes, blanks, canonical, defects, reading, near)


def all_cases():
    """Every case of the suite, each with the module that defines it."""
    dsl.CASES.clear()
    dsl.SEEN.clear()
    for topic in TOPICS:
        first = len(dsl.CASES)
        topic.cases()
        for case in dsl.CASES[first:]:
            case.maker = topic.__name__.replace(".", "/") + ".py"
    tags.add_tags(dsl.CASES)
    return dsl.CASES


def main():
    """Makes or checks the suite."""
    arguments = sys.argv[1:]
    if arguments not in ([], ["--check"]):
        sys.exit("usage: make.py [--check]")
    cases = all_cases()
    size = sum(len(case.data) for case in cases)
    if not arguments:
        manifest.publish(cases)
        print(f"{len(cases)} cases, {size} bytes")
        return
    problems = manifest.compare(cases)
    print("\n".join([*problems, f"{len(cases)} cases, {len(problems)} differences"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
