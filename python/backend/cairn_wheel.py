# SPDX-License-Identifier: BSD-3-Clause
"""What `pip install .` builds with (PEP 517), of the standard library alone.

A wheel has the package, the library (built by CMake, release, without MPI, with the
kernels that come with it), and the libraries that a system need not have. It serves every
Python 3 on Linux with the C library of the machine that it is built on, or a newer one.

Settings, by pip's --config-settings NAME=VALUE:

  build=FOLDER  where CMake builds; by default build/wheel of the checkout.
  built=FOLDER  a build tree that is complete: nothing is built.
  mpi=on        the library has the MPI that CMake finds (cairn.mpi): such a wheel is for
                this machine, and no library comes along.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "cairn"


def _read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def _version():
    return re.search(r"project\(cairn VERSION ([0-9.]+)", _read("CMakeLists.txt")).group(1)


def _tag(mpi):
    """Of the C library that this machine has: older ones lack what it has."""
    if mpi:
        return f"py3-none-linux_{platform.machine()}"
    name, version = platform.libc_ver()
    if name != "glibc":
        raise SystemExit(f"cairn: wheels are for systems with glibc, not {name or 'another'}")
    return f"py3-none-manylinux_{'_'.join(version.split('.')[:2])}_{platform.machine()}"


def _metadata():
    # The table of pyproject.toml, which Python 3.9 has no reader of.
    text = _read("pyproject.toml")
    entry = lambda key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
    needs = re.search(r"^dependencies = \[(.*)\]$", text, re.M).group(1)
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}",
             f"Summary: {entry('description')}", "License: BSD-3-Clause",
             f"Requires-Python: {entry('requires-python')}",
             *(f"Requires-Dist: {need}" for need in re.findall(r'"(.*?)"', needs)),
             "Description-Content-Type: text/markdown", "", _read("python/README.md")]
    return "\n".join(lines)


def _run(*command):
    # What is printed goes where pip shows it.
    subprocess.run(command, check=True, stdout=sys.stderr)


def _build(folder, mpi):
    with_mpi = "ON" if mpi else "OFF"
    _run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
         f"-DCAIRN_WITH_MPI={with_mpi}", f"-DCAIRN_PYTHON_MPI={with_mpi}",
         "-DCAIRN_COMMAND=OFF", "-DBUILD_TESTING=OFF", "-DCAIRN_PYTHON=ON")
    _run("cmake", "--build", folder, "--target", "cairn_package")


def _licences(libraries):
    """The terms of the libraries that come along, where the system tells them."""
    found = {"LICENSE": _read("LICENSE")}
    for library in libraries:
        real = os.path.realpath(library)
        owner = ""
        for path in (real, real.replace("/usr/lib/", "/lib/", 1)):
            try:
                owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True,
                                       text=True).stdout or owner
            except OSError:
                pass
        package = owner.partition(":")[0]
        path = f"/usr/share/doc/{package}/copyright"
        if package and os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                found[f"{os.path.basename(library)}.txt"] = file.read()
    return found


def _vendored(stage):
    """The libraries of the system that come along."""
    names = sorted(set(os.listdir(os.path.join(stage, NAME, ".libs"))) - {"libcairn.so"})
    listed = subprocess.run(["/sbin/ldconfig", "-p"], text=True, capture_output=True).stdout
    paths = dict(re.findall(r"^\s*(\S+) \(.*x86-64.*\) => (\S+)$", listed, re.M))
    return [paths.get(name, name) for name in names]


class _Wheel:
    """A wheel as it is written: files, and the record of their hashes."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
        self.date = time.gmtime(max(epoch, 315532800))[:6]

    def add(self, name, content, mode=0o644):
        data = content.encode() if isinstance(content, str) else content
        info = zipfile.ZipInfo(name, self.date)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
        self.record.append(f"{name},sha256={digest.decode()},{len(data)}")

    def close(self, info):
        name = f"{info}/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,"]) + "\n")
        self.zip.close()


def _pack(stage, path, tag):
    info = f"{NAME}-{_version()}.dist-info"
    wheel = _Wheel(path)
    for folder, folders, names in os.walk(os.path.join(stage, NAME)):
        folders.sort()
        for name in sorted(names):
            whole = os.path.join(folder, name)
            with open(whole, "rb") as file:
                wheel.add(os.path.relpath(whole, stage), file.read(),
                          0o755 if ".so" in name else 0o644)
    for name, text in _licences(_vendored(stage)).items():
        wheel.add(f"{info}/licenses/{name}", text)
    wheel.add(f"{info}/METADATA", _metadata())
    wheel.add(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: cairn_wheel\n"
              f"Root-Is-Purelib: false\nTag: {tag}\n")
    wheel.close(info)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    folder, mpi = settings.get("built"), settings.get("mpi", "off")
    if mpi not in ("on", "off"):
        raise SystemExit(f"cairn: the setting mpi is on or off, not {mpi!r}")
    mpi = mpi == "on"
    if not folder:
        folder = os.path.abspath(settings.get("build", os.path.join(ROOT, "build", "wheel")))
        _build(folder, mpi)
    tag = _tag(mpi)
    name = f"{NAME}-{_version()}-{tag}.whl"
    with tempfile.TemporaryDirectory() as stage:
        _run("cmake", "--install", folder, "--component", "python", "--prefix", stage,
             "--strip")
        _pack(stage, os.path.join(wheel_directory, name), tag)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that are tracked, or all but builds where they are not."""
    base = f"{NAME}-{_version()}"
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True,
                                check=True).stdout.decode().split("\0")
        names = [name for name in listed if os.path.isfile(os.path.join(ROOT, name))]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk(ROOT):
            folders[:] = sorted(f for f in folders if f not in (".git", "build", ".cache"))
            names += [os.path.relpath(os.path.join(folder, f), ROOT) for f in sorted(files)]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as info:
        info.write(_metadata())
        info.flush()
        with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz",
                          format=tarfile.PAX_FORMAT) as tar:
            for name in names:
                tar.add(os.path.join(ROOT, name), f"{base}/{name}", recursive=False)
            tar.add(info.name, f"{base}/PKG-INFO")
    return base + ".tar.gz"
