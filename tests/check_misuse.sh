#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fail unless every argument of every public function is misused by a test: each parameter
# that a header declares stands in tests/unit/test_api_misuse.c as the first two words of
# a REFUSES, FAILS, SILENT or ALLOWS (tests/support/misuse.h), and one of these calls gives
# a pointer NULL, an enumeration a number that it has not (odd[...], or one that is cast),
# and a size or a number a negative one (also odd[...] and wrong[...], which begin with
# -1).
# Usage: check_misuse.sh [FOLDER] (default: this tree)
set -eu

cd "${1:-$(dirname "$0")/..}"
test=tests/unit/test_api_misuse.c
wanted=$(mktemp)
found=$(mktemp)
trap 'rm -f "$wanted" "$found"' EXIT

# FUNCTION PARAMETER of every declaration, with its position in a call and its kind; "void"
# has none, a pointer to a function is called by its own name.
cat include/cairn/*.h | awk '
    /^typedef enum/           { enum = 1 }
    enum && /} cairn_[a-z_]+;/ { name = $0; sub(/.*} /, "", name); sub(/;.*/, "", name); is_enum[name] = 1 }
    /}/                       { enum = 0 }
    /^CAIRN_API/        { text = ""; inside = 1 }
    inside              { sub(/\/\/.*/, ""); text = text " " $0 }
    inside && /;/ {
        inside = 0
        declaration[++n] = text
    }
    function kind_of(parameter,   type) {
        if (parameter ~ /[*[]/) return "pointer"
        type = parameter
        sub(/ *[a-z0-9_]+ *$/, "", type)
        sub(/^ *(const )?/, "", type)
        if (type in is_enum) return "enumeration"
        return type ~ /^(int|int64_t)$/ ? "number" : "any"
    }
    END {
        for (d = 1; d <= n; d++) {
            text = declaration[d]
            gsub(/[ \t]+/, " ", text)
            match(text, /cairn_[a-z0-9_]+\(/)
            name = substr(text, RSTART, RLENGTH - 1)
            rest = substr(text, RSTART + RLENGTH)
            while (match(rest, /\(\*[a-z_]+\)\([^)]*\)/)) {
                pointer = substr(rest, RSTART + 2, RLENGTH - 2)
                sub(/\).*/, "", pointer)
                rest = substr(rest, 1, RSTART - 1) "*" pointer substr(rest, RSTART + RLENGTH)
            }
            sub(/\) *;.*/, "", rest)
            count = split(rest, parameter, ",")
            skipped = 0
            for (k = 1; k <= count; k++) {
                kind = kind_of(parameter[k])
                sub(/\[.*/, "", parameter[k])
                sub(/.*[ *]/, "", parameter[k])
                # A list is asked for by an inline function, which gives the size alone.
                caller = name
                at = k - skipped
                if (name ~ /_sized$/ && parameter[k] == "size") { skipped = 1; at = k }
                else sub(/_sized$/, "", caller)
                if (parameter[k] == "void") print caller, "", 0, "any"
                else print caller, parameter[k], at, kind
            }
        }
    }' >"$wanted"
[ -s "$wanted" ] || { echo "check_misuse: no public function found"; exit 1; }

# Each call that misuses, on a line: FUNCTION PARAMETER and its arguments, with tabs before.
tr -s ' \n' ' ' <"$test" | awk '
    # Where the parenthesis ends that is open at the begin of a text.
    function closed(text,   k, c, depth) {
        depth = 1
        for (k = 1; k <= length(text) && depth > 0; k++) {
            c = substr(text, k, 1)
            if (c == "\"") { k++; while (substr(text, k, 1) != "\"") k += substr(text, k, 1) == "\\" ? 2 : 1 }
            depth += (c == "(" || c == "{" || c == "[") - (c == ")" || c == "}" || c == "]")
        }
        return k - 1
    }
    # The arguments of a call, each after a tab.
    function arguments(text,   k, c, depth, out) {
        for (k = 1; k <= length(text); k++) {
            c = substr(text, k, 1)
            if (c == "\"") {
                out = out c
                while (substr(text, ++k, 1) != "\"") {
                    if (substr(text, k, 1) == "\\") out = out substr(text, k++, 1)
                    out = out substr(text, k, 1)
                }
            }
            depth += (c == "(" || c == "{" || c == "[") - (c == ")" || c == "}" || c == "]")
            out = out (c == "," && depth == 0 ? "\t" : c)
        }
        return "\t" out
    }
    {
        rest = $0
        while (match(rest, /(REFUSES|FAILS|SILENT|ALLOWS)\( ?cairn_[a-z0-9_]+, ?[a-z0-9_]*/)) {
            head = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART)
            tail = substr(rest, index(rest, "(") + 1)
            use  = substr(tail, 1, closed(tail) - 1)
            rest = substr(rest, RLENGTH + 1)
            allows = head ~ /^ALLOWS/
            sub(/^[A-Z]+\( ?/, "", head)
            sub(/, ?/, " ", head)
            sub(/ $/, "", head)
            split(head, word, " ")
            sub(/^ ?[a-z0-9_]+, ?[a-z0-9_]*,? ?/, "", use)
            if (!allows) { print head arguments(use); continue }
            print head
            call = word[1] "("
            while ((at = index(use, call)) > 0) {
                use = substr(use, at + length(call))
                print head arguments(substr(use, 1, closed(use) - 1))
            }
        }
    }' >"$found"

LC_ALL=C awk -F '\t' -v test="$test" '
    NR == FNR {
        seen[$1] = 1
        for (k = 2; k <= NF; k++) value[$1, k - 1] = value[$1, k - 1] "\t" $k
        next
    }
    {
        split($0, word, " ")
        if ($0 ~ /  0 any$/) { what = word[1]; at = 0; kind = "any" }
        else { what = word[1] " " word[2]; at = word[3]; kind = word[4] }
        given = value[what, at]
        if (!(what in seen)) why = "not misused"
        else if (kind == "pointer" && given !~ /NULL/) why = "never NULL"
        else if (kind == "enumeration" && given !~ /odd\[|\(cairn_[a-z_]+\)/) why = "never out of range"
        else if (kind == "number" && given !~ /(^|[^a-z0-9_])-[ 0-9]|(odd|wrong)\[|MIN/) why = "never negative"
        else next
        print test ": " what ": " why
        wrong = 1
    }
    END { exit wrong }' "$found" "$wanted"
