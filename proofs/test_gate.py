#!/usr/bin/env python3
"""Shows that the gate turns red when it must.

First the gate's own judgement, on tiny cores that each have one hole; one without a hole must pass. Then what is
recorded, and changed or forged since. Then the negative proofs: each patch of proofs/negative plants a bug that real readers had into the real core, and
the contracts must refuse it. A patch names the function that must fall, and the clause of which a goal must stay open;
only goals of this name are asked, or of this kind:

    Function: snpy_skip_blanks
    Clause: NPY_LIT_002

A patch that no longer applies is a failure. A test whose inputs are those of tests/records.json is left out, but for a
sample (tools/records.py): those of a patch are the patch, and what the proofs of its functions depend on (content.py).
The last line is `N passed, N failed`.

    proofs/test_gate.py [--only TEXT]       only the tests whose name holds TEXT, recorded or not
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "proofs"), str(ROOT / "tools")]
import content  # noqa: E402
import prove as gate  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402
import source  # noqa: E402

PROVE = ROOT / "proofs" / "prove.py"

CONTRACT = """\
/*@ requires \\valid_read(p + (0 .. n-1));
    terminates \\true;
    exits \\false;
    assigns \\nothing;
    ensures range: \\result <= n;
 */
"""
LOOP = """\
    /*@ loop invariant range: i <= n;
        loop assigns i;
        loop variant n - i; */
"""
BODY = """\
size_t first_zero(const uint8_t *p, size_t n)
{
    size_t i = 0;
%s    while (i < n && p[i] != 0) i++;
    return i;
}
"""
# Enough for the clauses that the bugs break, as each shows before its bug is planted; a false one is open at any bound.
BOUNDS = ["--cvc4-steps", "200000", "--z3-steps", "2000000"]
HEAD = "#include <stddef.h>\n#include <stdint.h>\n"
INTACT = HEAD + CONTRACT + BODY % LOOP
OF_INTACT = (10, 8, 2)  # its goals, and how many of them Qed and CVC4 prove


def recorded(functions, path="src/core/t.c"):
    """What results.json says: of each function the goals, and those of Qed and CVC4."""
    counts = {name: dict(zip(("goals", "qed", "cvc4", "z3"), [*numbers, 0])) for name, numbers in functions.items()}
    return {"proofs": {path: {"gcc_x86_64": counts}}}


# A frama-c that proves nothing but what Qed can unless it prunes: all else is left to the second pass.
WEAK = f"""\
#!/bin/sh
weak=
for word; do [ "$word" = -wp-no-pruning ] && weak=1; done
for word; do
    shift
    case $weak$word in
    1cvc4) word=qed ;;
    1-wp-prover=*) word=-wp-prover=qed ;;
    esac
    set -- "$@" "$word"
