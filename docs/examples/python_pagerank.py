# SPDX-License-Identifier: BSD-3-Clause
"""PageRank from Python: a web of 20,000 pages, ranked by products in a format that is
chosen for it; and the same by SciPy."""

import numpy as np
import scipy.sparse as sp

import cairn

PAGES, LINKS, DAMPING = 20_000, 160_000, 0.85


def web(rng):
    """Links from everywhere, most to few pages; each page has at least one."""
    sources = np.concatenate([np.arange(PAGES), rng.integers(0, PAGES, LINKS)])
    targets = (PAGES * rng.random(len(sources)) ** 3).astype(np.int64)
    links = sp.csr_array((np.ones(len(sources)), (sources, targets)), shape=(PAGES, PAGES))
    out = np.asarray(links.sum(axis=1)).ravel()
    return sp.csr_array(sp.diags(1 / out) @ links)


def rank(product):
    """Follow links until ranks stay. @return them, and how many products that took."""
    x = np.full(PAGES, 1 / PAGES)
    for steps in range(1, 200):
        following = DAMPING * product(x) + (1 - DAMPING) / PAGES
        if np.abs(following - x).sum() < 1e-10:
            break
        x = following
    return following, steps


links = web(np.random.default_rng(1))
tensor = cairn.tensor(links.T.tocsr())
ranks, steps = rank(lambda x: tensor @ x)
expected, _ = rank(lambda x: links.T @ x)
assert np.allclose(ranks, expected, rtol=1e-9)
print(f"{steps} products with {tensor.nnz} links; the first page has the "
      f"{'highest' if ranks.argmax() == 0 else 'wrong'} rank")
