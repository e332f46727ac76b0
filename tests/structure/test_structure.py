"""No two files of a room use one another, not even through others; no room uses one to its left; the command uses what
users of the library have."""

import re
import shutil
from pathlib import Path

import pytest

from tests.structure import graph

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = sorted(str(path.relative_to(ROOT)) for path in [*(ROOT / "src").rglob("*"), ROOT / "fuzz"] if any(path.glob("*.c")))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_no_circle(room):
    found = graph.uses(ROOT / room)
    assert len(found) > 2 and sum(map(len, found.values())) >= len(found) / 2, "the graph is not that of the room"
    assert graph.circles(found) == []


def test_the_graph_has_what_the_sources_have():
    found = graph.uses(ROOT / "src/cli")
    assert "cli_check" in found["main.c"]["check.c"]
    assert {"cli_output", "cli_flush"} <= found["options.c"]["output.c"] | found["report.c"]["output.c"]
    assert "main.c" not in found["help.c"]
    assert "snpy_scan_record" in graph.uses(ROOT / "src/core")["header.c"]["record.c"]  # by dict.h


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


# --- rooms use those to their right in docs/architecture.md ------------------------------------------------

ORDER = ("cli", "npz", "host", "data", "core")


def leftward(source):
    """The headers of a room that files of another room, further to the right, include."""
    return [(path.name, name) for room in ORDER for path in sorted((source / room).rglob("*.[ch]"))
            for name in graph.includes(path) if name.split("/")[0] in ORDER[:ORDER.index(room)]]


def test_rooms_use_those_to_their_right(tmp_path):
    assert leftward(ROOT / "src") == []
    shutil.copytree(ROOT / "src", tmp_path / "src")
    path = tmp_path / "src/core/zip/zip.h"
    path.write_text('#include "host/io.h"\n' + path.read_text())
    assert leftward(tmp_path / "src") == [("zip.h", "host/io.h")]


# --- the command is a client -------------------------------------------------------------------------------

PRIVATE_MEMBER = re.compile(r"(?:->|\.)(\w+_)\b")


def foreign(room):
    """What the files of the command include of the library beyond its public headers and npz/tool.h, and the members
    of public structs that are for the library only."""
    found = []
    for path in sorted(room.glob("*.[ch]")):
        found += [(path.name, name) for name in graph.includes(path) if "/" in name and
                  not name.startswith(("cli/", "safenpy/", "sys/", "linux/")) and name != "npz/tool.h"]
        found += [(path.name, name) for name in PRIVATE_MEMBER.findall(graph.code(path))]
    return found


def test_the_command_is_a_client_of_the_library():
    assert any("npz/tool.h" in graph.includes(path) for path in (ROOT / "src/cli").glob("*.h"))
    assert foreign(ROOT / "src/cli") == []


@pytest.mark.parametrize("line, found", (
    ('#include "npz/npz.h"', "npz/npz.h"), ('# include "host/io.h"', "host/io.h"), ('#include "core/core.h"', "core/core.h"),
    ("int planted(snpy_archive *archive) { return archive->descriptor_; }", "descriptor_"),
    ("bool planted(snpy_archive archive) { return archive.owns_; }", "owns_")))
def test_a_planted_use_of_what_is_private_is_found(line, found, tmp_path):
    shutil.copytree(ROOT / "src/cli", tmp_path / "cli")
    path = tmp_path / "cli" / "check.c"
    path.write_text(line + "\n" + path.read_text())
    assert foreign(tmp_path / "cli") == [("check.c", found)]
