"""Another project uses the libraries by way of CMake and Meson. FetchContent and shared libraries in the long run."""

import os
import re
import shutil
import subprocess
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


@pytest.mark.parametrize("kind", ["static", pytest.param("shared", marks=full)])
def test_cmake_finds_the_installed_package(tmp_path, kind):
    need("cmake", "ninja")
    cmake(ROOT, tmp_path / "library", f"-DCMAKE_INSTALL_PREFIX={tmp_path}/prefix", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON",
          "-DCMAKE_C_FLAGS=-Wall -Wextra", f"-DBUILD_SHARED_LIBS={'ON' if kind == 'shared' else 'OFF'}")
    run("cmake", "--install", tmp_path / "library")
    cmake(HERE / "consumer", tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={tmp_path}/prefix")
    works(tmp_path / "consumer", tmp_path)
    assert bool(list(tmp_path.glob("prefix/lib*/**/libsafenpy.so.0"))) == (kind == "shared")


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


@pytest.mark.parametrize("kind", ["static", pytest.param("shared", marks=full)])
def test_meson_builds_the_subproject(tmp_path, kind):
    """As a wrap does: it unpacks the sources below subprojects/, and says which dependencies they provide."""
    need("meson", "ninja")
    consumer = tmp_path / "consumer"
    shutil.copytree(HERE / "consumer", consumer)
    (consumer / "subprojects").mkdir()
    sources = consumer / "subprojects" / "safenpy"
    for name in ("include", "spec/logic", "src", "meson.build", "meson_options.txt"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, sources / name)
    (consumer / "subprojects" / "safenpy.wrap").write_text(
        "[wrap-file]\ndirectory = safenpy\n\n[provide]\ndependency_names = safenpy, safenpy-core\n", encoding="ascii")
    run("meson", "setup", "--werror", f"-Ddefault_library={kind}", tmp_path / "build", consumer)
    run("ninja", "-C", tmp_path / "build")
    works(tmp_path / "build", tmp_path)


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
