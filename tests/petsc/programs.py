#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of others, unmodified, by PETSC_OPTIONS alone, held to the same run on AIJ:
PETSc's own examples with every preconditioner on one to four ranks, one of SLEPc's, and
Poisson's problem by petsc4py and FEniCSx.

    programs.py PLUGIN [--ranks 1,2,4] [--only NAME,...] [--rows ROW,...] [--format TEXT]
                       [--ways blocks|whole|auto] [--patience SECONDS]

PLUGIN is libcairnpetsc.so. The sources of examples, and the Python packages, are Debian's
(libpetsc3.18-dev-examples, libslepc3.18-dev-examples, slepc-dev, python3-petsc4py-real,
python3-dolfinx-real); what is not installed is left out, and said; status 77 where that is
all. Iterations are equal where AIJ needs fewer than 50, else within 2 % (bcgs: 10 %, for its
residual jumps, and a last bit moves it); true residuals are within a factor of 2; a run that
diverges does so for the same reason; what the last three print is the same (but for FEniCSx's
iterations on more than two ranks, which are within a factor of 2). A line for each run: its
iterations, the share of products that were computed by a copy, and the copies' formats. What
AIJ itself does not end in a minute (--patience), or fails at (ex56 wants a cubic number of
ranks), is left out, and said; a run by copies has four minutes more than ten times as long
as AIJ's.

In nine tenths of the runs of PETSc's examples with one matrix, and a core for each rank,
the share is over 90 % (levels of a multigrid are small, and AIJ may be as fast), and in half
of all runs another format than csr is chosen where it is left open: held where ENOUGH runs
were asked for.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

# An example, its arguments, and rows that it does not take: without a DM there is no mg,
# and a matrix that is not symmetric has no icc, and takes a thousand iterations and more
# with gamg. GMRES takes the place of CG for the latter.
PROGRAMS = [
    ("ksp/ksp/tutorials/ex2", "-m 60 -n 60", "mg"),
    ("ksp/ksp/tutorials/ex3", "-m 40", "mg"),
    ("ksp/ksp/tutorials/ex29", "-da_grid_x 65 -da_grid_y 65", ""),
    ("ksp/ksp/tutorials/ex45", "-da_grid_x 17 -da_grid_y 17 -da_grid_z 17", ""),
    ("ksp/ksp/tutorials/ex56", "-ne 7", "mg"),
    ("snes/tutorials/ex5", "-da_grid_x 65 -da_grid_y 65", ""),
    ("snes/tutorials/ex19", "-da_refine 3", "icc gamg"),
]
UNSYMMETRIC = "snes/tutorials/ex19"
GUESSES = "ksp/ksp/tutorials/ex3"  # Begins with a guess, which preonly refuses.
ROWS = {
    "none": "-ksp_type cg -pc_type none",
    "jacobi": "-ksp_type cg -pc_type jacobi",
    "ilu": "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu",
    "icc": "-ksp_type cg -pc_type bjacobi -sub_pc_type icc",
    "sor": "-ksp_type gmres -pc_type sor",
    "asm": "-ksp_type gmres -pc_type asm",
    "gamg": "-ksp_type cg -pc_type gamg",
    "classical": "-ksp_type cg -pc_type gamg -pc_gamg_type classical",
    "mg": "-ksp_type cg -pc_type mg -pc_mg_levels 3 -pc_mg_galerkin both",
    "hypre": "-ksp_type gmres -pc_type hypre",
    "lu": "-ksp_type preonly -pc_type lu -pc_factor_mat_solver_type mumps",
    "lsqr": "-ksp_type lsqr -pc_type none -ksp_max_it 60",
    "bcgs": "-ksp_type bcgs -pc_type jacobi",
}
LEVELS = ("gamg", "classical", "mg")
ENOUGH = 20
ALWAYS = "-ksp_converged_reason -ksp_view_final_residual -malloc_dump -options_left no"
SOLVE = re.compile(r"Linear (?:\S+ )?solve (converged|did not converge) due to (\w+) iterations (\d+)")
RESIDUAL = re.compile(r"KSP final norm of residual (\S+)")
COPY = re.compile(r"^cairn: rank \d+, \d+ x \d+: ([^\n]*)\n  AIJ has", re.M)
LEAK = re.compile(r"^\[\s*\d+\]\s*\d+ bytes", re.M)


def built(library, name, work):
    """The program of an example, compiled as its user would; None where there is none."""
    program = os.path.join(work, name.replace("/", "_"))
    source = (glob.glob(f"/usr/share/{library}/*/share/{library}/examples/src/{name}.c") or [None])[-1]
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *sorted({library, "petsc"})[::-1]],
                           capture_output=True, text=True)
    if not source or flags.returncode:
        print(f"{library}'s {name}: not here")
        return None
    subprocess.run(["mpicc", "-w", source, "-o", program, *flags.stdout.split(), "-lm"], check=True)
    return program


