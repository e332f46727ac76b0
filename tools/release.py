#!/usr/bin/env python3
"""Makes the files of a release from the last commit, and what binds evidence to them.

    tools/release.py DIR                      all of it: `make release` does this
    tools/release.py DIR --only source,suite  some of the files, without evidence

Everything is built from the unpacked tarball, with the time of the commit for a clock, and by two builders anywhere it
is the same bytes: tests/package/test_reproducible.py. DIR/attestation.json is an in-toto Statement: its subjects are
all files, its predicate names source, tools, proofs, suite and coverage. tools/verify-release checks all of it.
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import release_evidence  # noqa: E402

REQUIREMENTS = ROOT / "tools" / "release-requirements.txt"
KINDS = ("source", "installed", "amalgamation", "python", "javascript", "suite", "debian")


def run(*words, **options):
    """Runs a command; shows what it printed only if it fails."""
    done = subprocess.run([str(word) for word in words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout[-5000:]}\nexit status {done.returncode}")
    return done.stdout


def venv(place=ROOT / "build" / "release-venv"):
    """A Python that has the packages of the requirements; made anew when these are others. Fetches once."""
    place = Path(os.environ.get("SNPY_RELEASE_VENV", place))
    stamp, wanted = place / "requirements.txt", REQUIREMENTS.read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(place, ignore_errors=True)
        run("/usr/bin/python3", "-m", "venv", place)
        run(place / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", REQUIREMENTS)
        stamp.write_text(wanted, encoding="utf-8")
    return place / "bin" / "python"


def packed(folder, target, moment):
    """Packs a folder, the same bytes each time: sorted, nobody's, of one time."""
    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = moment
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, moment) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            archive.add(path, path.relative_to(folder).as_posix(), recursive=False, filter=plain)


class Release:
    """The files of a release, in a folder."""

    def __init__(self, out, work):
        self.out, self.work = out, work
        self.moment = int(run("git", "log", "-1", "--format=%ct", cwd=ROOT))
        self.commit = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
        self.version = re.search(r'SNPY_VERSION_STRING "(.+)"', (ROOT / "include/safenpy/export.h").read_text(encoding="ascii"))[1]
        self.name = f"safenpy-{self.version}"
        # No flags of whoever builds; and none of our own, but those that the packages choose.
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(work), "CC": "gcc", "TZ": "UTC",
                            "SOURCE_DATE_EPOCH": str(self.moment)}
        if "LD_PRELOAD" in os.environ:     # a clock that is set
            self.environment |= {name: value for name, value in os.environ.items() if name.startswith(("LD_", "FAKETIME"))}

    def do(self, *words, **options):
        return run(*words, env=self.environment, **options)

    def unpacked(self, name):
        """The tarball's contents, in a folder of their own."""
        place = self.work / name
        place.mkdir(parents=True)
        self.do("tar", "-xzf", self.tarball(), "-C", place)
        return place / self.name

    def tarball(self):
        made = self.work / f"{self.name}.tar.gz"
        if not made.exists():
            self.do("make", "--no-print-directory", f"BUILD={self.work}", "dist", cwd=ROOT)
        return made

    def source(self):
        shutil.copyfile(self.tarball(), self.out / f"{self.name}.tar.gz")

    def installed(self):
        """`make install`, packed; the tree that it was built in stays for what is measured."""
        tree, root = self.unpacked("installed"), self.work / "root"
        self.do("make", "-s", "-j2", "BUILD=build", "install", "PREFIX=/usr", f"DESTDIR={root}", cwd=tree)
        place = self.out / "linux"
        place.mkdir()
        packed(root, place / f"{self.name}-linux-{os.uname().machine}.tar.gz", self.moment)

    def amalgamation(self):
        self.do(sys.executable, "tools/amalgamate.py", self.out / "amalgamation", cwd=self.unpacked("amalgamation"))

    def python(self):
        """The sdist has the name of the tarball: it is in a folder of its own."""
        tree, builder = self.unpacked("python"), venv()
        self.environment["PATH"] = f"{builder.parent}:{self.environment['PATH']}"
        for kind in ("--sdist", "--wheel"):
            self.do(builder, "-m", "build", "--no-isolation", kind, "--outdir", self.out / "python", tree / "bindings" / "python")

    def javascript(self):
        """The package for npm; packing it compiles the core to WebAssembly."""
        place = self.out / "javascript"
        place.mkdir()
        self.do("env", "CC=clang", "npm", "pack", "--silent", "--pack-destination", place, cwd=self.unpacked("javascript") / "bindings" / "js")

    def suite(self):
        self.do(venv(), "-m", "build", "--no-isolation", "--outdir", self.out / "suite", self.unpacked("suite") / "corpus")

    def debian(self):
        """Packages and their description; the original tarball is that of the release."""
        tree, place = self.unpacked("debian"), self.out / "debian"
        place.mkdir()
        shutil.copyfile(self.tarball(), tree.parent / f"safenpy_{self.version}.orig.tar.gz")
        # debian/ is in git and not in the tarball: Debian keeps the two apart.
        for line in run("git", "ls-tree", "-r", "HEAD", "debian", cwd=ROOT).splitlines():
            mode, _, blob, name = line.split(None, 3)
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(subprocess.run(["git", "cat-file", "blob", blob], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
            target.chmod(int(mode[-3:], 8))
        self.do("dpkg-buildpackage", "-us", "-uc", cwd=tree)
        for path in sorted(tree.parent.glob("*.deb")) + sorted(tree.parent.glob("*.dsc")) + sorted(tree.parent.glob("*.debian.tar.*")):
            if "-dbgsym_" not in path.name:
                shutil.copyfile(path, place / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dir", type=Path, help="a new folder")
    parser.add_argument("--only", default="", help=f"some of {','.join(KINDS)}, without evidence")
    args = parser.parse_args()
    kinds = args.only.split(",") if args.only else KINDS
    if unknown := set(kinds) - set(KINDS):
        raise SystemExit(f"there is no {', '.join(sorted(unknown))}")
    python = venv()
    if Path(sys.prefix) != python.parent.parent:     # the libraries of the formats are there
        os.execv(python, [str(python), *sys.argv])
    out = args.dir.resolve()
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="safenpy-release-") as work:
        release = Release(out, Path(work))
        for kind in kinds:
            getattr(release, kind)()
            print(f"made: {kind}", flush=True)
        if not args.only:
            release_evidence.write(release)
    print(f"{sum(path.is_file() for path in out.rglob('*'))} files in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
