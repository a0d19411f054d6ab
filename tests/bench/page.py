#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/performance.md, from what tests/bench/all.sh left in a folder.

Usage: page.py OUT PAGE

Each table stands in PAGE between `<!-- table NAME -->` and `<!-- end -->`, and is made
anew where OUT has NAME's results; a table without results is left as it is, and named.
All of Cairn's products here have the caller's x and y, and conversions the caller's arrays.
"""

import json
import math
import re
import sys
from pathlib import Path


def markdown(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def ratio(peer, ours):
    return f"**{peer / ours:.2f}**" if peer and ours else ""


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def least(records, *, roles, memory=None, way=""):
    """The record with the least median among those that are right."""
    fit = [
        r
        for r in records
        if r["right"]
        and r["role"] in roles
        and r["way"].startswith(way)
        and memory in (None, r["memory"])
    ]
    return min(fit, key=lambda r: r["median_ms"], default=None)


def median(record):
    return record["median_ms"] if record else None


def by_task(records):
    """Lists of records by (task, matrix), in their order."""
    tasks = {}
    for record in records:
        tasks.setdefault((record["task"], record["matrix"]), []).append(record)
    return tasks


def machine(text):
    return "```text\n" + text.strip() + "\n```"


def door(text):
    """The summary is a table already, its columns between bars."""
    lines = text.splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("the door "))
    rows = [[cell.strip() for cell in line.split("|")] for line in lines[begin:] if "|" in line]
    titles, rows = rows[0], rows[1:]
    return markdown(titles, [row + [""] * (len(titles) - len(row)) for row in rows])


def name_format(name):
    return f"`{name}`" if len(name) < 40 else "own text"


def product_row(matrix, records):
    peer = least(records, roles=("peer", "peer-csr", "hand-csr"))
    peer_csr = least(records, roles=("peer-csr", "hand-csr"))
    csr = least(records, roles=("lent",), way="csr,")
    auto = least(records, roles=("lent",), way="auto,")
    best = least([r for r in records if not r["way"].startswith("auto")], roles=("lent",))
    name = best["way"].rsplit(",", 1)[0] if best else ""
    row = [
        matrix,
        str(records[0]["entries"]),
        f"{peer['peer']} {peer['way']}" if peer else "",
        number(median(peer), 3),
        number(median(csr), 3),
        ratio(median(peer_csr), median(csr)),
        number(median(auto), 3),
        ratio(median(peer), median(auto)),
        name_format(auto["chosen"]) if auto else "",
        ratio(median(peer), median(best)),
        number(best.get("bound") if best else None),
        name_format(name),
    ]
    return row, (median(peer), median(auto), median(best))


def products(text):
    """A table for each type and number of columns."""
    titles = ["matrix", "entries", "best peer", "ms", "csr, ms", "of the best CSR", "auto, ms"]
    titles += ["ratio", "chosen", "best format's ratio", "bound", "best format"]
    tables = {}
    for (task, matrix), records in by_task(json.loads(text)).items():
        row, times = product_row(matrix, records)
        tables.setdefault(task, []).append((row, times))
    parts = []
    for task, rows in tables.items():
        parts.append(f"**{task}**\n\n" + markdown(titles, [row for row, _ in rows]))
        autos = [peer / auto for _, (peer, auto, _) in rows if peer and auto]
        bests = [peer / best for _, (peer, _, best) in rows if peer and best]
        if autos and bests:
            parts.append(f"Geometric means: auto {mean(autos):.2f}, best format {mean(bests):.2f}.")
    return "\n\n".join(parts)


def conversions(text):
    titles = ["conversion", "matrix", "best library", "ms", "by hand, ms", "Cairn, ms"]
    titles += ["caller's arrays, ms", "ratio", "fresh memory: library", "caller's", "ratio", "bound"]
    rows, kept = [], []
    for (task, matrix), records in by_task(json.loads(text)).items():
        row = [task.removesuffix(" f64"), matrix]
        for memory in ("kept memory", "fresh memory"):
            peer = least(records, roles=("peer",), memory=memory)
            hand = least(records, roles=("hand",), memory=memory)
            own = least(records, roles=("own",), memory=memory)
            lent = least(records, roles=("lent",), memory=memory) or own
            others = [ms for ms in (median(peer), median(hand)) if ms]
            best = min(others, default=None)
            if memory == "kept memory":
                row += [f"{peer['peer']}" if peer else "", number(median(peer), 3)]
                row += [number(median(hand), 3), number(median(own), 3)]
                bound = own.get("bound") if own else None
                if best and lent:
                    kept.append(best / lent["median_ms"])
            else:
                row.append(number(median(peer), 3))
            row += [number(median(lent), 3), ratio(best, median(lent))]
        rows.append(row + [number(bound)])
    note = f"\n\nGeometric mean in kept memory, caller's arrays: {mean(kept):.2f}." if kept else ""
    return markdown(titles, rows) + note


def reading(text):
    files = json.loads(text)
    titles = ["median (least), ms"]
    titles += [f"{Path(f['file']).name}, {f['bytes'] / 1e6:.1f} MB" for f in files]
    rows = {}
    for column, file in enumerate(files):
        ours = file["readers"][0]["median_ms"]
        for reader in file["readers"]:
            cells = rows.setdefault(reader["name"], [""] * len(files))
            cells[column] = (
                f"{reader['median_ms']:.1f} ({reader['least_ms']:.1f}), "
                f"{reader['median_ms'] / ours:.2f}"
            )
    return markdown(titles, [[name] + cells for name, cells in rows.items()])


def choices(text):
    """Lines of threads, rates, products, median, worst, of which matrix."""
    fit = re.compile(r" +(\d+)  (\w+)  (.{9})  +([\d.]+) +([\d.]+)  (\S+)")
    rows = [m.groups() for m in map(fit.match, text.splitlines()) if m]
    matrices = re.search(r"^(\d+) matrices", text, re.MULTILINE)
    table = markdown(
        ["threads", "rates", "products", "median", "worst", "of"],
        [[cell.strip() for cell in row] for row in rows],
    )
    return table + (f"\n\n{matrices.group(1)} matrices." if matrices else "")


def solvers(text):
    """Its rows, without the formats' texts and the folders of files."""
    rows = [line.strip("| ").split(" | ")[:7] for line in text.splitlines() if line.startswith("| ")]
    return markdown(rows[0], [[Path(row[0]).name.removesuffix(".mtx"), *row[1:]] for row in rows[1:]])


