"""Many files at once: directories, lists, several processes, and the reports that are made of them."""

import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import termios
import time
import zipfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "corpus"


def run(safenpy, *words, cwd=CORPUS, **how):
    return subprocess.run([safenpy, "check", *map(str, words)], cwd=cwd, capture_output=True, check=False, **how)


def without_time(text):
    return b"\n".join(line.split(b" bytes in ")[0] for line in text.split(b"\n"))


@pytest.fixture(scope="module")
def names():
    """The files of the corpus, in the order of their names."""
    return [str(path.relative_to(CORPUS)) for suffix in ("npy", "npz") for path in sorted(CORPUS.rglob(f"*.{suffix}"))]


@pytest.mark.parametrize("form", [[], ["--json"], ["--junit"], ["-q"], ["--summary-only"]])
def test_the_number_of_processes_changes_no_byte(safenpy, form):
    first, second = (run(safenpy, "-r", "-j", jobs, *form, "accept", "reject", "archives") for jobs in (1, 5))
    assert first.returncode == second.returncode == 1
    assert len(first.stdout) > 200 and first.stderr == second.stderr
    if form == ["--json"]:
        first.stdout, second.stdout = (text.stdout.rsplit(b"\n", 2)[0] for text in (first, second))
    assert without_time(first.stdout) == without_time(second.stdout)


def test_a_list_gives_the_verdicts_of_the_command_line(safenpy, names, tmp_path):
    some = names[::7]
    plain = run(safenpy, "--json", *some).stdout
    for end, zero in (("\n", []), ("\0", ["-0"])):
        text = end.join(some).encode() + end.encode()
        (tmp_path / "list").write_bytes(text)
        for words, given in (([tmp_path / "list"], None), (["-"], text)):
            done = run(safenpy, "--json", "--files-from", *words, *zero, "-j", "2", input=given)
            verdicts, summary = done.stdout.rsplit(b"\n", 2)[:2]
            assert verdicts + b"\n" == plain and json.loads(summary)["summary"]["files"] == len(some)


def test_the_summary_counts(safenpy, names):
    lines = [json.loads(line) for line in run(safenpy, "--json", *names, "nowhere").stdout.splitlines()]
    verdicts = [line["verdict"] for line in lines]
    members = [member for line in lines for member in line.get("members", [])]
    rules = {}
    for line in lines + members:
        if line["verdict"] == "reject" and "rule" in line:
            rules[line["rule"]] = rules.get(line["rule"], 0) + 1
    done = run(safenpy, "--summary-only", "--json", "-j", "2", "--files-from", "-", "nowhere", input="\n".join(names).encode())
    summary = json.loads(done.stdout)["summary"]
    assert done.returncode == 2 and b"nowhere" in done.stderr
    assert [summary[key] for key in ("files", "accepted", "refused", "unreadable")] == [
        len(lines), verdicts.count("accept"), verdicts.count("reject"), verdicts.count("error")]
    assert summary["rules"] == rules and len(rules) > 90
    assert summary["bytes"] == sum((CORPUS / name).stat().st_size for name in names)


