"""What a proof's hash is over, and which records are proved again: no test needs a prover."""

import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "proofs"))
import content  # noqa: E402
import expand  # noqa: E402
import prove  # noqa: E402
import recursion  # noqa: E402
import report  # noqa: E402
import test_gate as gate  # noqa: E402

CODE = """
typedef unsigned int u32;
enum kind { KIND_A = 1, KIND_B = WIDTH };
struct box { u32 size; struct lid *lid; };
static const u32 table[2] = { 1, KIND_A };
SNPY_BEGIN_0 logic integer most(integer n) = least(n); logic integer least(integer n) = n; predicate apart(u32 *p) = p[0] == 1; SNPY_END_0
SNPY_BEGIN_1 requires x < 9; ensures \\result == most(x); SNPY_END_1
u32 callee(u32 x);
SNPY_BEGIN_2 ghost /@ ensures \\true; @/ static void show_it(u32 n) { int hidden = n; } SNPY_END_2
SNPY_BEGIN_3 ensures \\result == 1; SNPY_END_3
static u32 other(struct box *b)
{
    return table[0] + secret(b);
}
u32 user(void)
{
    SNPY_BEGIN_4 ghost show_it(1); SNPY_END_4
    return callee(other(0));
}
u32 callee(u32 x) { return x + 0x77; }
volatile_thing;
"""


@pytest.fixture(scope="module")
def user():
    """The text that the proof of `user` depends on."""
    return content.Closure(expand.Text(CODE)).of("user")


@pytest.mark.parametrize("part", [
    "return callee ( other ( 0 ) )", "requires x < 9", "logic integer most", "logic integer least", "ensures \\result == 1",
    "static void show_it", "struct box { u32 size", "typedef unsigned int u32", "ghost show_it(1);"])
def test_a_proof_depends_on(user, part):
    assert part in user


@pytest.mark.parametrize("part", ["0x77", "table [ 0 ]", "secret", "predicate apart", "static const u32 table"])
def test_a_proof_does_not_depend_on(user, part):
    assert part not in user


def test_what_has_no_name_counts_for_all(user):
    nameless = content.Closure(expand.Text(CODE.replace("volatile_thing;", "[3] = 4;"))).of("user")
    assert "[ 3 ]" in nameless


def test_a_function_that_is_not_found_depends_on_all():
    assert content.Closure(expand.Text(CODE)).of("elsewhere") == CODE


def test_an_enumeration_is_found_by_its_constants():
    assert "KIND_B" in content.Closure(expand.Text(CODE)).of("other")


NUMBERED = "typedef enum mood { GOOD = 0 , BAD = 3 } mood; typedef unsigned u32;\nmood user(void) { return BAD; }\n"


@pytest.mark.parametrize("old, new, is_same", [
    ("BAD = 3", "BAD = 3, WORSE = 4", True), ("GOOD = 0", "GOOD = 1", True), ("BAD = 3", "BAD = 4", False),
    ("BAD = 3", "BAD = 3, WORSE = -4", False), ("BAD = 3", "BAD = 3, WORSE = 4294967296", False),
    ("BAD = 3", "BAD = 3, WORSE", False)])
def test_a_constant_concerns_what_names_it(old, new, is_same):
    """Unless it changes the type of the enumeration."""
    one, other = (content.Closure(expand.Text(text)).of("user") for text in (NUMBERED, NUMBERED.replace(old, new)))
    assert (one == other) == is_same
    assert "mood" in one and "BAD = 3" in one


MOODS = """
typedef enum mood { GOOD = 0, BAD = 3 } mood;
struct box { mood inside; };
/*@ requires \\valid(p); terminates \\true; exits \\false; assigns *p; ensures \\result == BAD || \\result == p->inside; */
mood user(struct box *p, mood m)
{
    switch (m) {
    case GOOD: return p->inside = BAD;
    case BAD: return p->inside;
    default: return p->inside = m;
    }
}
"""


def goals_of(directory, text):
    """What Frama-C would ask its provers."""
    path = directory / "moods.c"
    path.write_text(text, encoding="ascii")
    run = subprocess.run(["frama-c", path, "-wp", "-wp-rte", "-wp-no-simpl", "-wp-no-let", "-wp-prover", "none", "-wp-print"],
                         capture_output=True, text=True, check=True)
    return run.stdout


@pytest.mark.skipif(not shutil.which("frama-c"), reason="there is no frama-c")
def test_goals_do_not_depend_on_constants_that_nothing_names(tmp_path):
    goals = goals_of(tmp_path, MOODS)
    assert goals.count("Goal ") > 5
    assert goals_of(tmp_path, MOODS.replace("BAD = 3", "BAD = 3, WORSE = 900")) == goals
    assert goals_of(tmp_path, MOODS.replace("BAD = 3", "BAD = 4")) != goals
    assert goals_of(tmp_path, MOODS.replace("BAD = 3", "BAD = 3, WORSE = -1")) != goals