def several_ranks(text):
    """Rows as they are printed."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return markdown(rows[0], rows[1:])


def first_use(text):
    fit = re.compile(r" +([\d.]+) +([\d.]+) +([\d.]+)  (\w+) +(\S.*)")
    rows = [m.groups() for m in map(fit.match, text.splitlines()) if m]
    titles = ["format", "route", "compiled, ms", "from disk, ms", "again, ms"]
    return markdown(titles, [[f"`{f}`", route, *times] for *times, route, f in rows])


TABLES = {
    "machine": machine,
    "door": door,
    "spmv": products,
    "spmm": products,
    "convert": conversions,
    "read": reading,
    "auto": choices,
    "ksp": solvers,
    "nodes": several_ranks,
    "first": first_use,
}


def fill(out, page):
    text = page.read_text()
    for name, make in TABLES.items():
        files = [f for f in (out / f"{name}.json", out / f"{name}.txt") if f.exists()]
        results = files[0].read_text() if files else ""
        mark = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not mark.search(text):
            print(f"page.py: {page} has no place for {name}")
        elif not results.strip():
            print(f"page.py: {out} has no {name}: left as it is")
        else:
            table = make(results)
            text = mark.sub(lambda m: f"{m.group(1)}\n{table}\n\n{m.group(2)}", text)
    page.write_text(text)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: page.py OUT PAGE")
    fill(Path(sys.argv[1]), Path(sys.argv[2]))


if __name__ == "__main__":
    main()
