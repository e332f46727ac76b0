"""Builds both programs of the consumer with the package of Conan, and runs them."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Consumer(ConanFile):
    languages = "C"
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # would be written beside this file
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            programs = Path(self.build_folder, self.cpp.build.bindir)
            archive = programs / "empty.npz"
            archive.write_bytes(b"PK\5\6" + bytes(18))
            self.run(f'"{programs / "core"}"', env="conanrun")
            self.run(f'"{programs / "whole"}" "{archive}"', env="conanrun")
