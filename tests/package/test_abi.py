"""The binary interface of the shared library against the last release, by abidiff. Part of the long run.

A program that was linked to the last release still works with this one, unless the version says otherwise: another major
version, or, as long as the SONAME is 0 and promises nothing, another minor one.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
              pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the last release is in git")]
CHANGED = 4     # a bit of abidiff's exit status; of the others 1 and 2 are errors, and 8 never comes alone
# What is planted into a header or a source: the file, and what stands there instead.
PLANTED = {
    "a member of a struct": ("include/safenpy/status.h", r"(typedef struct snpy_error \{)", r"\1 int planted;"),
    "the type of a member": ("include/safenpy/status.h", r"uint64_t offset;\n\} snpy_error;", "uint32_t offset; } snpy_error;"),
    "a function that is gone": ("src/safenpy.map", r"snpy_\*;", "snpy_[a-rt-z]*;"),
}


def git(*words, cwd=ROOT):
    return subprocess.run(["git", *words], cwd=cwd, text=True, capture_output=True, check=False)


def last_release(root):
    """The tag of the release before the last commit, or None."""
    found = git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^", cwd=root)
    return found.stdout.strip() if found.returncode == 0 else None


def copy(place, tag="HEAD"):
    """The tree of a tag."""
    place.mkdir()
    archive = subprocess.run(["git", "archive", tag], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", place], input=archive.stdout, check=True)
    return place


def library(tree):
    """The shared library of a tree, with what abidiff reads of types."""
    made = subprocess.run(["make", "-s", "-j2", "BUILD=build", "CFLAGS=-O0 -g", "build/libsafenpy.so"], cwd=tree, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert made.returncode == 0, made.stdout[-3000:]
    return tree / "build" / "libsafenpy.so"


def differences(old, new):
    """What abidiff reports, without functions that are new; nothing if a program linked to the old one runs with the new one."""
    done = subprocess.run(["abidiff", "--no-added-syms", "--headers-dir1", old / "include", "--headers-dir2", new / "include",
                           library(old), library(new)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode & 3 == 0, done.stdout
    return done.stdout if done.returncode & CHANGED else ""


def version(tree):
    return tuple(map(int, re.search(r'SNPY_VERSION_STRING "(\d+)\.(\d+)', (tree / "include/safenpy/export.h").read_text(
        encoding="ascii")).groups()))


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    return copy(tmp_path_factory.mktemp("now") / "tree")


def test_programs_linked_to_the_last_release_still_work(now, tmp_path):
    tag = last_release(ROOT)
    if tag is None:
        pytest.skip("there is no tag v* before this commit, and so no release to compare with")
    then = copy(tmp_path / "then", tag)
    (major, minor), (old_major, old_minor) = version(now), version(then)
    found = differences(then, now)
    assert not found or major != old_major or (major == 0 and minor != old_minor), f"since {tag}:\n{found}"


def test_two_builds_of_one_tree_are_the_same(now, tmp_path):
    assert differences(now, copy(tmp_path / "again")) == ""


@pytest.mark.parametrize("what", PLANTED)
def test_a_change_is_found(what, now, tmp_path):
    name, old, new = PLANTED[what]
    tree = copy(tmp_path / "tree")
    path = tree / name
    text, count = re.subn(old, new, path.read_text(encoding="utf-8"))
    assert count == 1, f"{name} has {count} of {old}"
    path.write_text(text, encoding="utf-8")
    assert differences(now, tree)


def test_the_last_release_is_the_last_tag(tmp_path):
    """Of a small repository: none before the first tag, and the one before a commit that is a release itself."""
    def commit(tag=None):
        git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "One", cwd=tmp_path)
        if tag:
            git("tag", tag, cwd=tmp_path)
        return last_release(tmp_path)

    git("init", "-q", cwd=tmp_path)
    assert [commit(), commit("v1.0.0"), commit(), commit("notes"), commit("v1.1.0"), commit()] == [
        None, None, "v1.0.0", "v1.0.0", "v1.0.0", "v1.1.0"]
