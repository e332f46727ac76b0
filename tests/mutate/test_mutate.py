"""Shows that the mutation tool finds what it must, and counts rightly.

A tiny project with a function that its test holds fast, one that it does not, and one that nobody can tell from its
mutants. Needs make, gcc and git.
"""

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutants  # noqa: E402
import reach  # noqa: E402
from tests.mutate import run  # noqa: E402

TEXT = """\
/* A comment with a < b and 1. */
#define LIMIT 3
/*@ requires x < 10; assigns \\nothing; */
static int within(int x, const char *word)
{
    //@ assert x < 10;
    int low = 0;
    if (x < 7 && word[0] == '(') return -1;
    low = -x * 2;
    note(low);
    return low;
}
"""
EXPECTED = {
    ("constant", "0", "1"), ("constant", "7", "8"), ("constant", "7", "6"), ("constant", "1", "2"), ("constant", "1", "0"),
    ("constant", "2", "3"), ("constant", "2", "1"), ("constant", "'('", "('(' + 1)"), ("constant", "'('", "('(' - 1)"),
    ("relation", "<", "<="), ("relation", "<", ">="), ("relation", "==", "!="), ("logic", "&&", "||"),
    ("arithmetic", "*", "/"), ("statement", "low = -x * 2", ""), ("statement", "note(low)", ""),
    ("condition", "x < 7 && word[0] == '('", "!(x < 7 && word[0] == '(')"),
}

MAKEFILE = """\
BUILD ?= build
all: programs
programs $(BUILD)/tests/probe $(BUILD)/tests/files: $(BUILD)/static/core/t.o
$(BUILD)/static/core/t.o: src/core/t.c
\tmkdir -p $(BUILD)/static/core $(BUILD)/tests $(BUILD)/unit
\t$(CC) $(CFLAGS) -Werror=implicit-function-declaration -c -o $@ $<
$(BUILD)/unit/test_t: tests/unit/test_t.c $(BUILD)/static/core/t.o
\t$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS)
"""
CODE = """\
int held(int x);
int loose(int x);
int held(int x)
{
    return x < 7;
}
int loose(int x)
{
    return x + 1;
}
int same(int x);
int same(int x)
{
    int unused = 5;
    (void)unused;
    return x;
}
"""
TEST = """\
int held(int x);
int main(void) { return !(held(6) && !held(7)); }
"""
CLEAN = """\
#include <stdlib.h>
void clean(void *memory);
void clean(void *memory)
{
    free(memory);
}
"""
LEAKING = """\
#include <stdlib.h>
void clean(void *memory);
int main(void) { void *volatile memory = malloc(5); clean(memory); memory = 0; return 0; }
"""
KILLED = """\
#include <signal.h>
int loose(int x);
int main(void) { return loose(1) != 0 ? raise(SIGKILL) : 0; }
"""
OTHERS = {"tests/corpus/run.py": "", "tests/cli/run.py": "", "tests/data/run.py": "", "tests/data/files.py": "",
          "include/safenpy/statuses.h": "", ".gitignore": "build/\n"}


def test_places(tally):
    """Every mutant of a function that has one of each kind, and none of comments, annotations and directives."""
    found = mutants.mutants_of("t.c", TEXT, {})
    said = {(mutant.kind, mutant.old, mutant.new) for mutant in found}
    tally.check("the mutants of a function", said == EXPECTED, said ^ EXPECTED)
    tally.check("its name", {mutant.function for mutant in found} == {"within"})
    tally.check("a key a mutant", len({mutant.key for mutant in found}) == len(found))
    tally.check("a mutant changes one place", all(mutant.apply(TEXT) != TEXT for mutant in found))
    moved = {mutant.key for mutant in mutants.mutants_of("t.c", "int other;\n\n" + TEXT, {})}
    tally.check("keys do not depend on the lines above", moved == {mutant.key for mutant in found})
    changed = {mutant.key for mutant in mutants.mutants_of("t.c", TEXT.replace("x < 10; assigns", "x < 11; assigns"), {})}
    tally.check("keys depend on the contract", not changed & {mutant.key for mutant in found})


def test_statuses(tally):
    """A status becomes its successor."""
    statuses = mutants.next_statuses('SNPY_STATUS(SNPY_BAD, 1, "R",\nSNPY_STATUS(SNPY_WORSE, 2, "R",\n')
    found = mutants.mutants_of("t.c", "int f(void)\n{\n    return SNPY_BAD;\n}\n", statuses)
    tally.check("statuses", [(m.old, m.new) for m in found] == [("SNPY_BAD", "SNPY_WORSE")], found)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The tiny project, in a repository of its own."""
    lay_out(tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "NUMPY", sys.executable)
    return tmp_path


def test_kinds(tally):
    """A goal of a clause kills; a guard, or a callee's requirement, that happens to fail does not."""
    said = "src/core/t.c [gcc_x86_64]: goal {} of held: Unknown"
    for goal, kind in (("held_ensures_range", run.CLAUSE), ("held_loop_invariant_low_preserved", run.CLAUSE), ("held_assigns_part1", run.CLAUSE),
                       ("held_assert_step", run.CLAUSE), ("held_assert_rte_mem_access", run.GUARD), ("held_call_loose_requires", run.GUARD)):
        tally.check(f"{goal} is of a {kind}", run.kind_of(said.format(goal)) == kind)
    both = said.format("held_assert_rte_index_bound") + "\n" + said.format("held_ensures")
    tally.check("a clause beside a guard kills", run.kind_of(both) == run.CLAUSE)
    tally.check("no goal at all kills nothing", run.kind_of("frama-c exits with 1") == run.GUARD)
    for recorded, steps in ((0, 60_000), (15_000, 60_000), (20_000, 80_000), (500_000, 600_000)):
        tally.check(f"steps for {recorded} recorded ones", run.bounds(recorded)[-1] == str(steps))


