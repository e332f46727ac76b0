"""The README's first lines, the fast check, and the Debian package, on a fresh Debian 12: a new root made by debootstrap, as root,
with Debian's own Python, with /dev/pts and without /dev/shm.

Takes packages from the mirror that this machine's apt knows. Part of the long run: SNPY_FULL=1.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 15  # for the README's first line
pytestmark = [
    pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a new root"),
    pytest.mark.skipif(not shutil.which("debootstrap"), reason="there is no debootstrap"),
]


def mirror():
    """Where this machine's apt takes Debian 12 from."""
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(CODENAME) $(SITE) $(COMPONENT)", "Created-By: Packages"],
                          text=True, capture_output=True, check=True)
    sites = [words[2] for words in map(str.split, done.stdout.splitlines()) if words[1:2] == ["bookworm"] and words[-1] == "main"]
    if not sites:
        pytest.skip("this machine's apt knows no mirror of Debian 12")
    return sites[0]


def apt_settings():
    """What this machine's apt is told of proxies and certificates."""
    done = subprocess.run(["apt-config", "dump"], text=True, capture_output=True, check=True)
    return "".join(line + "\n" for line in done.stdout.splitlines() if line.startswith("Acquire::http"))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A new root with a copy of the sources, as a clone has them; its commands run by `inside`."""
    place = tmp_path_factory.mktemp("fresh") / "root"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", place, mirror()], check=True, stdout=subprocess.DEVNULL)
    (place / "etc/apt/apt.conf.d/99machine").write_text(apt_settings(), encoding="utf-8")
    for name in ("etc/resolv.conf", "etc/hosts"):
        shutil.copy(f"/{name}", place / name)
    shutil.copytree(ROOT, place / "safenpy", symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
    mounts = [(place / "proc", ["-t", "proc", "proc"]), (place / "dev/pts", ["-t", "devpts", "-o", "newinstance,ptmxmode=0666", "devpts"])]
    for target, words in mounts:
        subprocess.run(["mount", *words, target], check=True)
    (place / "dev/ptmx").unlink(missing_ok=True)
    (place / "dev/ptmx").symlink_to("pts/ptmx")
    shutil.rmtree(place / "dev/shm", ignore_errors=True)
    yield place
    for target, _ in reversed(mounts):
        subprocess.run(["umount", "-l", target], check=False)


def inside(root, line, **more):
    """Runs a line of shell in the new root; returns its exit status and what it printed."""
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **more}
    done = subprocess.run(["chroot", root, "/bin/sh", "-c", f"cd /safenpy && {line}"], env=variables, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def line_of_readme(number):
    """The commands of the README's installation, without the comments, and without sudo, for we are root."""
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("## Install")[1].split("```sh\n")[1].split("```")[0]
    return re.sub(r"\s+#.*", "", block.splitlines()[number]).replace("sudo ", "")


def test_first_line_of_the_readme(root):
    inside(root, "apt-get update -q")
    install, _, build = line_of_readme(0).partition(" && ")
    status, text = inside(root, install)
    assert status == 0, text[-3000:]
    before = os.times()
    status, text = inside(root, build)
    after = os.times()
    taken = after.children_user + after.children_system - before.children_user - before.children_system
    assert status == 0 and len(re.findall(r"\b(?:accept|reject)", text)) > 1, text[-3000:]
    assert taken < SECONDS, f"it took {taken:.0f} s of a processor"


def test_fast_check(root):
    status, text = inside(root, "make check FAST=1")
    print(text)
    assert status == 0 and re.search(r"^[1-9]\d* passed, 0 failed$", text.splitlines()[-1]), text[-20000:]
    assert not list((root / "root").glob(".why3*")), "the check writes into the home of whoever runs it"


def test_installation(root):
    status, text = inside(root, f"{line_of_readme(1)} && safenpy --version")
    assert status == 0 and "safenpy " in text, text[-3000:]


def test_check(root):
    status, text = inside(root, "make check")
    assert status == 0 and re.search(r"^[1-9]\d* passed, 0 failed$", text.splitlines()[-1]), text[-20000:]


def test_debian_package(root):
    """Built from the tarball with what debian/control asks for; no error of lintian; its own tests pass on what it installs."""
    subprocess.run(["make", "-C", ROOT, f"BUILD={root / 'deb'}", "dist"], check=True, stdout=subprocess.DEVNULL)
    (tarball,) = (root / "deb").glob("safenpy-*.tar.gz")
    version = tarball.name.removeprefix("safenpy-").removesuffix(".tar.gz")
    tarball = tarball.rename(tarball.with_name(f"safenpy_{version}.orig.tar.gz"))
    shutil.unpack_archive(tarball, root / "deb")
    shutil.copytree(ROOT / "debian", root / "deb" / f"safenpy-{version}" / "debian")
    for step in ("apt-get update -q", "apt-get install -qy --no-install-recommends build-essential lintian autopkgtest",
                 "apt-get build-dep -qy --no-install-recommends .", "dpkg-buildpackage -us -uc",
                 "lintian --fail-on error --allow-root ../*.changes", "autopkgtest ../*.deb ../*.dsc -- null"):
        status, text = inside(root, f"cd /deb/safenpy-{version} && {step}", DEBIAN_FRONTEND="noninteractive")
        assert status == 0, f"{step}\n{text[-5000:]}"
    passed = set(re.findall(r"^(command|library) +PASS$", text, re.MULTILINE))
    assert passed == {"command", "library"}, text[-3000:]
