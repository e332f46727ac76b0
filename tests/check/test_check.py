"""The check itself: parts run side by side, none that fails or tests nothing passes for good, and it is never silent."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check  # noqa: E402
import parts  # noqa: E402
import records  # noqa: E402


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Logs of their own."""
    monkeypatch.setattr(check, "LOGS", tmp_path)
    monkeypatch.setattr(check, "ROOT", tmp_path)


def part(name, script, kind="status", needs=(), cost=1, **more):
    return parts.Part(name, "fast", cost, needs, name, [parts.step(kind, "sh", "-c", script)], **more)


def run(*chosen, options=None):
    """What became of each part: {name: (passed, failed)}."""
    return {run.part.name: (run.passed, run.failed) for run in check.Pool(list(chosen), options or {}).run()}


@pytest.mark.parametrize("kind, script, wanted", [
    ("status", "true", (1, 0)),
    ("status", "echo no; exit 3", (0, 1)),
    ("counted", "echo '4 passed, 0 failed'", (4, 0)),
    ("counted", "echo 'unit: 4 passed, 1 failed, 2 skipped'; exit 1", (4, 1)),
    ("counted", "echo '0 passed, 0 failed'", (0, 1)),
    ("counted", "true", (0, 1)),
    ("counted", "echo '4 passed, 0 failed'; exit 1", (4, 1)),
    ("counted", "echo '4 passed, 1 failed'", (4, 1)),
    ("pytest", "echo '3 passed, 1 skipped in 0.1s'", (3, 0)),
    ("pytest", "echo '1 failed, 3 passed, 2 errors in 0.1s'; exit 1", (3, 3)),
    ("pytest", "echo 'no tests ran in 0.1s'; exit 5", (0, 1)),
    ("cmocka", "echo '[==========] a: 2 test(s) run.'; echo '[  PASSED  ] 2 test(s).'", (2, 0)),
    ("cmocka", "echo '[==========] a: 2 test(s) run.'; echo '[  PASSED  ] 1 test(s).'; exit 1", (1, 1)),
    ("cmocka", "echo '[==========] a: 2 test(s) run.'; echo '[  PASSED  ] 2 test(s).'; kill -9 $$", (2, 1)),
])
def test_what_a_part_came_to(kind, script, wanted):
    assert run(part("one", script, kind)) == {"one": wanted}


def test_step_that_tests_nothing_fails_beside_one_that_does():
    steps = [parts.step("status", "true"), parts.step("counted", "true")]
    assert run(parts.Part("two", "fast", 1, (), "two", steps)) == {"two": (1, 1)}


def test_program_that_is_not_there():
    lost = parts.Part("lost", "fast", 1, (), "lost", [parts.step("status", "/nowhere/at/all")])
    assert run(lost) == {"lost": (0, 1)}


def test_parts_run_side_by_side(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    begun = time.monotonic()
    assert run(part("one", "sleep 2"), part("other", "sleep 2")) == {"one": (1, 0), "other": (1, 0)}
    assert time.monotonic() - begun < 3.5


def test_longest_part_begins_first_and_after_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    note = "echo {} >> " + str(tmp_path / "order")
    run(part("short", note.format("short"), cost=1), part("long", note.format("long"), cost=9, needs=("build",)),
        part("build", note.format("build"), is_build=True))
    assert (tmp_path / "order").read_text().split() == ["build", "long", "short"]


def test_part_without_its_build_fails_and_does_not_run(tmp_path):
    found = run(part("build", "exit 1", is_build=True), part("one", f"touch {tmp_path}/ran", needs=("build",)))
    assert found == {"build": (0, 1), "one": (0, 1)} and not (tmp_path / "ran").exists()


def test_never_silent_for_long(monkeypatch, capfd):
    monkeypatch.setattr(check, "SILENT", 0.5)
    run(part("slow", "sleep 3"))
    assert re.search(r"0 of 1 parts; running: slow \d s", capfd.readouterr().out)
    assert check.__dict__["SILENT"] < 20


def test_what_a_failed_part_printed_is_shown(capfd):
    run(part("one", "echo the reason; exit 1"))
    assert "| the reason" in capfd.readouterr().out


def test_long_run_is_resumed(monkeypatch, tmp_path):
    """A part that passed on the same files is not run again; one that failed is, and so is all after a change."""
    monkeypatch.setattr(records, "FULL", tmp_path / "full")
    monkeypatch.setattr(records, "tree", lambda: "these files")
    chosen = part("one", f"echo ran >> {tmp_path}/ran"), part("bad", f"echo bad >> {tmp_path}/ran; exit 1")
    for _ in range(2):
        assert run(*chosen, options={"SNPY_FULL": "1"}) == {"one": (1, 0), "bad": (0, 1)}
    assert sorted((tmp_path / "ran").read_text().split()) == ["bad", "bad", "ran"]
    monkeypatch.setattr(records, "tree", lambda: "other files")
    run(*chosen[:1], options={"SNPY_FULL": "1"})
    assert (tmp_path / "ran").read_text().split().count("ran") == 2


def test_page_of_the_long_run_has_every_part():
    page = records.full_page({"unit": {"commit": "0123456789abcdef", "date": "2026-01-02", "passed": 4000, "failed": 0,
                                       "processor": 12}})
    assert "| unit | 0123456789ab | 2026-01-02 | 4,000 | 0 | 12 |" in page


def test_every_room_of_tests_belongs_to_a_part():
    words = [str(word) for one in parts.PARTS for step in one.steps for word in step.words]
    rooms = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert rooms and not [room for room in sorted(rooms) if not any(f"tests/{room}" in word for word in words)]


def test_every_need_is_a_part_and_every_build_is_needed():
    names = {one.name for one in parts.PARTS}
    needed = {need for one in parts.PARTS for need in one.needs}
    assert needed <= names and {one.name for one in parts.PARTS if one.is_build} <= needed


def test_fast_check_asks_for_no_more_than_it_needs():
    """No provers, fuzzers, browser."""
    assert {group for one in parts.PARTS if one.level == "fast" for group in one.groups} == set()


def test_settings_of_why3_stay_below_build(tmp_path):
    if not shutil.which("why3") or not shutil.which("frama-c"):
        pytest.skip("no why3 or no frama-c")
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "deps.sh").write_text((ROOT / "tools/deps.sh").read_text(encoding="utf-8"), encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "WHY3CONFIG"} | {"HOME": str(home)}
    subprocess.run(["sh", "deps.sh", "prove"], cwd=tmp_path, env=environment, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "build/why3.conf").exists() and not list(home.iterdir())


def test_apt_waits_for_another():
    calls = re.findall(r"apt-get .*", (ROOT / "tools/deps.sh").read_text(encoding="utf-8").split('if [ -n "$missing" ]')[1])
    asked = [call for call in calls if re.search(r"\b(?:update|install) -q", call)]
    assert len(asked) == 2 and all("DPkg::Lock::Timeout=" in call for call in asked)
