"""The libraries for users of Conan 2: `conan create .`. Archives take zlib and libdeflate of the system.

The components are safenpy::safenpy, all of it, and safenpy::core, src/core alone, as CMakeLists.txt has them.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.4"


class Safenpy(ConanFile):
    name = "safenpy"
    description = "Reads and writes the NPY and NPZ formats of NumPy"
    license = "MIT"
    languages = "C"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "archives": [True, False]}
    default_options = {"shared": False, "fPIC": True, "archives": True}
    implements = ["auto_shared_fpic"]
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "spec/logic/*", "src/*"

    def set_version(self):
        text = Path(self.recipe_folder, "include", "safenpy", "export.h").read_text(encoding="utf-8")
        self.version = re.search(r'SNPY_VERSION_STRING "(.*)"', text)[1]

    def system_requirements(self):
        if self.options.archives:
            Apt(self).check(["zlib1g-dev", "libdeflate-dev"])

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SAFENPY_ARCHIVES"] = bool(self.options.archives)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        rmdir(self, Path(self.package_folder, "lib", "cmake"))  # Conan writes what CMake finds

    def package_info(self):
        whole, core = self.cpp_info.components["safenpy"], self.cpp_info.components["core"]
        whole.libs, core.libs = ["safenpy"], ["safenpy_core"]
        whole.system_libs = ["deflate", "z", "pthread"] if self.options.archives else []
        whole.set_property("cmake_target_name", "safenpy::safenpy")
        core.set_property("cmake_target_name", "safenpy::core")
