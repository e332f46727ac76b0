"""--max-data-bytes: what declares more is refused before its data are looked at, in every command that reads arrays."""

import json
import subprocess
import zipfile

import pytest

HUGE = 1 << 40  # bytes; of a file without any but its header


def run(*words, stdin=None):
    return subprocess.run(words, capture_output=True, check=False, stdin=stdin, timeout=60)


def header(size):
    text = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % size
    return b"\x93NUMPY\1\0\x76\0" + text.ljust(117) + b"\n"


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.npy"
    path.write_bytes(header(10) + b"0123456789")
    return path


@pytest.fixture
def huge(tmp_path):
    path = tmp_path / "huge.npy"
    with path.open("wb") as file:
        file.write(header(HUGE))
        file.truncate(128 + HUGE)
    return path


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as out:
        for name, size in (("one", 10), ("two", 2000), ("three", 11)):
            out.writestr(name + ".npy", header(size) + bytes(size))
    return path


COMMANDS = {
    "check": ["{in}"], "info": ["{in}"], "cat": ["{in}"], "diff": ["{in}", "{in}"], "convert": ["{in}", "{out}"],
    "unwrap": ["{in}", "{out}"], "pack": ["{out}", "{in}"], "append": ["{in}", "{in}"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_data_larger_than_the_limit_are_refused(safenpy, small, huge, tmp_path, command):
    def call(path, limit):
        names = {"in": str(path), "out": str(tmp_path / "out")}
        words = [word.format_map(names) for word in COMMANDS[command]]
        return run(safenpy, command, "--max-data-bytes", str(limit), *words)

    for path, limit in ((small, 9), (small, 0), (huge, HUGE - 1)):
        before = path.stat()
        done = call(path, limit)
        said = done.stdout + done.stderr
        assert done.returncode == (2 if command == "diff" else 1), said
        assert b"the header declares more data than the limit at byte 128 [NPY-DATA-004]" in said
        assert b"max-data-bytes" in said or command not in ("check", "info")  # the hint
        assert not (tmp_path / "out").exists()
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    done = call(small, 10)
    assert done.returncode == 0, done.stderr


def test_each_member_is_held_against_the_limit(safenpy, archive):
    done = run(safenpy, "check", "--json", "--max-data-bytes", "11", archive)
    assert done.returncode == 1
    members = json.loads(done.stdout)["members"]
    assert [member["verdict"] for member in members] == ["accept", "reject", "accept"]
    assert [member["status"] for member in members if "status" in member and member["verdict"] == "reject"] == [
        "SNPY_DATA_TOO_LARGE"]
    assert run(safenpy, "check", "--strict", "--max-data-bytes", "11", archive).returncode == 1
    assert run(safenpy, "check", "--strict", "--max-data-bytes", "2000", archive).returncode == 0
    done = run(safenpy, "cat", "--max-data-bytes", "11", f"{archive}:two")
    assert done.returncode == 1 and b"NPY-DATA-004" in done.stderr and not done.stdout
    assert run(safenpy, "cat", "--max-data-bytes", "11", f"{archive}:one").returncode == 0


def test_a_limit_on_data_is_not_ignored_for_a_whole_archive(safenpy, archive, tmp_path):
    """Its members are copied unread: the limit would mean nothing."""
    out = tmp_path / "out.npz"
    assert run(safenpy, "convert", archive, out).returncode == 0
    out.unlink()
    for words in ((), ("--deflate",)):
        assert run(safenpy, "convert", *words, "--max-data-bytes", "11", archive, out).returncode != 0
        assert not out.exists()


def test_a_pipe_is_refused_before_its_data_come(safenpy):
    """The other end keeps the pipe open, and sends no data: who waited for them would wait for ever."""
    for command in ("check", "info", "cat"):
        with subprocess.Popen([safenpy, command, "--max-data-bytes", "9", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            process.stdin.write(header(HUGE))
            process.stdin.flush()
            assert process.wait(timeout=60) == 1
            assert b"NPY-DATA-004" in process.stdout.read()


@pytest.mark.parametrize("limit", ["", "-1", "1k", "9223372036854775808", "18446744073709551626"])
def test_a_limit_that_is_no_number_is_wrong_usage(safenpy, small, limit):
    done = run(safenpy, "check", "--max-data-bytes", limit, small)
    assert done.returncode == 2
    assert b"--max-data-bytes: '%b' is not a number from 0 to 9223372036854775807" % limit.encode() in done.stderr
    assert run(safenpy, "check", "--max-data-bytes", "9223372036854775807", small).returncode == 0


def test_help_and_explain_name_the_option(safenpy):
    assert b"--max-data-bytes N" in run(safenpy, "check", "--help").stdout
    assert b"the limit max-data-bytes" in run(safenpy, "explain", "NPY-DATA-004").stdout
