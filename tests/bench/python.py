# SPDX-License-Identifier: BSD-3-Clause
"""A @ x of the Python package beside SciPy's csr_array @ x, and what a call costs: the
least times of many, in turns. Usage: python.py [--rounds N] [--size N] [--threads N,...]"""

import argparse
import os
import time

import numpy as np
import scipy
import scipy.sparse as sp

import cairn
from cairn._library import lib


def least(calls, rounds, seconds):
    """The least time of each call in turns, each round's share by itself."""
    found = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                begin = time.perf_counter()
                call()
                found[k] = min(found[k], time.perf_counter() - begin)
    return found


def problems(n):
    """Stencils, bands of blocks and a random web, of about the same size."""
    rng = np.random.default_rng(1)
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n))
    one = sp.identity(n)
    side = sp.diags([1.0, 1.0, 1.0], [-1, 0, 1], (n, n))
    blocks = sp.kron(sp.kron(side, sp.diags([1.0] * 3, [-1, 0, 1], (n // 9, n // 9))),
                     np.ones((3, 3)))
    count = 8 * n * n // 2
    web = sp.coo_array((np.ones(count), ((n * n // 2 * rng.random(count) ** 2).astype(int),
                                         rng.integers(0, n * n // 2, count))),
                       shape=(n * n // 2, n * n // 2))
    for name, made in (("stencil5", sp.kron(line, one) + sp.kron(one, line)),
                       ("stencil9", sp.kron(side, side)), ("blocks3", blocks),
                       ("web", web)):
        csr = sp.csr_array(made)
        csr.data = rng.random(csr.nnz)
        yield name, csr


def products(options):
    ratios = {}
    print(f"{'matrix':10} {'rows':>9} {'entries':>10} {'threads':>7} {'scipy ms':>9} "
          f"{'csr ms':>9} {'auto ms':>9} {'ratio':>6}  format")
    for name, source in problems(options.size):
        x = np.ones(source.shape[1])
        for threads in options.threads:
            context = cairn.Context(threads=threads)
            rows = cairn.tensor(source, "csr", context=context)
            chosen = cairn.tensor(source, products=10000, context=context)
            assert np.allclose(chosen @ x, source @ x)
            times = least([lambda: source @ x, lambda: rows @ x, lambda: chosen @ x],
                          options.rounds, 0.05)
            ratio = times[0] / min(times[1:])
            ratios.setdefault(threads, []).append(ratio)
            print(f"{name:10} {source.shape[0]:9} {source.nnz:10} {threads:7} "
                  + " ".join(f"{1e3 * each:9.3f}" for each in times)
                  + f" {ratio:6.2f}  {chosen.format[:60]}")
    for threads, each in ratios.items():
        print(f"mean {np.exp(np.mean(np.log(each))):.2f} of {len(each)} matrices, "
              f"{threads} thread(s), the better of csr and auto")


def overhead(options):
    """Of A @ x over the same call in C, by a matrix of one entry."""
    def of(call, number=200):
        def many():
            for _ in range(number):
                call()
        return least([many], options.rounds, 0.2)[0] / number * 1e6

    source = sp.csr_array(np.ones((1, 1)))
    a, x, y = cairn.tensor(source, "csr", context=cairn.Context(threads=1)), np.ones(1), np.empty(1)
    plan, at, to = a._plan, x.ctypes.data, y.ctypes.data
    run = lib.cairn_plan_run
    threads, null = lib.cairn_context_threads, None
    whole, bare = of(lambda: a @ x), of(lambda: run(plan, at, to))
    crossing, theirs = of(lambda: threads(null)), of(lambda: source @ x)
    # In C the call is that without the crossing from Python.
    print(f"a call: A @ x {whole:.2f} us, of which C {bare - crossing:.2f}, "
          f"so overhead {whole - (bare - crossing):.2f}; SciPy's {theirs:.2f}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--size", type=int, default=800, help="side of the grids")
parser.add_argument("--threads", default="1,2",
                    type=lambda text: [int(each) for each in text.split(",")])
options = parser.parse_args()
print(f"cairn {cairn.__version__}, SciPy {scipy.__version__}, load "
      f"{os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
overhead(options)
products(options)
print(f"load {os.getloadavg()[0]:.1f}")
