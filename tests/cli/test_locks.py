"""Commands that change one file at the same time: nothing is lost, and nobody waits for ever.                  HOST-LOCK"""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import time

import pytest

LOCKED = ("safenpy: %s: the file is locked: another process is changing it [HOST-LOCK]\n"
          "  hint: try again when it has finished, or wait longer (lock-timeout)\n")


def npy(numbers, order="<"):
    """An array of four-byte integers, as numpy.save writes it."""
    text = "{'descr': '%si4', 'fortran_order': False, 'shape': (%d,), }" % (order, len(numbers))
    text = text.encode() + b" " * ((-len(text) - 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + struct.pack("%s%di" % (order, len(numbers)), *numbers)


def numbers_of(path):
    """The numbers of such a file."""
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack("%s%di" % ("<" if b"'<i4'" in data[:start] else ">", (len(data) - start) // 4), data[start:]))


@pytest.fixture
def run(safenpy, tmp_path):
    """Runs the command in a directory with a.npy, b.npy and others."""
    def run(*words, **options):
        return subprocess.run([safenpy, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, **options)

    (tmp_path / "a.npy").write_bytes(npy([1, 2, 3]))
    (tmp_path / "b.npy").write_bytes(npy([4, 5]))
    (tmp_path / "raw").write_bytes(struct.pack("<2i", 6, 7))
    (tmp_path / "dir").mkdir()
    if run("pack", "z.npz", "a.npy", "b.npy").returncode == 0:
        assert run("unpack", "z.npz", "-d", "dir").returncode == 0
    return run


def take_lock(path):
    """Locks a file as the command does in another process."""
    descriptor = os.open(path, os.O_RDWR)
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the older kind, which excludes the newer
    return descriptor


CHANGES = [
    ("append", "a.npy", "b.npy"),
    ("convert", "--byteorder", "big", "a.npy", "a.npy"),
    ("convert", "--byteorder", "big", "b.npy", "a.npy"),
    ("convert", "z.npz", "z.npz"),
    ("convert", "--store", "z.npz", "z.npz"),
    ("pack", "a.npy", "b.npy"),
    ("wrap", "--dtype", "<i4", "--shape", "-1", "raw", "raw"),
    ("wrap", "--dtype", "<i4", "--shape", "2", "raw", "a.npy"),
    ("unwrap", "b.npy", "a.npy"),
    ("unwrap", "a.npy", "a.npy"),
    ("unpack", "--force", "-d", "dir", "z.npz", "a"),
]


def target_of(change):
    return "dir/a.npy" if change[0] == "unpack" else change[1] if change[0] in ("append", "pack") else change[-1]


@pytest.mark.parametrize("change", CHANGES, ids=" ".join)
def test_a_locked_file_is_left_alone(run, tmp_path, change):
    if "z.npz" in change and not (tmp_path / "z.npz").exists():
        pytest.skip("built without archives")
    target = tmp_path / target_of(change)
    shown = "z.npz:a" if change[0] == "unpack" else target_of(change)
    before = target.read_bytes()
    files = sorted(os.listdir(tmp_path))
    descriptor = take_lock(target)
    for seconds in (0, 1):
        started = time.monotonic()
        result = run(change[0], "--lock-timeout", str(seconds), *change[1:])
        assert (result.returncode, result.stdout, result.stderr) == (2, "", LOCKED % shown)
        assert time.monotonic() - started >= seconds
    assert target.read_bytes() == before and sorted(os.listdir(tmp_path)) == files
    os.close(descriptor)
    assert run(*change).returncode == 0
    assert target.read_bytes() != before or change[0] == "unpack" or "z.npz" in change


def test_the_lock_is_awaited(safenpy, run, tmp_path):
    for change in CHANGES[:2]:
        descriptor = take_lock(tmp_path / "a.npy")
        process = subprocess.Popen([safenpy, *change], cwd=tmp_path)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        os.close(descriptor)
        assert process.wait(30) == 0
    assert numbers_of(tmp_path / "a.npy") == [1, 2, 3, 4, 5]
    assert b">i4" in (tmp_path / "a.npy").read_bytes()[:128]


@pytest.mark.parametrize("argument", ["", "-1", "1.5", "x", "2147484"])
def test_wrong_times_are_refused(run, argument):
    result = run("append", "--lock-timeout", argument, "a.npy", "b.npy")
    assert result.returncode == 2
    assert result.stderr == ("safenpy: --lock-timeout: '%s' is not a number from 0 to 2147483\n"
                             "Try 'safenpy --help'.\n" % argument)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("change", CHANGES[:3], ids=" ".join)
def test_a_signal_ends_the_waiting(safenpy, run, tmp_path, change, number):
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if name != "dir"}
    descriptor = take_lock(tmp_path / "a.npy")
    process = subprocess.Popen([safenpy, change[0], "--lock-timeout", "1000", *change[1:]], cwd=tmp_path,
                               stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(number)
    assert process.wait(10) == -number and process.stderr.read() == b""
    process.stderr.close()
    os.close(descriptor)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if name != "dir"} == before
    assert run("append", "--lock-timeout", "0", "a.npy", "b.npy").returncode == 0


def test_what_is_no_file_is_not_locked(safenpy, run, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    reader = subprocess.Popen(["cat", "fifo"], cwd=tmp_path, stdout=subprocess.PIPE)
    assert run("unwrap", "--lock-timeout", "0", "b.npy", "fifo").returncode == 0
    assert reader.communicate(timeout=30)[0] == struct.pack("<2i", 4, 5)
    descriptor = take_lock(tmp_path / "a.npy")
    result = subprocess.run([safenpy, "unwrap", "--lock-timeout", "0", "a.npy", "-"], cwd=tmp_path, capture_output=True)
    assert (result.returncode, result.stdout) == (0, struct.pack("<3i", 1, 2, 3))  # who only reads does not wait
    result = run("convert", "--lock-timeout", "0", "a.npy", "/dev/null")
    assert (result.returncode, result.stderr) == (0, "")
    os.close(descriptor)


def test_a_file_of_several_names_has_one_lock(run, tmp_path):
    os.symlink("a.npy", tmp_path / "link.npy")
    os.link(tmp_path / "a.npy", tmp_path / "hard.npy")
    descriptor = take_lock(tmp_path / "a.npy")
    for name in ("link.npy", "hard.npy"):
        assert run("convert", "--lock-timeout", "0", name, name).returncode == 2
        assert run("append", "--lock-timeout", "0", name, "b.npy").returncode == 2
    os.close(descriptor)
    assert run("append", "link.npy", "link.npy", "b.npy").returncode == 0  # to itself, too
    assert numbers_of(tmp_path / "a.npy") == [1, 2, 3, 1, 2, 3, 4, 5]


# Commands that follow one another, in a process of their own: its arguments are the command, how often, and its words.
AGAIN = """
import subprocess, sys
for _ in range(int(sys.argv[2])):
    subprocess.run([sys.argv[1], *sys.argv[3:]], check=True)
"""


def test_no_update_is_lost(safenpy, run, tmp_path):
    """Appends and conversions in place of one file at the same time: each append that succeeds is in the file."""
    appenders, converters, turns = 4, 2, 25
    for i in range(appenders):
        (tmp_path / f"{i}.npy").write_bytes(npy([i]))
    (tmp_path / "a.npy").write_bytes(npy([]))

    def start(count, *words):
        return subprocess.Popen([sys.executable, "-c", AGAIN, safenpy, str(count), words[0], "--lock-timeout", "300",
                                 *words[1:]], cwd=tmp_path)

    processes = [start(turns, "append", "a.npy", f"{i}.npy") for i in range(appenders)]
    processes += [start(turns, "convert", "a.npy", "a.npy") for _ in range(converters)]
    assert [process.wait(300) for process in processes] == [0] * (appenders + converters)
    numbers = numbers_of(tmp_path / "a.npy")
    assert [numbers.count(i) for i in range(appenders)] == [turns] * appenders and len(numbers) == turns * appenders
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
