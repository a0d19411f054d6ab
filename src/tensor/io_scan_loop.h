// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop around a scanner's lines. Included once by each scanner, after it has defined
/// scan_line(): take the line at @p p into @p line, return where the next one begins, or
/// NULL if it is unusual, wrong, or too near to the end.

#ifndef CAIRN_TENSOR_IO_SCAN_LOOP_H
#define CAIRN_TENSOR_IO_SCAN_LOOP_H

/// Whether an entry stands where those of a symmetric file may.
static inline bool in_triangle(const cairn_scan *scan, const scanned_line *line)
{
    return !scan->mirror || line->i > line->j || (line->i == line->j && !scan->skew);
}

static void scan_lines(cairn_scan *scan, int64_t most)
{
    cairn_entries *const entries = scan->entries;
    cairn_coord *const row = entries->coord[0], *const col = entries->coord[1];
    double *const value  = entries->value;
    const bool    mirror = scan->mirror, skew = scan->skew;
    cairn_pos     n     = entries->n;
    const char   *p     = scan->p;
    int64_t       lines = 0;

    while (lines < most && n + 1 < entries->capacity) {
        scanned_line      line;
        const char *const next = scan_line(scan, p, &line);

        if (!next || !in_triangle(scan, &line)) break;
        row[n]     = line.i;
        col[n]     = line.j;
        value[n++] = line.value;
        if (mirror && line.i != line.j) {
            row[n]     = line.j;
            col[n]     = line.i;
            value[n++] = skew ? -line.value : line.value;
        }
        p = next;
        lines++;
    }
    entries->n = n;
    scan->p    = p;
    scan->lines += lines;
}

#endif