done
exec {shutil.which("frama-c") or "frama-c"} "$@"
"""
EASY = "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures one: \\result == 1; */\nstatic int one(void) { return 1; }\n"


def logic(value, line=""):
    """An intact core with a logic function, and a line above it."""
    return HEAD + f"/*@ {line}\n    logic integer f(integer n) = {value}; */\n" + CONTRACT + BODY % LOOP


# name: (files of the tiny tree, what the gate must say, or None if it must be content)
CASES = {
    "an intact core passes": ({"src/core/t.c": INTACT}, None),
    "what is open without pruning is proved with it": ({"src/core/t.c": INTACT + EASY, "bin/frama-c": WEAK}, None),
    "what is proved with pruning only has to be named": (
        {"src/core/t.c": INTACT + EASY, "bin/frama-c": WEAK,
         "proofs/results.json": recorded({"first_zero": OF_INTACT, "one": (2, 2, 0)})}, r"first_zero is proved with pruning only"),
    "an unproved goal": ({"src/core/t.c": INTACT.replace("i < n && p", "i <= n && p")}, r"goal first_zero_\w+ of first_zero"),
    "a wrong postcondition": ({"src/core/t.c": INTACT.replace("\\result <= n", "\\result < n")},
                              r"goal first_zero_ensures_range of first_zero"),
    "a wrong postcondition in a folder of the core": (
        {"src/core/t.c": INTACT, "src/core/part/u.c": INTACT.replace("\\result <= n", "\\result < n").replace("first_zero", "next_zero")},
        r"goal next_zero_ensures_range of next_zero"),
    "a contract without assigns": ({"src/core/t.c": INTACT.replace("    assigns \\nothing;\n", "")}, r"has no `assigns`"),
    "a contract without terminates": ({"src/core/t.c": INTACT.replace("    terminates \\true;\n", "")},
                                      r"has no `terminates"),
    "terminates false": ({"src/core/t.c": INTACT.replace("terminates \\true", "terminates \\false")}, r"has no `terminates"),
    "a contract without exits": ({"src/core/t.c": INTACT.replace("    exits \\false;\n", "")}, r"has no `exits"),
    "a function without contract": ({"src/core/t.c": HEAD + BODY % LOOP}, r"has no `assigns`"),
    "a loop without variant": ({"src/core/t.c": INTACT.replace("        loop variant n - i; */", "    */")},
                               r"a loop without a variant"),
    "a loop without annotation": ({"src/core/t.c": HEAD + CONTRACT + BODY % ""}, r"a loop without a variant"),
    "an endless loop": ({"src/core/t.c": INTACT.replace("p[i] != 0) i++;", "p[i] != 0) { }")}, r"goal first_zero_loop_variant"),
    "an endless loop without variant": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; */\nvoid f(void);\n"
         "void f(void)\n{\n    /*@ loop assigns \\nothing; */\n    for (;;) { }\n}\n"}, r"a loop without a variant"),
    "endless recursion": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures never: \\false; */\n"
         "static int f(int x) { return f(x); }\n"}, r"f_terminates|recurs"),
    "a loop made of goto": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures never: \\false; */\n"
         "static int f(void)\n{\nagain:\n    goto again;\n}\n"}, r"a goto"),
    "admit": ({"src/core/t.c": INTACT.replace("ensures range", "admit ensures range")}, r"admit in an annotation"),
    "an admitted assertion": ({"src/core/t.c": INTACT.replace("    return i;", "    //@ admit i == 3;\n    return i;")},
                              r"admit in an annotation"),
    "an axiom": ({"src/core/t.c": HEAD + "/*@ axiomatic A { axiom wrong: \\false; } */\n" + CONTRACT + BODY % LOOP},
                 r"axiom in an annotation"),
    "an axiom behind a comment": (
        {"src/core/t.c": HEAD + "/*@ axiomatic A { // for\n axiom\n wrong: \\false; } */\n" + CONTRACT + BODY % LOOP},
        r"axiom in an annotation"),
    "a lemma": ({"src/core/t.c": HEAD + "/*@ lemma l: \\forall integer x; x >= x; */\n" + CONTRACT + BODY % LOOP},
                r"lemma in an annotation"),
    "a lemma on a continued line": ({"src/core/t.c": HEAD + "//@ predicate p = \\true; \\\nlemma l: \\false;\n" + CONTRACT + BODY % LOOP},
                                    r"t.c:3: an annotation with a continued line"),
    "a lemma in two halves": ({"src/core/t.c": HEAD + "/*@ lem\\\nma l: \\false; */\n" + CONTRACT + BODY % LOOP},
                              r"t.c:\d: lemma in an annotation"),
    "a lemma pasted by a macro": (
        {"src/core/t.c": HEAD + "#define P(a, b) a##b\n/*@ P(lem, ma) l: \\false; */\n" + CONTRACT + BODY % LOOP},
        r"t.c:4: lemma in an annotation"),
    "a paste in a preprocessor line": (
        {"src/core/t.c": HEAD + "#define P(a, b) a##b\n" + CONTRACT + BODY % LOOP}, r"t.c:3: ## in a preprocessor line"),
    "a lemma behind two slashes in a string": (
        {"src/core/t.c": HEAD + '/*@ predicate p = "//" == "//"; lemma l: \\false; */\n' + CONTRACT + BODY % LOOP},
        r"t.c:3: lemma in an annotation"),
    "a lemma in a macro of a header": (
        {"src/core/t.c": HEAD + '#include "core/t.h"\n/*@ CLAIM l: \\false; */\n' + CONTRACT + BODY % LOOP,
         "src/core/t.h": "#define CLAIM lem\\\nma\n"}, r"t.c:4: lemma in an annotation"),
    "a checked lemma": ({"src/core/t.c": HEAD + "/*@ check lemma l: 1 == 1; */\n" + CONTRACT + BODY % LOOP},
                        r"a property of no function: Check Lemma 'l'"),
    "an invariant of all code": ({"src/core/t.c": HEAD + "static int x;\n/*@ global invariant g: x == 1; */\n" + CONTRACT + BODY % LOOP},
                                 r"an invariant of all code in an annotation"),
    "a trigraph": ({"src/core/t.c": HEAD + "//@ predicate p = \\true; ??/\nlemma l: \\false;\n" + CONTRACT + BODY % LOOP}, r"t.c:3: a trigraph"),
    "a false contract on an inline function of a public header": (
        {"src/core/t.c": INTACT.replace(HEAD, HEAD + '#include "safenpy/t.h"\n'),
         "include/safenpy/t.h": "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result > x; */\n"
         "static inline int wrong(int x) { return x; }\n"}, r"include/safenpy/t.h .*goal wrong_ensures"),
    "a function that a macro defines": (
        {"src/core/t.c": HEAD + "#define DEFINE(name) static int name(int x) { return x; }\n"
         "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result > x; */\nDEFINE(wrong)\n" + CONTRACT + BODY % LOOP},
        r"wrong is a function that a macro defines"),
    "a header that nobody looks at": (
        {"src/core/t.c": INTACT.replace(HEAD, HEAD + '#include "core/t.h"\n'),
         "include/core/t.h": "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result > x; */\n"
         "static inline int wrong(int x) { return x; }\n"}, r"include/core/t.h: is included, but is no file of the core"),
    "separation that no contract states": (
        {"src/core/t.c": HEAD + "int g;\n/*@ requires \\valid(p); terminates \\true; exits \\false; assigns *p, g; "
         "ensures one: *p == 1; */\nstatic void f(int *p) { *p = 1; g = 2; }\n"}, r"separation that no contract states.*\\separated\(p, &g\)"),
    "recursive logic that says what decreases passes": ({"src/core/t.c": logic("n <= 0 ? 0 : f(n - 1) + 1", "// decreases n")}, None),
    "recursive logic that calls itself last passes": ({"src/core/t.c": logic("n == 7 ? 0 : f(n + 1)", "// tail call")}, None),
    "recursive logic that contradicts itself": ({"src/core/t.c": logic("f(n) + 1")}, r"t.c:3: the logic function f calls itself"),
    "recursive logic that decreases nothing": ({"src/core/t.c": logic("f(n) + 1", "// decreases n")}, r"a call does not make `n` smaller"),
    "recursive logic that decreases for ever": ({"src/core/t.c": logic("f(n - 1) + 1", "// decreases n")}, r"or nothing bounds it"),
    "recursive logic of which a call grows": (
        {"src/core/t.c": logic("n <= 0 ? 0 : f(n - 1) + f(n + 1)", "// decreases n")}, r"a call does not make `n` smaller"),
    "recursive logic that does not call itself last": ({"src/core/t.c": logic("f(n + 1) + 1", "// tail call")}, r"a call is not the whole value"),
    "recursive logic whose condition calls it": (
        {"src/core/t.c": logic("f(n + 1) == 0 ? 1 : 0", "// tail call")}, r"a call is not the whole value"),
    "recursive logic through a second function": (
        {"src/core/t.c": logic("g(n) + 1", "logic integer g(integer n) = f(n);")}, r"is recursive through another logic function"),
    "a stale note on logic": ({"src/core/t.c": logic("n + 1", "// decreases n")}, r"stands above f, which does not call itself"),
    "assumes": ({"src/core/t.c": INTACT.replace("    ensures range", "    behavior b: assumes n > 3; ensures range")},
                r"assumes in an annotation"),
    "code that only the prover sees": (
        {"src/core/t.c": HEAD + "#ifdef __FRAMAC__\n#define N 0\n#else\n#define N 1\n#endif\n" + CONTRACT + BODY % LOOP},
        r"condition on the prover"),
    "a contract that is believed": (
        {"src/core/t.c": HEAD + '#include "core/o.h"\n' + (CONTRACT + BODY % LOOP).replace("return i;", "return i + other();"),
         "src/core/o.h": "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result == 0; */\nint other(void);\n"},
        r"defined nowhere in the core"),
    "a contract out of its definition's sight": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result == 0; */\n"
         "extern size_t other(void);\n" + (CONTRACT + BODY % LOOP).replace("return i;", "return i + other();"),
         "src/core/o.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; */\nsize_t other(void);\n"
         "size_t other(void) { return 7; }\n"}, r"believed without being seen"),
    "an overflow": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; */\n"
         "static uint32_t f(uint32_t x) { return x + 1u; }\n"}, r"goal f_assert_rte_unsigned_overflow"),
    "a lossy conversion": (
        {"src/core/t.c": HEAD + "/*@ terminates \\true; exits \\false; assigns \\nothing; */\n"
         "static uint8_t f(uint32_t x) { return (uint8_t)x; }\n"}, r"goal f_assert_rte_unsigned_downcast"),
    "a write that assigns does not name": (
        {"src/core/t.c": HEAD + "/*@ requires \\valid(q); terminates \\true; exits \\false; assigns \\nothing; */\n"
         "static void f(int *q) { *q = 1; }\n"}, r"goal f_assigns"),
    "an annotation that does not parse": ({"src/core/t.c": INTACT.replace("\\result <= n", "\\result <= m")},
                                          r"frama-c exits with"),
    "the goals that are recorded": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first_zero": OF_INTACT})}, None),
    "fewer goals than recorded": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first_zero": (1000, 1000, 0)})}, r"1000 are recorded"),
    "more goals than recorded": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first_zero": (5, 5, 0)})}, r"only 5 are recorded"),
    "another prover than recorded": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first_zero": (OF_INTACT[0], OF_INTACT[0], 0)})}, None),
    "nothing recorded": ({"src/core/t.c": INTACT, "proofs/results.json": {}}, r"nothing is recorded"),
    "a recorded function that is gone": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first_zero": OF_INTACT, "second": (3, 3, 0)})},
        r"second is recorded, and it is gone"),
    "a recorded file that is gone": (
        {"src/core/t.c": INTACT, "proofs/results.json": recorded({"first": (1, 1, 0)}, "src/core/u.c")},
        r"src/core/u.c: goals are recorded"),
    "no function at all": ({"src/core/t.c": HEAD + "typedef int nothing;\n"}, r"no function to prove"),
    "no file at all": ({"include/safenpy/t.h": "\n"}, r"no function to prove"),
    "a static inline function of a header": (
        {"src/core/t.c": INTACT.replace(HEAD, HEAD + '#include "core/t.h"\n'),
         "src/core/t.h": "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures \\result > x; */\n"
         "static inline int wrong(int x) { return x; }\n"}, r"src/core/t.h .*goal wrong_ensures"),
}
SMOKE = {
    "smoke: an intact core passes": ({"src/core/t.c": INTACT}, None),
    "smoke: a contradictory contract": (
        {"src/core/t.c": INTACT.replace("    terminates", "    requires n > 3 && n < 2;\n    terminates")},
        r"goal first_zero_wp_smoke"),
    "smoke: a requires that nothing fulfils": (
        {"src/core/t.c": HEAD + "/*@ requires x > 3 && x < 2; terminates \\true; exits \\false; assigns \\nothing; ensures \\result == 7; */\n"
         "static int f(int x) { return x; }\n"}, r"goal f_wp_smoke"),
    "smoke: dead code": (
        {"src/core/t.c": INTACT.replace("    return i;", "    if (i > n) return 0;\n    return i;")},
        r"goal first_zero_wp_smoke"),
}


def prove(root, *arguments):
    path = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"  # a case may bring a frama-c of its own
    run = subprocess.run([sys.executable, str(PROVE), "--root", str(root), "--machdep", "gcc_x86_64", "--jobs", "1",
                          "--timeout", "10", *arguments],
                         env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", timeout=3600, check=False)
    return run.returncode, run.stdout


def judged(status, text, expected):
    """Whether the gate said what it must, in its text and in its exit status."""
    counted = re.search(r"^(\d+) passed, (\d+) failed$", text.splitlines()[-1]) if text else None
    if not counted:
        return False
    if expected is None:
        return status == 0 and counted.group(2) == "0" and counted.group(1) != "0"
    return status == 1 and counted.group(2) != "0" and bool(re.search(expected, text))


def tiny(case):
    name, (files, expected) = case
    with tempfile.TemporaryDirectory(prefix="safenpy-gate-") as temporary:
        root = Path(temporary)
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
            (root / path).chmod(0o755)
        arguments = [] if "proofs/results.json" in files else ["--no-record"]
        if name.startswith("smoke"):
            arguments.append("--smoke")
        status, text = prove(root, *arguments)
    return name, judged(status, text, expected), text


# name: (what is changed behind a page that was just written, whether it is then found stale, and if need be in which words)
PAGES = {
    "report: what a run recorded is up to date": (None, False),
    "report: one clause more": (("src/core/t.c", "\\result <= n;", "\\result <= n;\n    ensures least: 0 <= \\result;"), True),
    "report: one line of code more": (("src/core/t.c", "size_t i = 0;", "size_t i = 0;\n    (void)p;"), True),
    "report: a function more": (("src/core/t.c", INTACT, INTACT + EASY), "one is not in"),
    "report: a function less": (("proofs/results.json", '"first_zero":', '"second":{"goals":1},"first_zero":'), "second is gone"),
    "report: other results": (("proofs/results.json", '"goals":10', '"goals":11'), True),
    "report: another page": (("proofs/REPORT.md", "| 10 |", "| 12 |"), True),
}


def page(case):
    """Records the proofs of a tiny tree, changes a file, and asks whether the page is up to date."""
    name, (change, is_stale) = case
    with tempfile.TemporaryDirectory(prefix="safenpy-gate-") as temporary:
        root = Path(temporary)
        for directory in ("src/core", "include/safenpy", "spec/logic", "proofs"):
            (root / directory).mkdir(parents=True)
        (root / "src/core/t.c").write_text(INTACT, encoding="utf-8")
        status, text = prove(root, "--record")
        if status != 0:
            return name, False, text
        if change:
            path, old, new = root / change[0], *change[1:]
            before = path.read_text(encoding="utf-8")
            path.write_text(before.replace(old, new), encoding="utf-8")
            if old not in before:
                return name, False, f"nothing to change: {old!r} is not in {change[0]}:\n{before}"
        run = subprocess.run([sys.executable, str(ROOT / "proofs" / "report.py"), "--check", "--root", str(root)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = not isinstance(is_stale, str) or is_stale in run.stdout
    return name, (run.returncode != 0) == bool(is_stale) and said, run.stdout


# A tree in which all that a proof can depend on stands in a file of its own.
LAYERS = {
    "include/safenpy/limit.h": "#define LIMIT 7\n",
    "spec/logic/l.h": "/*@ logic integer most(integer n) = n + 1; */\n",
    "src/core/o.h": '#include <stdint.h>\n#include "spec/logic/l.h"\n'
                    "/*@ requires x < 9; terminates \\true; exits \\false; assigns \\nothing; ensures more: \\result == most(x); */\n"
                    "uint32_t other(uint32_t x);\n",
    "src/core/o.c": '#include "core/o.h"\nuint32_t other(uint32_t x)\n{\n    return x + 1;\n}\n',
    "src/core/t.c": '#include "core/o.h"\n#include "safenpy/limit.h"\n'
                    "/*@ terminates \\true; exits \\false; assigns \\nothing; ensures eight: \\result == 8; */\n"
                    "static uint32_t user(void) { return other(LIMIT); } // a comment\n",
}
NOTHING = "0 functions are not recorded as they are now, 0 are younger"


def forge_hash(root):
    """Writes into the record what stands for the text as it is now, without a proof."""
    args = gate.parse_arguments(["--root", str(root), "--machdep", "gcc_x86_64", "--timeout", "10"])
    contents = content.Contents(root, lambda *which: gate.options(args, *which))
    results = report.read_results(root)
    for name, hashes in results["hashes"].items():
        for function in hashes:
            hashes[function] = contents.hash(root / name, function, args.machines)
    report.write_results(root, results)
    return results


def forge_all(root):
    """And seals it, as a whole run would."""
    report.write_full(root, forge_hash(root), "2026-01-01", "")


# name: ([(file, what it says, what it says instead)], what else is done to the tree, further arguments, what --changed must say,
#        whether it must be content)
WEAKER = ("src/core/o.h", "most(x);", "most(x) || x == 7;")
CONTENTS = {
    "content: what a whole run has seen is believed, but for a sample": ([], None, [], NOTHING + ".*, 1 are a sample", True),
    "content: a comment changes nothing": ([("src/core/t.c", "a comment", "another")], None, [], NOTHING, True),
    "content: a callee's code changes nothing for its callers": (
        [("src/core/o.c", "x + 1", "1 + x")], None, [], r"\b1 functions are not recorded(.|\n)*o.c: other is not recorded", True),
    "content: a callee's contract": ([WEAKER], None, [], "goal user_ensures_eight", False),
    "content: a definition of logic": ([("spec/logic/l.h", "n + 1", "n + 2")], None, [], "goal user_ensures_eight", False),
    "content: a macro": ([("include/safenpy/limit.h", "7", "6")], None, [], "goal user_ensures_eight", False),
    "content: a macro in a contract": (
        [("src/core/t.c", "== 8", "== LIMIT + 1"), ("include/safenpy/limit.h", "7", "8")], None, [], "user is not recorded as it is now", True),
    "content: an option": ([], None, ["--cvc4-steps", "1", "--z3-steps", "1"], r"\b2 functions are not recorded(.|\n)*goal user_ensures_eight", False),
    "content: a contradictory contract": (
        [("src/core/o.h", "requires x < 9;", "requires x < 9 && x > 9;")], None, [], "goal other_wp_smoke", False),
    "content: a forged hash": ([WEAKER], forge_hash, [], "2 are younger(.|\n)*goal user_ensures_eight", False),
    "content: a forged result": ([("proofs/results.json", '"cvc4":1,"goals":', '"cvc4":1,"goals":1')], None, [],
                                 "are younger(.|\n)* goals, 1\\d+ are recorded", False),
    "content: a forged seal": ([("proofs/full.json", '"other":"', '"other":"0')], None, [],
                               "2 are younger(.|\n)*proofs/full.json is not what a whole run has left", False),
    "content: what a check has no time for is left to the whole run": (
        [], lambda root: (root / "proofs/full.json").unlink(), ["--young-goals", "1"],
        r"2 are younger than the last whole run \(1 of them are left to it\)(.|\n)*\n[1-9]\d* passed", True),
    "content: all of it forged is found by the sample": (
        [("spec/logic/l.h", "n + 1", "n + 2")], forge_all, [], NOTHING + "(.|\\n)*goal (user_ensures_eight|other_ensures_more)", False),
}


def by_content(case):
    """Proves a tiny tree as a whole, changes it, and asks what --changed says."""
    name, (changes, more, arguments, expected, is_content) = case
    with tempfile.TemporaryDirectory(prefix="safenpy-gate-") as temporary:
        root = Path(temporary)
        for path, text in LAYERS.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        (root / "proofs").mkdir()
        status, text = prove(root, "--full")
        if status != 0:
            return name, False, text
        for path, old, new in changes:
            before = (root / path).read_text(encoding="utf-8")
            if old is None:
                (root / path).unlink()
            elif old not in before:
                return name, False, f"nothing to change: {old!r} is not in {path}:\n{before}"
            else:
                (root / path).write_text(before.replace(old, new), encoding="utf-8")
        if more:
            more(root)
        status, text = prove(root, "--changed", *arguments)
    return name, (status == 0) == is_content and bool(re.search(expected, text)), text


def in_pieces(case):
    """A whole run that is cut seals what it has done, and nothing else, and ends when it is resumed."""
    name, _ = case
    with tempfile.TemporaryDirectory(prefix="safenpy-gate-") as temporary:
        root = Path(temporary)
        (root / "src/core").mkdir(parents=True)
        (root / "proofs").mkdir()
        (root / "src/core/t.c").write_text(INTACT, encoding="utf-8")
        (root / "src/core/u.c").write_text(EASY, encoding="utf-8")
        first, said = prove(root, "--full", "--minutes", "0")
        is_cut = first == 1 and "4 pieces of the whole run are left" in said and not (root / "proofs/full.json").exists()
        second, text = prove(root, "--full", "--resume")
        pieces = list((root / "build/proofs-full").glob("*.json"))
        is_whole = second == 0 and len(pieces) == 4 and sealed(root) == recorded_in(root) == {"first_zero", "one"}
        # Without its proof, or without its smoke test, a function is neither sealed nor recorded.
        of_one = [path for path in pieces if '"one"' in path.read_text(encoding="utf-8")]
        is_whole &= len(of_one) == 2
        for path in of_one:
            piece = path.read_bytes()
            for known in (path, root / "proofs/full.json", root / "proofs/results.json"):
                known.unlink()
            status, more = prove(root, "--full", "--resume", "--minutes", "0")
            is_cut &= status == 1 and "1 pieces of the whole run are left" in more
            is_cut &= sealed(root) == recorded_in(root) == {"first_zero"}
            path.write_bytes(piece)
            text += more
        third, _ = prove(root, "--full", "--resume")
        is_whole &= third == 0 and sealed(root) == recorded_in(root) == {"first_zero", "one"}
    return name, is_cut and is_whole, said + text


def recorded_in(root):
    """The functions of which the record has a proof."""
    return {name for functions in report.read_results(root).get("hashes", {}).values() for name in functions}


def sealed(root):
    """The functions of which a whole run has seen the record."""
    full, faults = report.read_full(root)
    return set() if faults else {name for functions in full["seals"].values() for name in functions}


PIECES = {"content: a whole run in pieces": None}


def applies(path):
    """Whether the patch can still be planted, and what `patch` says."""
    with path.open("rb") as patch:
        run = subprocess.run(["patch", "-p1", "--batch", "--forward", "--dry-run", "--force"], cwd=ROOT, stdin=patch, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.returncode == 0, run.stdout


def named(text):
    """The functions that a patch names, and the clauses."""
    return re.findall(r"^Function: (\w+)$", text, re.MULTILINE), re.findall(r"^Clause: (@?\w+)$", text, re.MULTILINE)


def inputs(patches, cases, root=ROOT):
    """A hash of what each test depends on: the gate; of a patch only what the proofs of its functions depend on, for whether the
    gate says what it is told is shown by the others."""
    own = records.digest("proofs/*.py", "tools/records.py", root=root, extra=json.dumps(content.versions(), sort_keys=True))
    found = {name: own for name in cases}
    args = gate.parse_arguments([])
    core, public, logic = source.files(root)
    sources, _ = source.audit(root, core, public, logic)
    units = gate.units_of(root, sources, [*core, *public])
    contents = content.Contents(root, lambda *which: gate.options(args, *which))
    for path in patches:
        functions = sorted(named(path.read_text(encoding="utf-8"))[0])
        hashes = [contents.hash(unit.text_path, function, ["gcc_x86_64"])
                  for function in functions for unit in units if function in unit.functions]
        found[f"negative: {path.stem}"] = records.digest(f"proofs/negative/{path.name}", root=root, extra=" ".join(hashes))
    return found


def negative(path):
    """Plants one bug; the functions that the patch names must no longer be proved."""
    name = f"negative: {path.stem}"
    text = path.read_text(encoding="utf-8")
    functions, clauses = named(text)
    if not functions or len(clauses) != 1:
        return name, False, "the patch must name functions (`Function: NAME`) and one clause (`Clause: NAME`)"
    with tempfile.TemporaryDirectory(prefix="safenpy-negative-") as temporary:
        root = Path(temporary)
        for part in ("include", "src", "spec/logic", "proofs/theorems"):
            shutil.copytree(ROOT / part, root / part)
        arguments = ["--no-cache", "--no-record", "--clause", clauses[0], *BOUNDS]
        arguments += [word for function in functions for word in ("--function", function)]
        _, text = prove(root, *arguments)
        if not text.endswith(" passed, 0 failed\n"):  # the code may have none of these goals: a bug can bring a new one
            return name, False, "the clause is not proved of the intact code:\n" + text
        with path.open("rb") as patch:
            run = subprocess.run(["patch", "-p1", "--batch", "--forward"], cwd=root, stdin=patch, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode != 0:
            return name, False, "the patch does not apply:\n" + run.stdout
        sources = sorted([*(root / "src/core").rglob("*.c"), *root.glob("proofs/theorems/*.c")])
        compiled = subprocess.run(["cc", "-std=c99", "-fsyntax-only", "-Iinclude", "-Isrc", "-I.", *sources], cwd=root, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if compiled.returncode != 0:
            return name, False, "the bug does not compile, so it shows nothing:\n" + compiled.stdout
        status, text = prove(root, "--first", *arguments)
    # Red because of a goal of that clause and function, not because something else broke.
    expected = rf"goal \w+_{clauses[0].removeprefix('@')}\w* of (?:{'|'.join(functions)}):"
    return name, judged(status, text, expected) and "frama-c exits with" not in text, text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="only the tests whose name holds TEXT")
    parser.add_argument("--verbose", action="store_true", help="show what the gate said of each")
    args = parser.parse_args()

    patches = sorted((ROOT / "proofs" / "negative").glob("*.patch"))
    tasks = [(tiny, case) for case in [*CASES.items(), *SMOKE.items()] if args.only in case[0]]
    tasks += [(page, case) for case in PAGES.items() if args.only in case[0]]
    tasks += [(by_content, case) for case in CONTENTS.items() if args.only in case[0]]
    tasks += [(in_pieces, case) for case in PIECES.items() if args.only in case[0]]
    tasks += [(negative, path) for path in patches if args.only in f"negative: {path.stem}"]
    passed = failed = 0
    if not patches:
        print("FAIL  there are no negative proofs")
        failed += 1
    book = records.Book("gate")
    if not args.only:
        names = [f"negative: {case.stem}" if test is negative else case[0] for test, case in tasks]
        due = set(book.due(inputs(patches, [name for name in names if not name.startswith("negative: ")])))
        tasks = [task for task, name in zip(tasks, names) if name in due]
        for path in patches:
            if f"negative: {path.stem}" not in due:
                fits, text = applies(path)
                passed, failed = passed + fits, failed + (not fits)
                print("" if fits else f"FAIL  negative: {path.stem} applies no longer\n{text}", end="")
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for name, ok, text in pool.map(lambda task: task[0](task[1]), tasks):
            passed += ok
            failed += not ok
            if ok and name in book.inputs:
                book.passed(name)
            print(f"{'ok  ' if ok else 'FAIL'}  {name}", flush=True)
            if args.verbose or not ok:
                print("".join(f"      | {line}\n" for line in text.splitlines()), end="", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
