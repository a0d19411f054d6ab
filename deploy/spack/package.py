# SPDX-License-Identifier: BSD-3-Clause
"""Cairn's recipe for Spack, for a repository of one's own:

    spack repo create FOLDER cairn-repo && mkdir -p FOLDER/packages/cairn
    cp deploy/spack/package.py FOLDER/packages/cairn/ && spack repo add FOLDER
    spack dev-build -d CHECKOUT cairn@main

Not tried with Spack: where it was written there is none. That each option of CMake's is one
that this project has is looked at by tests/install/recipes.sh.
"""

from spack.package import *


class Cairn(CMakePackage):
    """Sparse tensors in any storage format, and their products, on one process or on many
    under MPI."""

    license("BSD-3-Clause")

    # No release yet: a checkout is built (dev-build).
    version("main")

    variant("mpi", default=True, description="Tensors and products on several ranks")
    variant("opencl", default=True, description="Devices of OpenCL platforms")
    variant("scotch", default=False, when="+mpi", description="Rows by a partition of the graph")
    variant("petsc", default=False, when="+mpi", description="The plug-in for PETSc")
    variant("python", default=False, description="The module for Python")
    variant("command", default=True, description="The command cairn")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    generator("ninja")

    depends_on("hwloc@2.4:")
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("libpng", when="+command")
    depends_on("mpi@3:", when="+mpi")
    depends_on("opencl-headers", type="build", when="+opencl")
    # Opened while a program runs: headers alone are compiled against.
    depends_on("scotch@7:+mpi", when="+scotch")
    depends_on("petsc+mpi~complex", when="+petsc")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.22:", type="run", when="+python")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("CAIRN_PYTHON", False),
            self.define_from_variant("CAIRN_COMMAND", "command"),
            self.define_from_variant("CAIRN_WITH_MPI", "mpi"),
            self.define_from_variant("CAIRN_WITH_OPENCL", "opencl"),
            self.define_from_variant("CAIRN_WITH_PTSCOTCH", "scotch"),
            self.define_from_variant("CAIRN_WITH_PETSC", "petsc"),
        ]

    @run_after("install")
    def install_module(self):
        """The module is Python alone, over the library that is installed."""
        if self.spec.satisfies("+python"):
            install_tree("python/cairn", join_path(python_platlib, "cairn"))

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)

    def test_product(self):
        """a product is right"""
        cairn = which(self.prefix.bin.cairn)
        cairn("generate", "stencil5", "--nx", "100", "--ny", "100", "-o", "grid.mtx")
        cairn("run", "spmv", "grid.mtx", "--format", "bdia<64>", "--verify")
