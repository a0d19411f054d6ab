#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Valgrind is as quiet about a matrix of Cairn's type as about AIJ: what it says of a run
with PETSC_OPTIONS it also says of the same run without. MPI, MUMPS and others have records
of their own, so records are compared by what is wrong and the functions that led there.

    valgrind.py PLUGIN PROGRAM [--rows ROW,...] [--format TEXT]... [--ranks N] [--ways WAY]

PROGRAM is that of solve.c. Status 77 where there is no valgrind. It has no AVX-512, so
kernels are those for AVX2. Of several ranks all records count together, each once: how often
MPI has one of its own depends on which rank waits.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

VALGRIND = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", "--num-callers=40"]
FRAME = re.compile(r"(?:at|by) 0x[0-9A-F]+: (\S+) \((?:in )?([^:)]*)")


def records(program, arguments, options, ranks):
    """How often a run has each record; what it prints."""
    launch = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "log.%p")
        done = subprocess.run([*launch, *VALGRIND, f"--log-file={log}", program, *arguments],
                              capture_output=True, text=True,
                              env=dict(os.environ, PETSC_OPTIONS=options))
        text = ""
        for path in glob.glob(os.path.join(work, "log.*")):
            with open(path, encoding="utf-8") as file:
                text += re.sub(r"^(==\d+== ?|--\d+-- .*\n)", "", file.read(), flags=re.M) + "\n\n"
    if done.returncode:
        sys.exit(f"'{options}' ended with {done.returncode}: {done.stdout}{done.stderr}{text}")
    found = collections.Counter()
    for block in re.split(r"\n\s*\n", text):
        frames = FRAME.findall(block)
        if frames:
            kind = re.sub(r"[\d,]+ (bytes|\(|direct|indirect)|in loss record.*|\d+", "",
                          block.strip().splitlines()[0])
            key = kind.strip(), tuple(name for name, _ in frames)
            found[key] = found[key] + 1 if ranks == 1 else 1
    return found, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("program")
    parser.add_argument("--rows", default="none,ilu,sor,gamg")
    parser.add_argument("--format", action="append", default=[])
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--ways", default="blocks")
    asked = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: no valgrind here")
        return 77
    arguments = ["-n", "13", "-rows", asked.rows]
    theirs, solved = records(asked.program, arguments, "", asked.ranks)
    print(f"AIJ: {theirs.total()} records")
    bad = 0
    for spec in asked.format or ["csr", "bdia<64>", "auto"]:
        ours, again = records(asked.program, arguments, f"-dll_append {asked.plugin} -mat_type aijcairn "
                              f"-mat_cairn_strict -mat_cairn_expected 100000 -mat_cairn_format {spec} "
                              f"-mat_cairn_ranks {asked.ways}", asked.ranks)
        more = ours - theirs
        names = [[line.split()[0] for line in text.splitlines() if len(line.split()) == 3]
                 for text in (solved, again)]
        if names[0] != names[1]:
            print(f"WRONG: {spec} solved {names[1]}, AIJ {names[0]}")
            bad = 1
        print(f"{spec}: {ours.total()} records, {more.total()} that AIJ has not")
        for (kind, frames), times in more.items():
            print(f"  WRONG: {times} times: {kind}: {' < '.join(frames)}")
            bad = 1
    return bad


sys.exit(main())
