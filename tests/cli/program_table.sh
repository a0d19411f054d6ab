# SPDX-License-Identifier: BSD-3-Clause
# The table of docs/conversion.md that has every format's program, from csr and from coo, is
# what the command prints. `program_table.sh write` writes it.
. "$(dirname "$0")/lib.sh"

page=$here/../../docs/conversion.md
begin='<!-- made by tests/cli/program_table.sh write -->'

# names: the formats of the catalogue, a line each.
names() { sed -n 's/^.*[ {]"\(.*\)"[,}].*$/\1/p' "$here/../support/every_format.h"; }

# cell TO FROM: the methods of the planned program, each with its passes. A pass moves single
# entries, and directly, unless it says otherwise; of several members all are listed.
cell() {
    expect 0 format "$1" --path "$2"
    awk '
    function end_pass() {
        if (pass) text = text (times > 1 ? times " " : "") pass ", "
        pass = ""
    }
    /^  member  method / { inside = 1; next }
    inside && !/^  (to|all|[0-9])/ { exit }
    inside {
        to = $1 == "to" # the number of an intermediate follows
        owner = $1 (to ? $2 : "") " " $(2 + to)
        if (owner != before) {
            end_pass()
            sub(/, $/, "; ", text)
            text = text (to ? "first " : "") "`" $(2 + to) "` "
            before = owner
        }
        this = $(3 + to)
        if ($(4 + to) == "run" && (this == "Move" || this == "Append")) this = this " run"
        if ($(5 + to) != "-") this = this " " $(5 + to)
        if ($(7 + to) ~ /tiled|bucketed/) this = this " " $(7 + to)
        if (this != pass) end_pass()
        times = this == pass ? times + 1 : 1
        pass = this
    }
    END {
        end_pass()
        sub(/, $/, "", text)
        print text == "" ? "nothing changes" : text
    }' out
}

table() {
    echo '| format | from `csr` | from `coo` |'
    echo '|---|---|---|'
    names | while read -r name; do
        echo "| \`$name\` | $(cell "$name" csr) | $(cell "$name" coo) |"
    done
}

environment='CAIRN_COST=shipped CAIRN_KERNELS=auto'
table >made
[ "$(wc -l <made)" -gt 20 ] || fail 'no formats were found'
awk -v begin="$begin" '$0 == begin { within = 1; next } !/^\|/ { within = 0 } within' "$page" >written
if [ "${1:-}" = write ]; then
    awk -v begin="$begin" '
    $0 == begin { print; while ((getline line < "made") > 0) print line; within = 1; next }
    within && /^\|/ { next }
    { within = 0; print }' "$page" >page && cp page "$page"
else
    last='the table of docs/conversion.md'
    checks=$((checks + 1))
    diff written made >out || fail 'is not what the command prints: program_table.sh write'
fi
finish
