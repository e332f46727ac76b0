"""No two files of a room use one another, not even through others."""

import shutil
from pathlib import Path

import pytest

from tests.structure import graph

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = sorted(str(path.relative_to(ROOT)) for path in [*(ROOT / "src").glob("*"), ROOT / "fuzz"] if path.is_dir())


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_no_circle(room):
    found = graph.uses(ROOT / room)
    assert len(found) > 5 and sum(map(len, found.values())) >= len(found), "the graph is not that of the room"
    assert graph.circles(found) == []


def test_the_graph_has_what_the_sources_have():
    found = graph.uses(ROOT / "src/cli")
    assert "cli_check" in found["main.c"]["check.c"]
    assert {"cli_output", "cli_flush"} <= found["options.c"]["output.c"] | found["report.c"]["output.c"]
    assert "main.c" not in found["help.c"]


@pytest.mark.parametrize("room, file, other, call", (
    ("src/cli", "output.c", "report.c", "cli_end_file"),
    ("src/npz", "fetch.c", "load.c", "snpy_archive_fetch"),
    ("src/host", "error.c", "save.c", "snpy_io_begin"),
    ("fuzz", "text.c", "mutate.c", "text_seed")))
def test_a_planted_circle_is_found(room, file, other, call, tmp_path):
    """`file` begins to use a function of `other`, which reaches it."""
    shutil.copytree(ROOT / room, tmp_path / "room", ignore=lambda _, names: [n for n in names if not n.endswith(".c")])
    path = tmp_path / "room" / file
    name = sorted(graph.definitions(tmp_path / "room" / other))[0]
    path.write_text(path.read_text() + f"\nvoid planted_use(void)\n{{\n    (void)&{name};\n}}\n")
    source = tmp_path / "room" / other
    source.write_text(source.read_text() + f"\nvoid planted_call(void)\n{{\n    (void)&{call};\n}}\n")
    assert any({file, other} <= set(circle) for circle in graph.circles(graph.uses(tmp_path / "room")))
