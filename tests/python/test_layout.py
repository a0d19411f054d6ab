# SPDX-License-Identifier: BSD-3-Clause
"""The structs and functions that ctypes knows are those of the headers."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from cairn import _errors, _library

INCLUDE = os.path.join(os.environ["TEST_SOURCE"], "include")


def headers():
    """All declarations, without comments."""
    text = ""
    for name in sorted(os.listdir(os.path.join(INCLUDE, "cairn"))):
        if name.endswith(".h"):
            with open(os.path.join(INCLUDE, "cairn", name), encoding="utf-8") as file:
                text += file.read()
    return re.sub(r"//.*|/\*.*?\*/", "", text)


def kind(declared):
    """The letter of a parameter or a result."""
    if "*" in declared or "[" in declared:
        return "p"
    for word, letter in (("int64_t", "l"), ("size_t", "z"), ("double", "d"), ("bool", "b"),
                         ("void", "-")):
        if re.search(rf"\b{word}\b", declared):
            return letter
    return "i"  # int, and enumerations.


class Layout(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cc"), "no compiler here")
    def test_structs(self):
        structs = [each for _, each in inspect.getmembers(_library, inspect.isclass)
                   if hasattr(each, "c_name")]
        self.assertGreater(len(structs), 10)
        lines = ["#include <cairn/cairn.h>", "#include <stddef.h>"]
        for each in structs:
            lines.append(f"_Static_assert(sizeof({each.c_name}) == "
                         f"{ctypes.sizeof(each)}, \"{each.c_name}\");")
            for name, *_ in each._fields_:
                field = getattr(each, name)
                lines.append(
                    f"_Static_assert(offsetof({each.c_name}, {name}) == {field.offset} && "
                    f"sizeof((({each.c_name} *)0)->{name}) == {field.size}, "
                    f"\"{each.c_name}.{name}\");")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layout.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            done = subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-I", INCLUDE, path],
                                  capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_functions(self):
        text = headers()
        letters = {v: k for k, v in _library._C_TYPES.items()}
        seen = 0
        for name in re.findall(r"\bcairn_\w+", _library._FUNCTIONS):
            match = re.search(rf"CAIRN_API\s+([\w\s\*]*?)\b{name}\(([^;]*)\);", text)
            self.assertIsNotNone(match, name)
            function = getattr(_library.lib, name)
            given = [letters[each] for each in function.argtypes]
            declared = [kind(each) for each in match.group(2).split(",")]
            declared = [] if declared == ["-"] else declared
            self.assertEqual([each.replace("s", "p") for each in given], declared, name)
            result = letters[function.restype].replace("s", "p")
            self.assertEqual(result, kind(match.group(1)), name)
            seen += 1
        self.assertGreater(seen, 40)

    def test_statuses(self):
        found = re.findall(r"X\((\w+), -(\d+), ", headers())
        self.assertEqual([(each[0], number) for number, each in
                          enumerate(_errors._STATUSES) if each],
                         [(name, int(number)) for name, number in found])


if __name__ == "__main__":
    unittest.main()