def run(command, ranks, options, log, patience):
    """What a run prints, its status, and the counts of its events."""
    env = dict(os.environ, PETSC_OPTIONS=options + (f" -log_view :{log}" if log else ""))
    more = ["--oversubscribe"] if ranks > os.cpu_count() else []
    got = subprocess.run(["mpirun", "-n", str(ranks), *more, *command],
                         capture_output=True, text=True, env=env, timeout=patience)
    counts = {}
    if log and os.path.exists(log):
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                word = line.split()
                if word and word[0] in ("CairnMult", "CairnAIJMult", "CairnRefill"):
                    counts[word[0]] = counts.get(word[0], 0) + int(word[1])
        os.remove(log)
    return got.stdout + got.stderr, got.returncode, counts


def far(one, other):
    return max(one, other) > 1e-12 and (one > 2 * other or other > 2 * one)


def differences(row, aij, cairn):
    """What a run with Cairn does otherwise than one with AIJ."""
    solves, ours = SOLVE.findall(aij), SOLVE.findall(cairn)
    if len(solves) != len(ours):
        return [f"{len(ours)} solves, with AIJ {len(solves)}"]
    wrong = []
    for one, (theirs, own) in enumerate(zip(solves, ours), 1):
        off, most = abs(int(own[2]) - int(theirs[2])), int(theirs[2])
        allowed = 0.1 * most + 1 if row == "bcgs" else 0.02 * most if most >= 50 else 0
        if own[1] != theirs[1]:
            wrong.append(f"solve {one}: {own[1]}, with AIJ {theirs[1]}")
        elif off > allowed:
            wrong.append(f"solve {one}: {own[2]} iterations, with AIJ {theirs[2]}")
    for one, (theirs, own) in enumerate(zip(RESIDUAL.findall(aij), RESIDUAL.findall(cairn)), 1):
        if row != "bcgs" and far(float(own), float(theirs)):
            wrong.append(f"solve {one}: residual {own}, with AIJ {theirs}")
    if LEAK.search(cairn):
        wrong.append("memory is left")
    return wrong


def short_name(path):
    """ksp/ex2 of ksp/ksp/tutorials/ex2."""
    return f"{path.split('/')[0]}/{os.path.basename(path)}"


def short(formats):
    """Formats' texts to one word each: those of the catalogue by name, others by their map."""
    names = {f if "idx_map" not in f else re.sub(r".*->\((.*?)\)>.*", r"(\1)", f) for f in formats}
    return " ".join(sorted(names)) or "none"


def line_of(name, ranks, cairn, counts, what):
    """Print a run: how much of it was ours, and in which formats."""
    formats = {text for text in COPY.findall(cairn) if " takes " not in text}  # ranks' lines mix
    mine = counts.get("CairnMult", 0)
    products = mine + counts.get("CairnAIJMult", 0)
    share = mine / products if products else 0
    print(f"{name:22} n{ranks} {what:20} {100 * share:4.0f} % of {products:5} products, "
          f"refills {counts.get('CairnRefill', 0)}: {short(formats)}", flush=True)
    return share, any(f != "csr" for f in formats)


