"""What is shipped is the same bytes wherever and whenever it is built: Debian's reprotest builds it twice. Part of the long run.

The second build has another path, time, time zone, umask, locale, home and number of processors.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import release  # noqa: E402

pytestmark = [pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
              pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a release is made of a commit")]
# What needs root, or file systems and kernels that a container has not.
VARY = "-user_group,-domain_host,-fileordering,-kernel,-aslr,-exec_path"
PLANTED = {"a time stamp": "__import__('time').time_ns()", "the path of the build": "__file__"}


def clone(place):
    """The last commit, in a repository of its own: of a worktree, reprotest would copy a link."""
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", place], check=True)
    return place


def built_twice(tree, kinds):
    """reprotest's exit status and output."""
    done = subprocess.run(["reprotest", "--no-diffoscope", f"--vary={VARY}", "-c", f"{sys.executable} tools/release.py out --only {kinds}",
                           tree, "out"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=os.environ | {"SNPY_RELEASE_VENV": str(release.venv().parent.parent)})
    return done.returncode, done.stdout


@pytest.mark.parametrize("kinds", ["source,installed,amalgamation,python,javascript,suite", "debian"])
def test_same_bytes_elsewhere_and_later(kinds, tmp_path):
    status, text = built_twice(clone(tmp_path / "tree"), kinds)
    assert status == 0, text[-5000:]
    assert len(re.findall(r"^[0-9a-f]{64} +\./out/", text, re.MULTILINE)) >= 3, text[-5000:]


@pytest.mark.parametrize("what", PLANTED)
def test_what_depends_on_the_build_is_found(what, tmp_path):
    tree = clone(tmp_path / "tree")
    script = tree / "tools" / "amalgamate.py"
    text = script.read_text(encoding="utf-8")
    made = "    place.mkdir(parents=True, exist_ok=True)\n"
    planted = text.replace(made, f"{made}    (place / 'planted.txt').write_text(str({PLANTED[what]}), encoding='ascii')\n")
    assert planted != text
    script.write_text(planted, encoding="utf-8")
    subprocess.run(["git", "-C", tree, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "Plant"], check=True)
    status, output = built_twice(tree, "amalgamation")
    assert status == 1 and "planted.txt" in output, output[-3000:]
