"""Another project uses the libraries by way of CMake, Meson and Conan. FetchContent, shared libraries and Conan in the long run."""

import hashlib
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EMPTY = b"PK\5\6" + bytes(18)
full = pytest.mark.skipif(os.environ.get("SNPY_FULL") != "1", reason="with SNPY_FULL=1 only")


def run(*call, **more):
    done = subprocess.run(list(map(str, call)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


def need(*commands):
    for command in commands:
        if shutil.which(command) is None:
            pytest.skip(f"no {command}")


def works(build, place):
    """Both programs of the consumer run."""
    (place / "empty.npz").write_bytes(EMPTY)
    run(build / "core")
    assert run(build / "whole", place / "empty.npz") == "0\n"


def cmake(source, build, *options):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options)
    run("cmake", "--build", build)


def install(place, kind):
    need("cmake", "ninja")
    cmake(ROOT, place / "library", f"-DCMAKE_INSTALL_PREFIX={place}/prefix", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON",
          "-DCMAKE_C_FLAGS=-Wall -Wextra", f"-DBUILD_SHARED_LIBS={'ON' if kind == 'shared' else 'OFF'}")
    run("cmake", "--install", place / "library")
    return place / "prefix"


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    return install(tmp_path_factory.mktemp("static"), "static")


@pytest.mark.parametrize("kind", ["static", pytest.param("shared", marks=full)])
def test_cmake_finds_the_installed_package(request, tmp_path, kind):
    prefix = request.getfixturevalue("static") if kind == "static" else install(tmp_path, kind)
    cmake(HERE / "consumer", tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={prefix}")
    works(tmp_path / "consumer", tmp_path)
    assert bool(list(prefix.glob("lib*/**/libsafenpy.so.0"))) == (kind == "shared")


def fails(*call, **more):
    """What a program says that must not succeed; CMake breaks its lines anywhere."""
    done = subprocess.run(list(map(str, call)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    assert done.returncode != 0, done.stdout
    return " ".join(done.stdout.split())


@pytest.fixture
def installed(static, tmp_path):
    """Looks for the static library as a project does, with these words and options."""
    def look_for(call, words, *options):
        (tmp_path / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(consumer LANGUAGES C)\n"
                                                 f"find_package(safenpy {words})\n", encoding="ascii")
        shutil.rmtree(tmp_path / "build", ignore_errors=True)
        return call("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={static}", *options)

    return look_for


# CMake finds no library, but is told of the other one.
NOWHERE = ["-DCMAKE_FIND_ROOT_PATH=/nowhere", "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY"]
HIDDEN = {"zlib": [*NOWHERE, "-DSAFENPY_LIBDEFLATE=deflate"], "libdeflate": [*NOWHERE, "-DZLIB_LIBRARY=z"]}


@pytest.mark.parametrize("words", ["0.1 REQUIRED COMPONENTS core safenpy", "REQUIRED COMPONENTS core OPTIONAL_COMPONENTS nonesuch",
                                   "99", "COMPONENTS nonesuch"])
def test_cmake_takes_what_is_there_or_optional(installed, words):
    installed(run, words)


@pytest.mark.parametrize("words, message", [
    ("99 REQUIRED", 'compatible with requested version "99"'), ("0.0 REQUIRED", 'compatible with requested version "0.0"'),
    ("REQUIRED COMPONENTS core nonesuch", "safenpy has no component nonesuch: this one was built with core, safenpy.")])
def test_cmake_says_what_is_not_there(installed, words, message):
    assert message in installed(fails, words)


def test_cmake_says_that_a_library_for_archives_is_missing(installed, tmp_path):
    """When safenpy is built, and when what is installed is used."""
    for name, options in HIDDEN.items():
        assert "safenpy: archives need zlib and libdeflate, with their headers; -DSAFENPY_ARCHIVES=OFF builds it without archives" in \
            fails("cmake", "-S", ROOT, "-B", tmp_path / name, *options)
        run("cmake", "-S", ROOT, "-B", tmp_path / name, "-DSAFENPY_ARCHIVES=OFF", *options)
    assert "Could NOT find ZLIB" in installed(fails, "REQUIRED", *HIDDEN["zlib"])
    assert "libdeflate, or its header, could not be found" in installed(fails, "REQUIRED", *HIDDEN["libdeflate"])


@full
def test_cmake_fetches_the_sources(tmp_path):
    need("cmake", "ninja")
    cmake(HERE / "consumer", tmp_path / "consumer", f"-DSAFENPY_SOURCE={ROOT}")
    works(tmp_path / "consumer", tmp_path)


def test_the_core_needs_no_other_package(tmp_path):
    need("cmake", "ninja")
    run("cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DSAFENPY_HOST=OFF")
    targets = run("ninja", "-C", tmp_path, "-t", "targets", "all")
    assert "libsafenpy_core.a" in targets and "src/host" not in targets


def subproject(consumer):
    """As a wrap does: it unpacks the sources below subprojects/, and says which dependencies they provide."""
    need("meson", "ninja")
    shutil.copytree(HERE / "consumer", consumer)
    (consumer / "subprojects").mkdir()
    sources = consumer / "subprojects" / "safenpy"
    for name in ("include", "spec/logic", "src", "meson.build", "meson_options.txt"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, sources / name)
    (consumer / "subprojects" / "safenpy.wrap").write_text(
        "[wrap-file]\ndirectory = safenpy\n\n[provide]\ndependency_names = safenpy, safenpy-core\n", encoding="ascii")
    return consumer


@pytest.mark.parametrize("kind", ["static", pytest.param("shared", marks=full)])
def test_meson_builds_the_subproject(tmp_path, kind):
    consumer = subproject(tmp_path / "consumer")
    run("meson", "setup", "--werror", f"-Ddefault_library={kind}", tmp_path / "build", consumer)
    run("ninja", "-C", tmp_path / "build")
    works(tmp_path / "build", tmp_path)


def test_meson_says_what_is_missing(tmp_path):
    """A library for archives, without which the rest is configured; a newer version; a dependency that safenpy is not."""
    consumer = subproject(tmp_path / "consumer")
    alone = os.environ | {"PKG_CONFIG_LIBDIR": str(tmp_path)}
    assert "libdeflate is missing: archives need it; -Dsafenpy:archives=false builds safenpy without archives" in fails(
        "meson", "setup", tmp_path / "without", consumer, env=alone)
    run("meson", "setup", "-Dsafenpy:archives=false", tmp_path / "smaller", consumer, env=alone)
    text = (consumer / "meson.build").read_text(encoding="ascii")
    for place, name, message in (("newer", "'safenpy', version: '>=99'", "'>=99'"),
                                 ("unknown", "'safenpy-nonesuch'", 'Dependency "safenpy-nonesuch" not found')):
        (consumer / "meson.build").write_text(text.replace("'safenpy')", f"{name})"), encoding="ascii")
        assert message in fails("meson", "setup", tmp_path / place, consumer)


@full
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the tarball is made of a commit")
def test_meson_unpacks_the_tarball(tmp_path):
    """The wrap names `make dist`'s file and its hash; Meson takes it from subprojects/packagecache, where downloads are kept."""
    need("meson", "ninja")
    run("make", "-C", ROOT, "--no-print-directory", f"BUILD={tmp_path}/dist", "dist")
    (tarball,) = (tmp_path / "dist").glob("safenpy-*.tar.gz")
    consumer = tmp_path / "consumer"
    shutil.copytree(HERE / "consumer", consumer)
    (consumer / "subprojects/packagecache").mkdir(parents=True)
    shutil.copy(tarball, consumer / "subprojects/packagecache")
    (consumer / "subprojects/safenpy.wrap").write_text(
        f"[wrap-file]\ndirectory = {tarball.name.removesuffix('.tar.gz')}\nsource_url = https://invalid/{tarball.name}\n"
        f"source_filename = {tarball.name}\nsource_hash = {hashlib.sha256(tarball.read_bytes()).hexdigest()}\n\n"
        "[provide]\ndependency_names = safenpy, safenpy-core\n", encoding="ascii")
    run("meson", "setup", "--werror", tmp_path / "build", consumer)
    run("ninja", "-C", tmp_path / "build")
    works(tmp_path / "build", tmp_path)


@pytest.fixture(scope="module")
def conan(tmp_path_factory):
    """Creates a package in a store of its own."""
    need("cmake")
    place = tmp_path_factory.mktemp("conan")
    venv.create(place / "venv", with_pip=True)
    run(place / "venv/bin/python", "-m", "pip", "install", "-q", "conan")
    environment = os.environ | {"CONAN_HOME": str(place / "home")}
    run(place / "venv/bin/conan", "profile", "detect", env=environment)
    return lambda *words: run(place / "venv/bin/conan", "create", ROOT, "--no-remote",
                              "-c", f"tools.cmake.cmake_layout:test_folder={place}/test", *words, env=environment)


@full
@pytest.mark.parametrize("is_shared", [False, True])
def test_conan_creates_a_package_that_the_consumer_uses(conan, is_shared):
    """With the zlib and libdeflate of the system."""
    output = conan("-tf", HERE / "consumer", "-o", f"safenpy/*:shared={is_shared}")
    assert "Running test()" in output and re.search(r"^0$", output, re.MULTILINE)


@full
def test_conan_leaves_archives_out(conan):
    output = conan("-tf", "", "-o", "safenpy/*:archives=False", "-c", "tools.compilation:verbosity=verbose")
    assert "src/host" in output and "src/npz" not in output


@full
def test_the_shared_library_of_each_exports_the_same(tmp_path):
    """Whoever built it: programs that are linked with one library run with another."""
    need("cmake", "meson", "ninja")
    cmake(ROOT, tmp_path / "cmake", "-DBUILD_SHARED_LIBS=ON")
    run("meson", "setup", tmp_path / "meson", ROOT)
    run("ninja", "-C", tmp_path / "meson")
    run("make", "-C", ROOT, "--no-print-directory", f"BUILD={tmp_path}/make", f"{tmp_path}/make/libsafenpy.so")
    names = [re.findall(r" T (snpy_\w+@@?\w+)", run("nm", "-D", "--defined-only", tmp_path / place / "libsafenpy.so"))
             for place in ("cmake", "meson", "make")]
    assert len(names[0]) > 50 and names[0] == names[1] == names[2]