def lay_out(root):
    files = {**OTHERS, "Makefile": MAKEFILE, "src/core/t.c": CODE, "tests/unit/test_t.c": TEST}
    for directory in ("src/host", "src/npz", "src/cli"):
        (root / directory).mkdir(parents=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="ascii")


def call(root, *arguments):
    """What the tool prints about the tiny project, and its exit status."""
    out = io.StringIO()
    with redirect_stdout(out):
        status = run.main([*arguments, "--results", str(root / "results.json"), "--survivors", str(root / "survivors.md")])
    return status, out.getvalue()


def test_counts(tally, root):
    """Killed, survived, equivalent: each where it belongs; a second run has nothing left to do."""
    _, quick = call(root, "tests", "--quick", "--only", "t.c loose")
    kept = run.Store(root / "results.json").of("tests")
    tally.check("a quick pass judges no survivor", "open " in quick and run.SURVIVED not in kept.values(), quick)
    _, said = call(root, "tests", "--per-function", "2", "--limit", "3")
    tally.check("a limit", said.count(" src/core/t.c:") == 3, said)
    _, said = call(root, "tests", "--per-function", "99")
    tally.check("the rest", said.count(" src/core/t.c:") > 3, said)
    _, said = call(root, "tests", "--per-function", "99")
    tally.check("nothing is judged twice", "0 to judge" in said, said)
    status, said = call(root, "report")
    verdicts = run.Store(root / "results.json").of("tests")
    found = {mutant.key: mutant for mutant in run.all_mutants(root, "tests")}
    tally.check("all are judged", set(verdicts) == set(found))
    for key, verdict in verdicts.items():
        wanted = {"held": "unit", "loose": run.SURVIVED, "same": run.EQUIVALENT}[found[key].function]
        tally.check(found[key].describe(), verdict == wanted, verdict)
    loose = [key for key in verdicts if found[key].function == "loose"]
    killed = sum(verdict == "unit" for verdict in verdicts.values())
    tally.check("survivors fail the report", status == 1 and f"{killed} passed, {len(loose)} failed" in said, said)
    rows = "".join(f"| `{key}` | src/core/t.c | of no use here |\n" for key in loose)
    (root / "survivors.md").write_text(rows, encoding="ascii")
    status, said = call(root, "report")
    tally.check("a reason settles them", status == 0 and f"{killed} passed, 0 failed" in said, said)
    (root / "src/core/t.c").write_text(CODE.replace("x + 1", "x + 2"), encoding="ascii")
    _, said = call(root, "tests", "--per-function", "99")
    judged = said.count(" src/core/t.c:")
    tally.check("a function that changed is judged anew", judged == len(loose), said)


def raises(act):
    """Whether a call ends with an error."""
    try:
        act()
    except RuntimeError:
        return True
    return False


def test_reach(tally, root):
    """What a test enters is noted, though it be killed; it is asked of nothing else, unless nobody enters the function."""
    with (root / "src/core/t.c").open("a", encoding="ascii") as code:
        code.write(CLEAN)
    (root / "tests/unit/test_t.c").write_text(TEST, encoding="ascii")
    judge = run.TestJudge(root, root / "build" / "mutate" / "one")
    row = ("unit", "build/unit/test_t", ["build/unit/test_t"], 60)
    own = run.Tree(root, root / "build" / "own")
    known = reach.Reach(own.root, root / "build" / "known.json")
    entered = known.of(row[1], row[2], lambda call: run.passes(call, own.root, 60))
    tally.check("what a test enters", entered is not None and "held" in entered and "loose" not in entered, entered)
    known.told.clear()
    (own.root / row[1].replace("build/", "tests/")).with_suffix(".c").write_text(KILLED, encoding="ascii")
    entered = known.of(row[1], row[2], lambda call: not run.passes(call, own.root, 60))
    tally.check("that of a test that is killed", entered is not None and "loose" in entered, entered)
    tally.check("what is known is not asked again", known.of(row[1], row[2], lambda call: False) is not None)
    known.told.clear()
    (own.root / row[1].replace("build/", "tests/")).with_suffix(".c").write_text(KILLED + "int more;\n", encoding="ascii")
    tally.check("of a test that fails when noted nothing is known", known.of(row[1], row[2], lambda call: False) is None)
    found = {mutant.function: mutant for mutant in run.all_mutants(root, "tests")}
    tally.check("a test of the function is asked", row[1] in [stage[1] for stage in judge.asked(found["held"])])
    tally.check("all are asked where none enters", row[1] in [stage[1] for stage in judge.asked(found["same"])])
    (judge.tree.root / "tests/unit/test_t.c").write_text(LEAKING, encoding="ascii")
    leak = next(mutant for mutant in run.all_mutants(root, "tests") if mutant.function == "clean")
    tally.check("a leak kills", judge.judge(leak) == "sanitizer", leak.describe())
    (judge.tree.root / "tests/unit/test_t.c").write_text("int main(void) { return 1; }\n", encoding="ascii")
    judge.sound.clear()
    tally.check("a test that always fails kills nothing", raises(lambda: judge.judge(found["held"])))
    judge.stages = lambda mutant: [row, ("unit", "other", ["other"], 60)]
    judge.reach().of = lambda target, call, worked: {"held"} if target == "other" else {"loose"}
    tally.check("others are not", [stage[1] for stage in judge.asked(found["held"])] == ["other"])
