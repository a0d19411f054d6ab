# SPDX-License-Identifier: BSD-3-Clause
# Draw a trace that `cairn run --trace` wrote as SVG: a track for each thread, bars in
# time. Usage: awk -v from=A -v to=B -f trace.awk TRACE.json >PICTURE.svg
# A and B are the iterations to show, the first and the last.

# The text or number that a line has under a name.
function field(name,    rest, at) {
    at = index($0, "\"" name "\":")
    if (!at) return ""
    rest = substr($0, at + length(name) + 3)
    if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    match(rest, /^-?[0-9.]+/)
    return substr(rest, 1, RLENGTH)
}

# Text at (x, y) that ends, begins or lies in the middle there.
function write(x, y, anchor, text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text
}

BEGIN {
    n = rows = 0
    left   = 120
    width  = 720
    height = 34
    colour["kernel"] = "#4878a8"
    colour["add"]    = "#d08a3c"
}

/"thread_name"/ {
    key = field("pid") " " field("tid")
    match($0, /"args":\{"name":"[^"]*"/)
    name[key]  = substr($0, RSTART + 16, RLENGTH - 17)
    row[key]   = rows
    line[rows++] = key
}

/"ph":"X"/ {
    if (field("iteration") + 0 < from || field("iteration") + 0 > to) next
    begin[n] = field("ts") + 0
    last[n]  = begin[n] + field("dur")
    track[n] = field("pid") " " field("tid")
    kind[n]  = field("cat")
    what[n]  = field("name")
    sub(/ on .*/, "", what[n])
    if (n == 0 || begin[n] < first) first = begin[n]
    if (last[n] > end) end = last[n]
    n++
}

END {
    if (n == 0) {
        print "trace.awk: no such iterations" >"/dev/stderr"
        exit 1
    }
    scale = width / (end - first)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" ", \
        left + width + 20, rows * height + 60
    print "font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    for (r = 0; r < rows; r++)
        write(left - 10, r * height + 32, "end", name[line[r]])
    for (k = 0; k < n; k++) {
        x = left + (begin[k] - first) * scale
        w = (last[k] - begin[k]) * scale
        y = row[track[k]] * height + 14
        fill = kind[k] in colour ? colour[kind[k]] : "#808080"
        printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"26\" fill=\"%s\"/>\n", \
            x, y, w < 0.5 ? 0.5 : w, fill
        if (w < 7 * length(what[k])) sub(/ .*/, "", what[k])
        if (w > 6.5 * length(what[k])) {
            print "<g fill=\"white\">"
            write(x + w / 2, y + 17, "middle", what[k])
            print "</g>"
        }
    }
    step = 10 ^ int(log((end - first) / 4) / log(10))
    while ((end - first) / step > 10) step *= 2
    base = rows * height + 24
    printf "<path d=\"M%d %d h%d\" stroke=\"black\"/>\n", left, base, width
    for (t = 0; t <= end - first; t += step) {
        printf "<path d=\"M%.1f %d v5\" stroke=\"black\"/>\n", left + t * scale, base
        write(left + t * scale, base + 20, "middle", t)
    }
    write(left - 10, base + 20, "end", "microseconds")
    print "</svg>"
}
