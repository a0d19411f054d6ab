# SPDX-License-Identifier: BSD-3-Clause
# What checks of the source read of C: the code. `inside` is 1 in a comment; set it to 0
# where a file begins.

# The line without comments and texts.
function code_of(line,   kept, at) {
    kept = ""
    while (line != "") {
        if (inside) {
            at = index(line, "*/")
            if (!at) return kept
            line = substr(line, at + 2)
            inside = 0
        } else if (match(line, /"|\/\*|\/\//)) {
            kept = kept substr(line, 1, RSTART - 1)
            at = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (at == "//") return kept
            if (at == "/*") inside = 1
            else if (!match(line, /^([^"\\]|\\.)*"/)) return kept
            else line = substr(line, RLENGTH + 1)
        } else return kept line
    }
    return kept
}