def test_only_arrays_below_a_directory_are_checked(safenpy, tmp_path):
    good = CORPUS / "accept/numpy/dtype/le-f8.npy"
    for name in ("a.npy", "deep/er/B.NPY", "notes.txt", "deep/npy"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(good, tmp_path / name)
    (tmp_path / "deep/link.npy").symlink_to(tmp_path / "a.npy")
    (tmp_path / "deep/round").symlink_to(tmp_path)
    done = run(safenpy, "-r", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(line.split(b":")[0] for line in done.stdout.splitlines()[:-1]) == [b"./a.npy", b"./deep/er/B.NPY"]
    assert done.stdout.splitlines()[-1].startswith(b"2 files: 2 accepted, 0 refused, 0 unreadable; ")
    without = run(safenpy, "deep", cwd=tmp_path)
    assert without.returncode == 2 and b"-r checks the files below a directory" in without.stderr


def test_directories_in_one_another_are_opened_some_at_a_time(safenpy, tmp_path):
    """300 levels, and 40 branches where the open ones end, with descriptors for 50."""
    good = (CORPUS / "accept/numpy/dtype/le-f8.npy").read_bytes()
    place, expected = tmp_path, 0
    for level in range(300):
        place /= f"d{level}"
        branches = [place] if level != 32 else [place, *(place.with_name(f"branch{i}") for i in range(40))]
        for branch in branches:
            branch.mkdir()
            (branch / "x.npy").write_bytes(good)
            expected += 1
    for start in ("d0", "d0/", "./d0", "."):
        done = subprocess.run(["/bin/sh", "-c", 'ulimit -n 50; exec "$0" check -r --json "$1"', safenpy, start], cwd=tmp_path,
                              capture_output=True, check=False)
        names = [json.loads(line).get("file") for line in done.stdout.splitlines()[:-1]]
        assert done.returncode == 0 and done.stderr == b""
        assert len(names) == len(set(names)) == expected and all((tmp_path / name).is_file() for name in names)


def test_directories_that_cannot_be_read_are_named(safenpy, tmp_path):
    good = CORPUS / "accept/numpy/dtype/le-f8.npy"
    for name in ("open/a.npy", "closed/b.npy", "outer/closed/c.npy"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(good, tmp_path / name)
    closed = [tmp_path / "closed", tmp_path / "outer/closed"]
    user = {"user": 65534} if os.geteuid() == 0 else {}  # root reads everything
    for place in [tmp_path, *tmp_path.parents]:
        if user and place.stat().st_uid == 0 and place not in (Path("/"), Path("/tmp")):
            place.chmod(0o755)
    for place in closed:
        place.chmod(0)
    try:
        done = run(safenpy, "-r", "open", "closed", "outer", cwd=tmp_path, **user)
    finally:
        for place in closed:
            place.chmod(0o755)
    assert done.returncode == 2 and b"open/a.npy: accept" in done.stdout
    assert done.stderr == b"safenpy: closed: Permission denied\nsafenpy: outer/closed: Permission denied\n"


def test_names_that_break_lines_need_zero_bytes(safenpy, tmp_path):
    good = CORPUS / "accept/numpy/dtype/le-f8.npy"
    hostile = ["two\nlines.npy", "\x1b[31m.npy", "<&\"'>.npy", "-", "-q"]
    for name in hostile:
        shutil.copy(good, tmp_path / name)
    done = run(safenpy, "--files-from", "-", "-0", "--junit", cwd=tmp_path, input="\0".join(hostile).encode())
    assert done.returncode == 0
    cases = ElementTree.fromstring(done.stdout).findall("testsuite/testcase")
    assert [case.get("name") for case in cases] == ["two\\x0alines.npy", "\\x1b[31m.npy", "<&\"'>.npy", "./-", "-q"]
    assert not [case for case in cases if len(case)]


def test_junit_says_what_text_says(safenpy, names):
    done = run(safenpy, "--junit", "-j", "2", *names, "nowhere")
    cases = ElementTree.fromstring(done.stdout).findall("testsuite/testcase")
    lines = [json.loads(line) for line in run(safenpy, "--json", *names, "nowhere").stdout.splitlines()]
    single = [line for line in lines if "members" not in line]
    members = [member for line in lines for member in line.get("members", [])]
    assert len(cases) == len(single) + len(members)
    refused = [case[0] for case in cases if len(case) and case[0].tag == "failure"]
    expected = [line for line in single + members if line["verdict"] == "reject"]
    assert len(refused) == len(expected) > 1000
    assert sorted(case.get("type") for case in refused) == sorted(line["rule"] for line in expected)
    assert [case.get("name") for case in cases if len(case) and case[0].tag == "error"] == ["nowhere"]
    by_name = {case.get("name"): case[0] for case in cases if len(case)}
    for line in single:
        if line["verdict"] == "reject" and line["file"].isascii() and "looks_like" not in line:
            assert by_name[line["file"]].get("message") == f"{line['message']} at byte {line['offset']}"


def test_members_of_one_archive_are_shared_out(safenpy, tmp_path):
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    shutil.copy(CORPUS / "reject/sizes/array-wraps-f4-three.npy", tmp_path / "bad.npy")
    words = [f"k{i}={'bad' if i % 10 == 3 else 'good'}.npy" for i in range(100)]
    subprocess.run([safenpy, "pack", "--as-is", "many.npz", *words], cwd=tmp_path, check=True)
    for form in ([], ["--json"], ["-q"]):
        one, many = (run(safenpy, *form, "-j", jobs, "many.npz", cwd=tmp_path) for jobs in ("1", "4"))
        assert one.returncode == many.returncode == 1 and one.stdout == many.stdout
    assert run(safenpy, "many.npz", cwd=tmp_path).stdout.endswith(b"many.npz: reject: 10 of 100 members refused\n")


@pytest.mark.parametrize("words, said", [
    (["--junit", "--json", "x"], b"--junit"), (["-0", "x"], b"--files-from"), (["-j", "257", "x"], b"--jobs"),
    (["-j", "x", "x"], b"--jobs"), (["--files-from", "nolist"], b"nolist"), (["-r", "nowhere"], b"nowhere"),
])
def test_wrong_usage(safenpy, tmp_path, words, said):
    done = run(safenpy, *words, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr


def test_an_output_that_breaks_off_ends_the_workers(safenpy):
    with subprocess.Popen([safenpy, "check", "-r", "-j", "3", "--json", "."], cwd=CORPUS, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdout.read(100)
        process.stdout.close()
        assert process.wait(timeout=30) != 0


def on_terminal(words, cwd, feed, stdout=subprocess.DEVNULL):
    """Runs a scan with standard error on a terminal of 60 columns; what that got, and the exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    with subprocess.Popen(words, cwd=cwd, stdin=subprocess.PIPE, stdout=theirs if stdout is None else stdout, stderr=theirs) as process:
        os.close(theirs)
        feed(process)
        if not process.stdin.closed:
            process.stdin.close()
        got = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            got += part
        os.close(ours)
        process.wait(60)
    return got, process.returncode


def lines_of(screen):
    """The lines that a terminal shows in the end."""
    lines = []
    for line in screen.decode().split("\n"):
        cells, column = [], 0
        for letter in line:
            if letter == "\r":
                column = 0
            else:
                cells[column:column + 1] = [letter]
                column += 1
        lines.append("".join(cells).rstrip())
    return lines


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bar_counts_files(safenpy, tmp_path, jobs):
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    (tmp_path / "bad.npy").write_bytes(b"nothing")
    (tmp_path / "long").mkdir()
    padding = "long/../" * 200  # so that few names fill a piece of work

    def feed(process):
        for i in range(28):
            for name in ("good", "bad", "absent") if i == 20 else ("good", "bad"):
                process.stdin.write(f"{padding}{name}.npy\n".encode())
            process.stdin.flush()
            time.sleep(0.1 if i else 1)
    words = [safenpy, "check", "--summary-only", "-j", jobs, "--files-from", "-"]
    screen, code = on_terminal(words, tmp_path, feed)
    drawn = [re.fullmatch(r"(\d+) files, (\d+) refused  \d+ files/s", part) for part in re.split(r"[\r\n]", screen.decode())]
    shown = [tuple(map(int, found.groups())) for found in drawn if found]
    assert code == 2 and 3 <= len(shown) <= 15, screen
    assert shown == sorted(shown) and 20 < shown[-1][0] <= 57 and abs(shown[-1][0] - 2 * shown[-1][1]) <= 2
    assert [line for line in lines_of(screen) if line][0].startswith("safenpy: long/../")  # of the file that is absent
    assert lines_of(screen)[-1] == ""


def test_no_bar_for_a_short_scan_and_none_in_a_pipe(safenpy, tmp_path):
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    assert on_terminal([safenpy, "check", "-r", "."], tmp_path, lambda process: None) == (b"", 0)

    def feed(process):
        process.stdin.write(b"good.npy\n")
        process.stdin.flush()
        time.sleep(2.5)
        process.stdin.write(b"good.npy\n" * 9)
    with subprocess.Popen([safenpy, "check", "-q", "--files-from", "-"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        feed(process)
        assert process.communicate(timeout=60)[0] == b"" and process.returncode == 0
    # Lines on the terminal stay whole: the bar is gone before each.
    screen, code = on_terminal([safenpy, "check", "--files-from", "-"], tmp_path, feed, stdout=None)
    assert code == 0 and b" files/s" in screen
    lines = [line for line in lines_of(screen) if line]
    assert lines[:-1] == ["good.npy: accept, npy 1.0"] * 10 and lines[-1].startswith("10 files: 10 accepted, ")


def test_ctrl_c_takes_the_bar_away(safenpy, tmp_path):
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")

    def feed(process):
        for _ in range(28):
            process.stdin.write(b"good.npy\n" * 200)
            process.stdin.flush()
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    for jobs in ("1", "2"):
        screen, code = on_terminal([safenpy, "check", "-q", "-j", jobs, "--files-from", "-"], tmp_path, feed)
        assert code == -signal.SIGINT and b" files/s" in screen and lines_of(screen) == [""]


def children(process):
    return [int(word) for word in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def has_ended(process):
    """Whether a process is gone, or only its parent has not asked for its status."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # it may go while it is read
        return True


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("children_are", [signal.SIG_DFL, signal.SIG_IGN], ids=["waited for", "ignored"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_lost_worker_is_trouble(safenpy, tmp_path, which, children_are):
    """It has nothing to do when it is killed, and gets work afterwards, which nobody checks."""
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    names = ("long/../" * 200 + "good.npy\n").encode()  # a piece of work each
    (tmp_path / "long").mkdir()
    before = signal.signal(signal.SIGCHLD, children_are)
    try:
        process = subprocess.Popen([safenpy, "check", "-j", "2", "--files-from", "-"], cwd=tmp_path, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGCHLD, before)
    with process:
        until(lambda: len(children(process)) == 2)
        victim = children(process)[which]
        os.kill(victim, signal.SIGKILL)
        until(lambda: has_ended(victim))
        out, err = process.communicate(names * 5, timeout=60)
    assert process.returncode == 2, (process.returncode, out, err)
    assert b"worker process" in err and b"some files or members were not checked" in err


def test_a_worker_without_memory_is_trouble(safenpy, tmp_path):
    """A name of 4 MiB is a piece of work that the worker has no memory for; the files after it are not checked by it."""
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    names = b"good.npy\n" + b"x" * (4 << 20) + b"\n" + b"good.npy\n"
    with subprocess.Popen([safenpy, "check", "-j", "1", "--files-from", "-", "good.npy"], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as alone:
        out, err = alone.communicate(names, timeout=60)
    assert alone.returncode == 2 and b"File name too long" in err, (out, err)
    with subprocess.Popen([safenpy, "check", "-j", "2", "--files-from", "-"], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: len(children(process)) == 2)
        for worker in children(process):
            resource.prlimit(worker, resource.RLIMIT_AS, (1 << 20, 1 << 20))
        out, err = process.communicate(names, timeout=60)
    assert process.returncode == 2, (process.returncode, out, err)
    assert err.endswith(b"a worker process ended early: some files or members were not checked\n"), err
    assert b"File name too long" not in err, err


@pytest.mark.parametrize("descriptors, code", [(5, 2), (7, 0)], ids=["none", "one of two"])
def test_workers_that_cannot_be_started(safenpy, tmp_path, descriptors, code):
    """Pipes need descriptors. One worker does the work of two; without any there is a message."""
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    done = subprocess.run([safenpy, "check", "-j", "2", "-r", "."], cwd=tmp_path, capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)))
    assert done.returncode == code, done
    if code:
        assert done.stderr == "safenpy: cannot start a worker process: Too many open files\n"
    else:
        assert "1 file: 1 accepted" in done.stdout and done.stderr == ""


def test_an_archive_whose_workers_cannot_be_started_is_not_accepted(safenpy, tmp_path):
    with zipfile.ZipFile(tmp_path / "two.npz", "w") as archive:
        for name in ("a.npy", "b.npy"):
            archive.write(CORPUS / "accept/numpy/dtype/le-f8.npy", name)
    few = {"cwd": tmp_path, "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))}
    text, as_json = (run(safenpy, "-j", "2", *words, "two.npz", **few) for words in ([], ["--json"]))
    assert (text.returncode, text.stdout) == (2, b"")
    assert text.stderr == (b"safenpy: cannot start a worker process: Too many open files\n"
                           b"safenpy: two.npz: not all members could be checked\n")
    assert as_json.returncode == 2 and json.loads(as_json.stdout)["verdict"] == "error"


def numpy_file(header_length):
    """An array of ten numbers, version 2.0."""
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }".ljust(header_length - 13) + b"\n"
    return b"\x93NUMPY\2\0" + struct.pack("<I", len(text)) + text + bytes(80)


@pytest.fixture(scope="module")
def hungry(tmp_path_factory):
    """Small files, and a header of 1 MiB in a file and in an archive of many members."""
    folder = tmp_path_factory.mktemp("hungry")
    for number in range(4):
        (folder / f"good{number}.npy").write_bytes(numpy_file(128))
    (folder / "wide.npy").write_bytes(numpy_file(1 << 20))
    with zipfile.ZipFile(folder / "many.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            archive.writestr(f"a{number}.npy", numpy_file(128))
        archive.writestr("wide.npy", numpy_file(1 << 20))
    return folder


@pytest.mark.skipif("SNPY_SANITIZED" in os.environ, reason="AddressSanitizer needs terabytes of addresses")
@pytest.mark.parametrize("words", [["-r", "-j", "1", "."], ["-r", "-j", "2", "."], ["-j", "2", "many.npz"]], ids=" ".join)
def test_too_little_memory_is_trouble_and_no_verdict(safenpy, hungry, words):
    """The files are good: with any limit they are accepted and counted, or the exit status is 2 and a message says why."""
    codes, lost = set(), set()
    for limit in range(2000 << 10, 10000 << 10, 100 << 10):
        small = {"cwd": hungry, "preexec_fn": lambda size=limit: resource.setrlimit(resource.RLIMIT_AS, (size, size))}
        if subprocess.run([safenpy, "--version"], capture_output=True, check=False, **small).returncode != 0:
            continue  # not enough to start
        done = run(safenpy, "--json", "--max-header", "16777216", *words, **small)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        verdicts = {one["file"].removeprefix("./"): one for one in found if "file" in one}
        errors = {name for name, one in verdicts.items() if one["verdict"] == "error"}
        codes.add(done.returncode)
        lost |= errors
        assert done.returncode == 0 or (done.returncode == 2 and (errors or done.stderr)), (limit, done)
        assert {one["verdict"] for one in verdicts.values()} <= {"accept", "error"}, (limit, done)
        if done.returncode == 0:
            assert [one["verdict"] for one in verdicts.values()] == ["accept"] * (6 if "-r" in words else 1)
        archive = verdicts.get("many.npz", {"verdict": "error"})
        if archive["verdict"] == "accept":
            assert [one["verdict"] for one in archive["members"]] == ["accept"] * 301
    assert codes == {0, 2} and "many.npz" in lost


@pytest.mark.skipif("SNPY_SANITIZED" in os.environ, reason="AddressSanitizer needs terabytes of addresses")
@pytest.mark.parametrize("which", [0, 1])
def test_a_worker_without_memory_for_its_work_is_trouble(safenpy, tmp_path, which):
    """It can allocate nothing more, neither for a long name nor for a file."""
    shutil.copy(CORPUS / "accept/numpy/dtype/le-f8.npy", tmp_path / "good.npy")
    (tmp_path / "long").mkdir()
    with subprocess.Popen([safenpy, "check", "-j", "2", "--files-from", "-"], cwd=tmp_path, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: len(children(process)) == 2)
        resource.prlimit(children(process)[which], resource.RLIMIT_AS, (1, 1))
        out, err = process.communicate(b"long/../" * 100_000 + b"good.npy\n" + b"good.npy\n" * 1000, timeout=60)
    assert process.returncode == 2, (out, err)
    assert b"a worker process ended early: some files or members were not checked" in err