@pytest.mark.parametrize("value, note, is_sound", [
    ("n <= 0 ? 0 : f(n - 1)", "n", True), ("n < 10 ? 0 : f(n / 10)", "n", True), ("n > 0 && f(n - 2) == 1", "n", True),
    ("n <= 0 || f(n - 1) == 0 && f(n - 2) == 0", "n", True), ("\\let m = n - 1; n > 0 ? f(n - 1) : m", "n", True),
    ("n == 0 ? 0 : f(n - 1)", "n", False), ("n <= 0 ? 0 : f(n / 1)", "n", False), ("n <= 0 ? f(n - 1) : 0", "n", False),
    ("\\let n = 7; n <= 0 ? 0 : f(n - 1)", "n", False), ("\\exists integer n; n > 0 && f(n - 1) == 0", "n", False),
    ("f(0) + (n <= 0 ? 0 : f(n - 1))", "n", False), ("n <= 0 ? 0 : f(m)", "n", False), ("n <= 0 ? 0 : f + 1", "n", False),
    ("n == 0 ? 0 : f(n + 1)", "tail call", True), ("n == 0 && f(n + 1) == 1", "tail call", False),
    ("n == 0 ? 0 : -f(n)", "tail call", False), ("f(f(n))", "tail call", False), ("n <= 0 ? 0 : f(n - 1)", "m", False)])
def test_recursive_logic(value, note, is_sound):
    assert (recursion.why_not("f", {"n": "integer"}, value, note) is None) == is_sound


def test_a_measure_is_of_integers():
    assert recursion.why_not("f", {"n": "other"}, "n <= 0 ? 0 : f(n - 1)", "n")


class Known:
    """Hashes that need no tools."""

    @staticmethod
    def hash(_path, function, _machines):
        return function


def sample_of(monkeypatch, root, commit):
    """What a check of a hundred sealed functions proves again."""
    functions = [f"f{n}" for n in range(100)]
    results = {"hashes": {"t.c": {name: name for name in functions}},
               "proofs": {"t.c": {"ppc_32": {name: {"goals": 1} for name in functions}}}}
    (root / "proofs").mkdir(exist_ok=True)
    report.write_full(root, results, "2026-01-01", "")
    monkeypatch.setattr(report, "commit", lambda _: commit)
    args = Namespace(root=root, machines=["ppc_32"])
    return results, prove.to_prove(args, [prove.Unit("t.c", root / "t.c", functions)], Known, results)


def test_the_sample_is_one_in_twenty_and_drawn_by_the_commit(monkeypatch, tmp_path):
    _, (missing, young, first, faults) = sample_of(monkeypatch, tmp_path, "a")
    second, again = (sample_of(monkeypatch, tmp_path, commit)[1][2] for commit in "ba")
    assert (missing, young, faults) == (set(), [], []) and len(first) == len(second) == 5
    assert first == again != second


def test_an_entry_that_is_edited_is_young(monkeypatch, tmp_path):
    results, _ = sample_of(monkeypatch, tmp_path, "a")
    results["proofs"]["t.c"]["ppc_32"]["f7"]["goals"] = 2
    args = Namespace(root=tmp_path, machines=["ppc_32"])
    units = [prove.Unit("t.c", tmp_path / "t.c", [f"f{n}" for n in range(100)])]
    assert prove.to_prove(args, units, Known, results)[1] == [("t.c", "f7")]


@pytest.mark.parametrize("most, fitting", [(1, 1), (3, 3), (1000, 10)])
def test_young_records_are_proved_as_far_as_there_is_time(most, fitting):
    young = [("t.c", f"f{n}") for n in range(10)]
    results = {"proofs": {"t.c": {"ppc_32": {name: {"goals": 1} for _, name in young}}}}
    args = Namespace(machines=["ppc_32"], young_goals=most)
    assert prove.what_fits(args, young, results) == set(young[:fitting])


def test_a_planted_bug_is_tried_again_where_its_function_changed(tmp_path):
    for part in ("include", "src", "spec/logic", "proofs", "tools"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    patches = sorted((tmp_path / "proofs/negative").glob("*.patch"))
    before = gate.inputs(patches, ["a case"], tmp_path)
    path = tmp_path / "src/core/frame.c"
    text = path.read_text(encoding="utf-8")
    assert text.count("*at = 7;") == 1
    path.write_text(text.replace("*at = 7;", "*at = 6;"), encoding="utf-8")
    after = gate.inputs(patches, ["a case"], tmp_path)
    changed = {name for name in before if before[name] != after[name]}
    of_prefix = {f"negative: {path.stem}" for path in patches if "check_prefix" in gate.named(path.read_text(encoding="utf-8"))[0]}
    assert changed == of_prefix != set()
    (tmp_path / "proofs/content.py").open("a", encoding="utf-8").write("# another gate\n")
    changed = {name for name, inputs in gate.inputs(patches, ["a case"], tmp_path).items() if inputs != after[name]}
    assert changed == {"a case"}
