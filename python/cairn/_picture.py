# SPDX-License-Identifier: BSD-3-Clause
"""What people see of a tensor: a line, an explanation, a picture for notebooks."""

import html

from . import _errors
from ._library import lib
from ._stored import Source, plan_info, plan_parts

CELLS = 64  # Most cells of a picture on a side.
SIDE = 160  # Pixels of its longer side.
COLOURS = ("#3b6ea5", "#c8793b", "#5a9a5a", "#9a5a92", "#8a8a3c", "#777777")


def _bytes(count):
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1000


def _head(tensor):
    rows, cols = tensor.shape
    of = "transpose of a tensor" if tensor._transposed else "Tensor"
    return (of, f"{rows} x {cols}, {tensor.dtype}, {tensor.nnz} entries in "
                f"{_bytes(tensor.nbytes)}")


def line(tensor):
    if tensor._stored.closed:
        return "<cairn Tensor, closed>"
    of, rest = _head(tensor)
    return f"<cairn {of}, {rest}, {tensor.format}>"


def _members(tensor):
    """Each part: its encoding, entries, bytes, how values are stored."""
    stored = tensor._stored
    format = lib.cairn_tensor_format(stored.pointer)
    for info in stored.parts:
        encoding = lib.cairn_format_member(format, info.member).decode()
        yield info, encoding, info.stored.decode()


def explain(tensor):
    """See Tensor.explain()."""
    stored = tensor._stored
    lines = [_head(tensor)[1], f"format: {stored.text}"]
    if stored.why:
        lines += ["chosen: " + each for each in stored.why.splitlines()]
    for info, encoding, values in _members(tensor):
        bank = "" if info.bank < 0 else f", bank {info.bank}"
        lines.append(f"part: {encoding}{bank}: {info.nnz} entries, {info.values} values as "
                     f"{values}, {_bytes(info.bytes)}")
    with stored.context._lock:
        route, how, why = (function(stored.pointer) for function in
                           (lib.cairn_tensor_route, lib.cairn_tensor_how,
                            lib.cairn_tensor_why))
        if stored.borrowed:
            lines.append("stored: the arrays are borrowed")
        elif route:
            lines.append(f"stored: {route.decode()}")
            lines += ["  " + each for each in (how or b"").decode().splitlines()]
        if why:
            lines.append(f"  more slowly, since {why.decode()}")
        lines += _product(tensor)
    return "\n".join(lines)


def _product(tensor):
    stored = tensor._stored
    plan = stored.plan(1, tensor._transposed, tensor._how)
    info = plan_info(stored.context, plan)
    parts = plan_parts(stored, plan)
    devices = {part.device for part in parts}
    on = info.device.decode() if len(devices) < 2 else f"{len(devices)} devices"
    text = f"A @ x: {info.route.decode()} on {on}"
    if info.why:
        text += f", since {info.why.decode()}"
    lines = [text, f"  {_bytes(info.bytes_per_run)} are moved by a product"]
    if len(devices) > 1:
        lines += [f"  member {part.member}, {part.rows} rows from {part.first_row} on: "
                  f"{part.device.decode()}" for part in parts]
    return lines


def _cells(tensor):
    """Entries in each cell of a picture, or None where that cannot be had."""
    rows, cols = tensor._stored.shape
    try:
        with Source.of_tensor(tensor.context, tensor._stored.pointer) as source:
            longer = max(rows, cols)
            count = source.spy(*(max(1, min(n, round(CELLS * n / longer)))
                                 for n in (cols, rows)))
    except _errors.CairnError:
        return None
    return count.T if tensor._transposed else count


def svg(tensor):
    """A picture of where entries are, and a bar of the bytes of each part."""
    count = _cells(tensor) if min(tensor.shape) else None
    height, width = count.shape if count is not None else (1, 1)
    cell = SIDE / max(height, width)
    shown = []
    if count is not None and count.max():
        for i, j in zip(*count.nonzero()):
            shade = 0.25 + 0.75 * (count[i, j] / count.max()) ** 0.5
            shown.append(f'<rect x="{j * cell:.2f}" y="{i * cell:.2f}" width="{cell:.2f}" '
                         f'height="{cell:.2f}" fill="{COLOURS[0]}" opacity="{shade:.2f}"/>')
    of, rest = _head(tensor)
    texts = [rest, *(f"{_bytes(info.bytes)} {values}: {encoding}" if len(encoding) < 90 else
                     f"{_bytes(info.bytes)} {values}: {encoding[:87]}..."
                     for info, encoding, values in list(_members(tensor))[:6])]
    total = max(tensor.nbytes, 1)
    left = width * cell + 16
    for k, text in enumerate(texts):
        y = 16 + 34 * k
        shown.append(f'<text x="{left:.0f}" y="{y}" font-family="sans-serif" '
                     f'font-size="12">{html.escape(text)}</text>')
        if k:
            bar = 200 * tensor._stored.parts[k - 1].bytes / total
            shown.append(f'<rect x="{left:.0f}" y="{y + 5}" width="{bar:.1f}" height="8" '
                         f'fill="{COLOURS[k % len(COLOURS)]}"/>')
    high = max(height * cell, 34 * len(texts)) + 2
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + 620:.0f}" '
            f'height="{high:.0f}"><rect width="{width * cell:.2f}" '
            f'height="{height * cell:.2f}" fill="none" stroke="#888"/>'
            + "".join(shown) + "</svg>")
