# SPDX-License-Identifier: BSD-3-Clause
"""Threads of Python's: the interpreter is free during products, tensors may be shared;
and processes that are forked."""

import multiprocessing
import os
import sys
import threading
import time
import unittest

import numpy as np
import scipy.sparse as sp

import cairn
from support import Case, matrix


def multiply(tensor, x):
    return tensor @ x


class Threads(Case):
    def test_other_threads_run_during_a_product(self):
        n = 300000
        a = cairn.tensor(sp.diags_array([1.0] * 9, offsets=range(-4, 5), shape=(n, n)).tocsr()
                         if hasattr(sp, "diags_array") else
                         sp.diags([1.0] * 9, range(-4, 5), (n, n), "csr"), "csr")
        x = np.ones((n, 16))
        a @ x
        count, done = [0], threading.Event()

        def others():
            while not done.is_set():
                count[0] += 1
                time.sleep(0)

        # No thread is made to give way: another runs only where this one lets go.
        interval = sys.getswitchinterval()
        sys.setswitchinterval(100)
        thread = threading.Thread(target=others)
        thread.start()
        try:
            seen = 0
            for _ in range(20):
                before = count[0]
                a @ x
                seen += count[0] - before
        finally:
            done.set()
            sys.setswitchinterval(interval)
            thread.join()
        self.assertGreater(seen, 20)

    def test_threads_share_tensors(self):
        source, dense = matrix(np.random.default_rng(1), 200, 150)
        shared = cairn.tensor(source, "csr")
        wrong = []

        def work(seed):
            rng = np.random.default_rng(seed)
            own = cairn.tensor(source, "ell", context=cairn.Context(threads=1))
            for k in range(60):
                x, z = rng.random(150), rng.random((200, 1 + k % 3))
                try:
                    for a in (shared, own):
                        self.close(a @ x, dense @ x)
                        self.close(a.T @ z, dense.T @ z)
                    if k % 10 == 0:  # Made and gone while others multiply.
                        self.close(cairn.tensor(source, "coo") @ x, dense @ x)
                        self.assertGreater(shared.arrays["val"].sum(), 0)
                except BaseException as error:
                    wrong.append(error)
                    raise

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_processes_that_are_spawned_have_pickled_tensors(self):
        source, dense = matrix(np.random.default_rng(1), 20, 15)
        a = cairn.tensor(source, "ell")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply(multiply, (a, np.ones(15)))
        self.close(found, dense @ np.ones(15))

    def test_a_forked_process_is_refused_and_does_not_wait(self):
        source, _ = matrix(np.random.default_rng(1), 20, 15)
        a = cairn.tensor(source, "ell")
        calls = (lambda: a @ np.ones(15), lambda: a.T @ np.ones(20), lambda: a.tocsr(),
                 lambda: a.arrays, lambda: a.update(source.data),
                 lambda: cairn.tensor(source, "csr"))
        child = os.fork()
        if child == 0:
            refused = 0
            for call in calls:
                try:
                    call()
                except cairn.CairnRuntimeError as error:
                    refused += "forked" in str(error)
            os._exit(0 if refused == len(calls) else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        a @ np.ones(15)


if __name__ == "__main__":
    unittest.main()