def plain(text):
    """What a program says without Cairn's lines and compilers' talk: numbers to 6 digits."""
    lines = [line for line in text.splitlines()
             if not line.startswith(("cairn: ", "  AIJ has", "INFO:")) and " values in " not in line
             and " a product where csr takes " not in line]
    return re.sub(r"\d\.\d{3,}(e[-+]\d+)?", lambda n: f"{float(n[0]):.5e}", "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--format", default="auto")
    parser.add_argument("--ways", default="blocks")
    parser.add_argument("--patience", type=float, default=60)
    asked = parser.parse_args()
    by_copies = (f"-dll_append {asked.plugin} -mat_type aijcairn -dm_mat_type aijcairn "
                 f"-mat_cairn_expected 100000 -mat_cairn_format {asked.format} -mat_cairn_view "
                 f"-mat_cairn_ranks {asked.ways}")
    ranks = [int(n) for n in asked.ranks.split(",")]
    results = []

    def hold(name, command, n, options, type_of, wrong_of):
        """Both runs, and what they differ in."""
        with tempfile.TemporaryDirectory() as work:
            begin = time.monotonic()
            try:
                aij, status, _ = run(command, n, options, None, asked.patience)
            except subprocess.TimeoutExpired:
                print(f"{name} n{n}: AIJ itself does not end: left out", flush=True)
                return
            if status and not SOLVE.search(aij):
                said = re.findall(r"PETSC ERROR: (?!-|See|WARNING|Option left|Petsc Release)(.*)", aij)
                print(f"{name} n{n}: AIJ itself fails: left out: {': '.join(said[:2]) or status}", flush=True)
                return
            # The log is written by reductions, some for each event: a minute and more where
            # ranks share cores with other work.
            patience = 240 + 10 * (time.monotonic() - begin)
            try:
                cairn, own, counts = run(command, n, f"{options} {type_of}",
                                         os.path.join(work, "log"), patience)
            except subprocess.TimeoutExpired:
                print(f"{name} n{n}\n  WRONG: it does not end in {patience:.0f} seconds", flush=True)
                results.append((name, n, 0, False, True))
                return
        wrong = wrong_of(aij, cairn)
        if status != own:
            wrong.append(f"status {own}, with AIJ {status}: {cairn[-300:]}")
        its = ",".join(s[2] for s in SOLVE.findall(cairn)[:4])
        results.append((name, n, *line_of(name, n, cairn, counts, its), bool(wrong)))
        for what in wrong:
            print(f"  WRONG: {what}", flush=True)

    def same(aij, cairn):
        return [] if plain(aij) == plain(cairn) else [f"{plain(cairn)}\n  with AIJ: {plain(aij)}"]

    def same_result(aij, cairn):
        """But for iterations, of which there may be twice as many, or half: AIJ's own runs of
        FEniCSx on four ranks take 27 to 30."""
        counts = [[int(n) for n in re.findall(r"(\d+) iterations", text)] for text in (aij, cairn)]
        wrong = [f"{own} iterations, with AIJ {theirs}" for theirs, own in zip(*counts)
                 if own > 2 * theirs or theirs > 2 * own]
        return wrong + same(*(re.sub(r"\d+ iterations", "iterations", text) for text in (aij, cairn)))

    def wanted(name):
        """Asked for by a part of its path, or of the name that its line has."""
        return not asked.only or any(part in name or part in short_name(name)
                                     for part in asked.only.split(","))

    with tempfile.TemporaryDirectory() as work:
        for name, arguments, without in filter(lambda p: wanted(p[0]), PROGRAMS):
            program = built("petsc", name, work)
            for row in asked.rows.split(",") if program else ():
                solver = ROWS[row].replace(" cg ", " gmres ") if name == UNSYMMETRIC else ROWS[row]
                if name == GUESSES:
                    solver = solver.replace("preonly", "richardson")
                for n in ranks if row not in without.split() else ():
                    hold(f"{short_name(name)} {row}", [program], n,
                         f"{arguments} {solver} {ALWAYS}", by_copies,
                         lambda aij, cairn, row=row: differences(row, aij, cairn))
        program = built("slepc", "eps/tutorials/ex2", work) if wanted("eps/tutorials/ex2") else None
        for n in ranks if program else ():
            hold("eps/ex2", [program], n, "-n 40 -eps_nev 4", by_copies, same)
    for name, module, type_of in (("petsc4py", "petsc4py", by_copies),
                                  ("fenicsx", "dolfinx", by_copies + " -mat_seqaij_type seqaijcairn")):
        command = ["/usr/bin/python3", os.path.join(os.path.dirname(__file__), f"poisson_{name}.py")]
        found = subprocess.run([command[0], "-c", f"import {module}"], capture_output=True)
        if found.returncode and wanted(name):
            print(f"{name}: not here")
        for n in ranks if wanted(name) and not found.returncode else ():
            hold(name, command, n, "", type_of, same_result if name == "fenicsx" and n > 2 else same)
    bad = sum(wrong for *_, wrong in results)
    mostly = sum(share > 0.9 for _, _, share, *_ in results)
    alone = [share > 0.9 for name, n, share, *_ in results if n <= os.cpu_count()
             and name.startswith(("ksp/", "snes/")) and not name.endswith(LEVELS)]
    others = sum(other for *_, other, _ in results)
    print(f"{len(results)} runs, {bad} not as AIJ; over 90 % of products by a copy in {mostly}, "
          f"of {len(alone)} with one matrix and a core a rank in {sum(alone)}, another format than csr in {others}")
    few = []
    if len(alone) >= ENOUGH and sum(alone) < 0.9 * len(alone):
        few.append(f"over 90 % of products by a copy in {sum(alone)} of {len(alone)} runs with one matrix "
                   f"and a core a rank: fewer than {0.9 * len(alone):g}")
    if len(results) >= ENOUGH and asked.format == "auto" and others < 0.5 * len(results):
        few.append(f"another format than csr in {others} of {len(results)} runs: fewer than {0.5 * len(results):g}")
    for what in few:
        print(f"WRONG: {what}")
    return 77 if not results else 1 if bad or few else 0


sys.exit(main())
