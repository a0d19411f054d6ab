# SPDX-License-Identifier: BSD-3-Clause
"""The blocks of Python in the pages do what they say, and the examples run."""

import doctest
import glob
import os
import re
import runpy
import tempfile
import unittest
import warnings

SOURCE = os.environ["TEST_SOURCE"]


def blocks(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        warnings.simplefilter("default")  # Other SciPys have other words for tolerances.

    def run_page(self, page):
        names, ran = {}, 0
        for number, block in enumerate(blocks(page)):
            if ">>>" not in block:
                exec(compile(block, f"{page}, block {number}", "exec"), names)
                ran += 1
                continue
            test = doctest.DocTestParser().get_doctest(block, names, page, None, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            said = []
            runner.run(test, out=said.append, clear_globs=False)
            names.update(test.globs)
            self.assertEqual(runner.summarize(verbose=False).failed, 0, "".join(said))
            ran += len(test.examples)
        return ran

    def test_the_manual(self):
        self.assertGreater(self.run_page("docs/python.md"), 15)

    def test_readme(self):
        self.assertEqual(self.run_page("README.md"), 1)

    def test_examples(self):
        examples = glob.glob(os.path.join(SOURCE, "docs", "examples", "*.py"))
        self.assertTrue(examples)
        for path in examples:
            if path.endswith("python_ranks.py"):
                continue  # test_mpi.py runs it.
            runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    unittest.main()
