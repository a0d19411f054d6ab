# SPDX-License-Identifier: BSD-3-Clause
"""The wheel, as pip makes it, in a virtual environment of its own: without the network,
without the source or the build in sight, and without a compiler. TEST_SOURCES in the
environment: of the sources alone, as `pip install .` does it, out of a source package."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE, BUILD = os.environ["TEST_SOURCE"], os.environ["TEST_BUILD"]

# What a wheel may expect of any system (PEP 600).
EXPECTED = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0",
            "libgcc_s.so.1", "libz.so.1", "ld-linux-x86-64.so.2"}

PROGRAM = """
import os, sys, warnings
import numpy as np
import cairn

warnings.simplefilter("error")
a = cairn.tensor(np.eye(300) + np.eye(300, k=1), "csr", products=1)
assert np.array_equal(a @ np.ones(300), [2.0] * 299 + [1.0])
assert np.array_equal(a.T @ np.ones(300), [1.0] + [2.0] * 299)
for spec in ("auto", "coo", "csc", "ell", "bcsr<2,2>", "bdia<64>"):
    assert np.array_equal(cairn.tensor(a, spec).toarray(), a.toarray()), spec
spec = "#encoding<{ idx_map<(d0,d1)->(d0/7,d1-d0,d0%7)>, mutation<merge(0), trim(1,1)> }>"
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    b = cairn.tensor(a, spec)
assert np.array_equal(b @ np.ones(300), a @ np.ones(300))
print("warned" if [w for w in seen if w.category is cairn.CompilerWarning] else "quiet",
      *(str(w.message) for w in seen))
maps = open("/proc/self/maps").read()
print(os.path.dirname(cairn.__file__))
print(*sorted({line.split()[-1] for line in maps.splitlines() if ".so" in line}))
"""


def run(*command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, **settings)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def sources(folder):
    """The sources as a package of them has them, unpacked."""
    program = ("import sys; sys.path.insert(0, 'python/backend'); import cairn_wheel; "
               "print(cairn_wheel.build_sdist(sys.argv[1]))")
    name = run(sys.executable, "-c", program, folder, cwd=SOURCE).split()[-1]
    with tarfile.open(os.path.join(folder, name)) as tar:
        tar.extractall(folder)
    return os.path.join(folder, name[:-len(".tar.gz")])


@unittest.skipUnless(all(map(importlib.util.find_spec, ("pip", "venv"))), "no pip or venv")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PYTHON", "CAIRN_", "PIP_"))}
        cls.plain = dict(plain, XDG_CACHE_HOME=os.path.join(cls.folder, "cache"),
                         PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1")
        if os.environ.get("TEST_SOURCES"):
            checkout, settings = sources(cls.folder), []
        else:
            checkout, settings = SOURCE, ["--config-settings", f"built={BUILD}"]
        wheels = os.path.join(cls.folder, "wheels")
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-cache-dir",
            "-w", wheels, *settings, checkout, env=cls.plain, cwd=cls.folder)
        cls.name, = os.listdir(wheels)
        cls.wheel = os.path.join(wheels, cls.name)
        cls.venv = os.path.join(cls.folder, "venv")
        run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", cls.venv)
        cls.python = os.path.join(cls.venv, "bin", "python")
        run(cls.python, "-m", "pip", "install", "--no-deps", "--no-index", cls.wheel,
            env=cls.plain, cwd=cls.folder)

    def test_its_name_and_what_is_in_it(self):
        version = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
        machine = os.uname().machine
        self.assertRegex(self.name,
                         rf"^cairn-[0-9.]+-py3-none-manylinux_{version}_{machine}\.whl$")
        with zipfile.ZipFile(self.wheel) as file:
            names = file.namelist()
            self.assertEqual(file.testzip(), None)
        modules = os.listdir(os.path.join(SOURCE, "python", "cairn"))
        for name in [*(m for m in modules if m.endswith(".py")), ".libs/libcairn.so"]:
            self.assertIn(f"cairn/{name}", names)
        self.assertTrue([name for name in names if name.endswith("licenses/LICENSE")])

    @unittest.skipUnless(shutil.which("objdump"), "no objdump here")
    def test_its_libraries_need_what_comes_along_or_is_everywhere(self):
        with zipfile.ZipFile(self.wheel) as file:
            file.extractall(os.path.join(self.folder, "unpacked"))
        libs = os.path.join(self.folder, "unpacked", "cairn", ".libs")
        own = set(os.listdir(libs))
        newest = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        for name in own:
            shown = run("objdump", "-p", os.path.join(libs, name))
            needed = set(re.findall(r"NEEDED +(\S+)", shown))
            self.assertEqual(needed - own - EXPECTED, set(), name)
            for version in re.findall(r"GLIBC_([0-9.]+)", shown):
                self.assertLessEqual(tuple(map(int, version.split("."))), newest)
        shown = run("objdump", "-p", os.path.join(libs, "libcairn.so"))
        self.assertRegex(shown, r"RPATH +\$ORIGIN\n")
        self.assertNotIn("mpi", shown)

    def use(self, **variables):
        with tempfile.TemporaryDirectory() as elsewhere:
            return run(self.python, "-c", PROGRAM, cwd=elsewhere,
                       env=dict(self.plain, XDG_CACHE_HOME=elsewhere, **variables))

    def test_it_is_used_from_another_folder(self):
        told, where, loaded = self.use().splitlines()
        self.assertTrue(where.startswith(self.venv))
        for folder in (SOURCE, BUILD):
            self.assertNotIn(folder + "/", loaded)
        for name in ("libcairn", "libgomp", "libhwloc", "libjansson"):
            self.assertTrue([each for each in loaded.split()
                             if name in each and each.startswith(self.venv)], name)
        if shutil.which("cc"):
            self.assertEqual(told, "quiet")

    def test_without_a_compiler_a_format_that_wants_one_says_so(self):
        told = self.use(PATH="/nonexistent").splitlines()[0]
        self.assertRegex(told, "^warned .*products are interpreted")

    def test_it_goes_without_a_trace(self):
        # The last one that has it: in a copy, for the others.
        copy = os.path.join(self.folder, "again")
        run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", copy)
        python = os.path.join(copy, "bin", "python")
        for command in (("install", "--no-deps", "--no-index", self.wheel),
                        ("uninstall", "-y", "cairn")):
            run(python, "-m", "pip", *command, env=self.plain, cwd=self.folder)
        left = [name for name in os.listdir(run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
            if "cairn" in name]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
