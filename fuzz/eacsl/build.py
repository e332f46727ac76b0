#!/usr/bin/env python3
"""Builds the judge of headers in which the contracts are the oracle: E-ACSL turns the clauses of the core into C.

    fuzz/eacsl/build.py OUT           OUT/judge, for AFL++ or for files: OUT/judge FILE…
    fuzz/eacsl/build.py OUT --record  writes counts.json anew

E-ACSL 25 translates no logic function that reads memory. So logic.ml prints the functions of spec/logic as C, takes
their place in the contracts by calls, and E-ACSL takes these as its "builtins". The contracts stay as they are.
Clauses of which the translation is wrong stand in left-out.txt, with the reason. What is translated and
what is not is counted, and compared with counts.json.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "proofs"))
import source  # noqa: E402

FILES = ["frame", "literal", "dtype", "shape", "layout", "duplicates", "name", "record", "header"]
PARTS = ["field", "dict", "sizes"]  # headers of functions that these files include
SHARE = Path("/usr/share/frama-c/e-acsl")
RUNTIME = Path("/usr/lib/frama-c/e-acsl/libeacsl-dlmalloc.a")
INCLUDE = [f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", f"-I{ROOT}"]
OCAML = ["-I", "/usr/lib/frama-c", "-I", "/usr/lib/ocaml/zarith", "-I", "/usr/lib/ocaml/ocamlgraph"]
NUMBER = re.compile(r"\(__e_acsl_mpz_struct const \*\)(\w+|\([^()]*\))")
INDEX = re.compile(r"\((__gen_e_acsl_at\w*) \+ (__gen_e_acsl_at\w*)\)")
CAST = re.compile(r"\((?:unsigned )?(?:long|int)\)(__gen_e_acsl_\w+)")
ASSIGNED = re.compile(r"= (__gen_e_acsl_\w+);")
CONDITION = re.compile(r"if \((!? ?)(__gen_e_acsl_\w+)\)")
ASSERTION = re.compile(r"\.kind = \"(\w+)\"")
PARAMETER = re.compile(r"__e_acsl_mpz_struct \* (\w+)[,)]")
GHOST = re.compile(r"/\*@\s*ghost\b.*?\*/|//@ ghost\b[^\n]*", re.DOTALL)
FOLLOWED = re.compile(r"\s*__e_acsl_\w+\(\(void \*\)\(& (\w+)\)")
IGNORED = re.compile(r"`([^']+)'\s+is\s+not\s+yet\s+supported\.\s+Ignoring annotation")


def run(call, cwd, **environment):
    done = subprocess.run([str(word) for word in call], cwd=cwd, env=dict(os.environ, PWD=str(cwd), **environment),
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{call[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def functions():
    """All that the files of the core define, ghost functions aside: these are lemmas about the logic."""
    names = ["judge", "parse", "main", "snpy_fail"]
    for path in [ROOT / "src/core" / f"{name}.{end}" for name in FILES + PARTS for end in ("c", "h")]:
        if path.exists():
            found = source.read(path, ROOT)
            found = found[0] if isinstance(found, tuple) else found
            code = GHOST.sub("", path.read_text(encoding="utf-8"))
            names += [function.name for function in found.defined() if re.search(rf"\b{function.name}\(", code)]
    return names


def mended(text):
    """What E-ACSL 25 gets wrong: a number of C where one of GMP is due, the reverse in an index, a cast, an
    assignment and a condition, the address of a compiler's builtin, that of a ghost variable, and the size of one."""
    text = re.sub(r"\(\n\s+(?=\w+ \+ __gen_e_acsl_at_)", "(", text).replace(" \\ghost)", ")")
    lines = ["void *eacsl_number(unsigned long value);"]
    numbers, parameters, ghosts = set(), set(), set()

    def number(match):
        name = re.match(r"\(?(\w+)", match[1])[1]
        return match[0] if name in numbers else f"eacsl_number((unsigned long){match[1]})"

    def index(match):
        return f"({match[1]} + __gmpz_get_si({match[2]}))" if match[2] in numbers else match[0]

    def cast(match):
        return f"__gmpz_get_ui({match[1]})" if match[1] in numbers else match[0]

    def assigned(match):
        return f"= __gmpz_get_si({match[1]}) != 0;" if match[1] in numbers else match[0]

    def condition(match):
        return f"if ({match[1]}__gmpz_get_si({match[2]}))" if match[2] in numbers else match[0]

    for line in text.splitlines():
        if "(& __sync_synchronize)" in line:
            continue
        ghost = re.match(r"\s*/\*@ ghost \w+ (\w+) = ", line)
        if ghost:
            ghosts.add(ghost[1])
        followed = FOLLOWED.match(line)
        if followed and followed[1] in ghosts:
            continue
        declared = re.match(r"\s*__e_acsl_mpz_t (\w+)", line)
        parameters.update(PARAMETER.findall(line))
        if declared:
            numbers.add(declared[1])
        elif line == "{":
            numbers = set(parameters)
        elif line.endswith(");"):
            parameters.clear()  # those of a declaration
        elif line == "}":
            numbers, parameters, ghosts = set(), set(), set()
        for pattern, by in ((ASSIGNED, assigned), (CONDITION, condition), (CAST, cast), (INDEX, index), (NUMBER, number)):
            line = pattern.sub(by, line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def counts(log, text, left_out):
    ignored, kept = {}, {}
    for what in IGNORED.findall(log):
        what = " ".join(what.split())
        ignored[what] = ignored.get(what, 0) + 1
    for kind in ASSERTION.findall(text):
        kept[kind] = kept.get(kind, 0) + 1
    return {"assertions": dict(sorted(kept.items())), "ignored": dict(sorted(ignored.items())), "left out": len(left_out)}


def generate(out):
    """OUT/core.c, the C of the core with its contracts, and OUT/twin.c, the logic; returns what was counted."""
    shutil.copy2(HERE / "logic.ml", out / "logic.ml")
    run(["ocamlopt", "-shared", *OCAML, "-o", "logic.cmxs", "logic.ml"], out)
    sources = [HERE / "judge.c", *(ROOT / "src/core" / f"{name}.c" for name in FILES)]
    frama_c = ["frama-c", "-machdep", "gcc_x86_64", "-load-module", "./logic.cmxs",
               f"-cpp-extra-args={' '.join(INCLUDE)} -DNDEBUG"]
    run([*frama_c, *sources], out, LOGIC_OUT="twin.inc")
    declared = (out / "twin.inc.h").read_text(encoding="utf-8")
    (out / "prelude.c").write_text('#include <stdint.h>\n#include "safenpy/dtype.h"\n' + declared, encoding="utf-8")
    (out / "twin.c").write_text('#include "fuzz/eacsl/integer.h"\n#include "core/sink.h"\n' + (out / "twin.inc").read_text(encoding="utf-8"),
                                encoding="utf-8")
    builtins = re.findall(r"\b(logic_\w+)\(", declared)
    left_out = [line for line in (HERE / "left-out.txt").read_text(encoding="utf-8").split("\n") if line and line[0] != "#"]
    log = run([*frama_c, f"-e-acsl-builtins={','.join(builtins)}", out / "prelude.c", *sources, "-e-acsl",
               "-e-acsl-gmp-only", "-e-acsl-full-mtracking", "-e-acsl-no-assert-print-data",
               f"-e-acsl-functions={','.join(functions())}",
               "-then-last", "-print", "-ocode", "core.e.c"], out, LEFT_OUT=",".join(left_out))
    text = mended((out / "core.e.c").read_text(encoding="utf-8"))
    (out / "core.c").write_text(text, encoding="utf-8")
    (out / "eacsl.log").write_text(log, encoding="utf-8")
    return counts(log, text, left_out)


def compile_all(out):
    runtime = ["-w", "-O2", f"-I{SHARE}", "-DE_ACSL_SEGMENT_MMODEL", "-DE_ACSL_EXTERNAL_ASSERT"]
    # A number of GMP that is still in the place of one of C is an error.
    run(["afl-clang-fast", "-Wno-everything", "-Werror=int-conversion", "-Werror=pointer-bool-conversion", "-O0",
         "-fno-builtin", *INCLUDE, f"-I{SHARE}", "-c", "core.c", "-o", "core.o"], out)
    run(["clang", "-w", "-O2", *INCLUDE, "-c", "twin.c", "-o", "twin.o"], out)
    run(["clang", *runtime, "-c", SHARE / "e_acsl_rtl.c", "-o", "runtime.o"], out)
    run(["afl-clang-fast", "-O2", f"-I{SHARE}", "-w", "-c", HERE / "run.c", "-o", "run.o"], out)
    run(["clang", "-O2", "-c", HERE / "number.c", "-o", "number.o"], out)
    run(["afl-clang-fast", "core.o", "twin.o", "runtime.o", "run.o", "number.o", RUNTIME, "-lgmp", "-lm",
         "-o", "judge"], out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--any-counts", action="store_true", help="do not compare with counts.json")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    counted = generate(args.out.resolve())
    record = HERE / "counts.json"
    if args.record:
        record.write_text(json.dumps(counted, indent=2) + "\n", encoding="utf-8")
    elif not args.any_counts and json.loads(record.read_text(encoding="utf-8")) != counted:
        sys.exit(f"counts.json says otherwise; now it is {json.dumps(counted)}")
    compile_all(args.out.resolve())
    print(f"{sum(counted['assertions'].values())} assertions, {sum(counted['ignored'].values())} clauses ignored, "
          f"{counted['left out']} left out")


if __name__ == "__main__":
    main()
