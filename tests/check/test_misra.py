"""What the check of docs/misra.md notices."""

import shutil

import pytest

import misra

PAGE = """\
| 15.1 | advisory | no goto | cppcheck | {goto} |
| 17.2 | required | no recursion | cppcheck | kept | |
| `walk` | src/core/a.c | 12 | A list of letters. |
"""
FOUND = {"15.1": ["src/core/a.c:3:5"]}
COMPLEX = {("walk", "src/core/a.c"): 12}


def test_a_page_that_says_all():
    assert misra.faults(PAGE.format(goto="deviation | Shorter. "), FOUND, COMPLEX) == ([], 3)


@pytest.mark.parametrize("state, found, functions, word", [
    ("kept | ", FOUND, COMPLEX, "the page says kept"),
    ("deviation | ", FOUND, COMPLEX, "has a reason"),
    ("deviation | Shorter. ", {}, COMPLEX, "nothing is found"),
    ("kept | Never mind. ", {}, COMPLEX, "has a reason"),
    ("fine | ", {}, COMPLEX, "is none of"),
    ("deviation | Shorter. ", FOUND | {"8.1": ["src/core/a.c:1:1"]}, COMPLEX, "8.1: no row"),
    ("deviation | Shorter. ", FOUND, {}, "at most 10"),
    ("deviation | Shorter. ", FOUND, COMPLEX | {("other", "src/core/a.c"): 11}, "the page says nothing"),
])
def test_what_it_does_not_say(state, found, functions, word):
    wrong, _ = misra.faults(PAGE.format(goto=state), found, functions)
    assert len(wrong) == 1 and word in wrong[0]


@pytest.mark.skipif(not shutil.which("cppcheck"), reason="there is no cppcheck")
def test_what_cppcheck_finds(tmp_path):
    (tmp_path / "src/core/part").mkdir(parents=True)
    (tmp_path / "include").mkdir()
    (tmp_path / "src/core/part/a.c").write_text(
        "int twice(int x);\nint twice(int x)\n{\n    goto end;\nend:\n    return 2 * x;\n}\n", encoding="ascii")
    assert misra.findings(tmp_path)["15.1"] == ["src/core/part/a.c:4:5"]
