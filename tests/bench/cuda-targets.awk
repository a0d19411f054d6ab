# SPDX-License-Identifier: BSD-3-Clause
# What was wanted of a card beside what came of it: lines of cuda.csv (cuda.sh) to a table in
# Markdown, one row a target. They are those of an H100; another card's table is its own. A
# peer's time over ours is of its best way and of our best; what was not verified is not
# counted, and what did not run is "not measured". A target of several matrices is met or not
# where all of them were measured; else the row says how many were.
# Usage: awk -F '"' -f cuda-targets.awk cuda.csv

# Field k of the numbers behind the quoted way.
function number(k, field) {
    split($3, field, ",")
    return field[k + 1]
}

function least(list, at, value) {
    if (!(at in list) || value < list[at]) list[at] = value
}

function most(list, at, value) {
    if (!(at in list) || value > list[at]) list[at] = value
}

/^facts,/ {
    split($0, fact, ",")
    facts[fact[2]] = fact[3]
}

/^spmv,/ {
    split($1, key, ",")
    at = key[2] "," key[3]
    if (number(6) != "yes") next
    if (key[5] != "Cairn") {
        least(peer, at, number(1))
        if ($2 ~ /^csr/) least(peer_csr, at, number(1))
        next
    }
    if (!(at in ours) || number(1) < ours[at])
        prepares[at] = number(7) * 1e3 / number(1)
    least(ours, at, number(1))
    if ($2 == "csr") {
        least(ours_csr, at, number(1))
        lists[at] = number(4)
    }
    if ($2 ~ /^(dia|bdia|sell)/) most(lanes, at, number(4))
}

/^(spmm|label),/ {
    split($1, key, ",")
    at = key[1] "," key[2] "," key[3] "," key[4]
    if (number(5) != "yes") next
    took = key[1] == "label" ? number(7) : number(1)
    if (key[5] == "Cairn") {
        least(ours, at, took)
    } else if (key[1] == "spmm" || $2 ~ /^csr/) {
        least(peer, at, took)
    }
}

/^hybrid,/ {
    split($1, key, ",")
    if (number(4) != "yes" || $2 ~ /a caller/) next
    at = "hybrid," key[2]
    if (key[5] != "Cairn") { least(peer, at, number(1)); next }
    split($2, way, ", ")
    if (way[1] ~ /^card/) least(ours, at, number(1))
    if (way[1] ~ /^processor/) least(processor, key[2], number(1))
    if (way[1] ~ /^divided/) least(divided, key[2], number(1))
}

# One row: `value` is what came, NONE if nothing did, of `counted` of the `asked` cases.
function row(what, value, sign, wanted, met, verdict) {
    met = sign == "at least" ? value >= wanted : value <= wanted
    verdict = counted < asked ? counted " of " asked " measured" : met ? "met" : "NOT MET"
    counted = asked = 0
    if (value == NONE)
        printf "| %s | %s %s | not measured | |\n", what, sign, wanted
    else
        printf "| %s | %s %s | %.3g | %s |\n", what, sign, wanted, value, verdict
}

# The geometric mean of peer over ours, or the least of them (`each`), of a list of keys.
function ratio(keys, each, names, k, at, sum, low, value) {
    asked = split(keys, names, " ")
    counted = 0
    for (k = 1; k <= asked; k++) {
        at = names[k]
        if (!(at in ours) || !(at in peer) || ours[at] <= 0) continue
        value = peer[at] / ours[at]
        sum += log(value)
        if (!counted++ || value < low) low = value
    }
    return !counted ? NONE : each ? low : exp(sum / counted)
}

function typed(names, type, list, n, k, text) {
    n = split(names, list, " ")
    for (k = 1; k <= n; k++) text = text " " list[k] "," type
    return text
}

# The least of a list's values of large matrices.
function lowest(list, keys, names, k, low) {
    asked = split(keys, names, " ")
    counted = 0
    for (k = 1; k <= asked; k++)
        if (names[k] in list && (!counted++ || list[names[k]] < low)) low = list[names[k]]
    return counted ? low : NONE
}

# The keys of products of matrices, each of all types, with all numbers of columns.
function with_columns(what, matrices, types, columns, m, t, c, i, j, k, text) {
    split(matrices, m, " ")
    split(types, t, " ")
    split(columns, c, " ")
    for (i in m)
        for (j in t)
            for (k in c) text = text " " what "," m[i] "," t[j] "," c[k]
    return text
}

function known(name) {
    return name in facts ? facts[name] : NONE
}

END {
    NONE = "none"
    structured = "s7_200 s27_120 band15_3m s5_3000"
    irregular = "rmat21 rand16_2m pruned_4k mixed_4m"
    graphs = "block16 wiki-Vote email-Eu-core p2p-Gnutella31 rmat17"
    of_host = "s7_200 mixed_4m band15_3m rand16_2m"
    print "| what | wanted | came | |"
    print "|---|---|---|---|"
    row("a vector, f64, structured: cuSPARSE's best over ours, geometric mean",
        ratio(typed(structured, "f64")), "at least", 1.25)
    row("the same, each", ratio(typed(structured, "f64"), 1), "at least", 1.05)
    row("`fem3_800k`, f64", ratio("fem3_800k,f64"), "at least", 1)
    row("a vector, f32, structured, geometric mean", ratio(typed(structured, "f32")),
        "at least", 1.45)
    row("a vector, f64, irregular, geometric mean", ratio(typed(irregular, "f64")),
        "at least", 1.1)
    row("the same, each", ratio(typed(irregular, "f64"), 1), "at least", 0.95)
    large = typed(structured " fem3_800k", "f64")
    every = large typed(irregular, "f64")
    for (at in ours) { kept[at] = ours[at]; delete ours[at] }
    for (at in peer) { kept_peer[at] = peer[at]; delete peer[at] }
    for (at in ours_csr) ours[at] = ours_csr[at]
    for (at in peer_csr) peer[at] = peer_csr[at]
    row("compressed rows: its over ours, f64, geometric mean", ratio(every), "at least", 1)
    row("the same, each", ratio(every, 1), "at least", 0.9)
    for (at in ours_csr) { delete ours[at]; delete peer[at] }
    for (at in kept) ours[at] = kept[at]
    for (at in kept_peer) peer[at] = kept_peer[at]
    row("lanes: of the copy's rate, least of structured, f64",
        lowest(lanes, typed(structured, "f64")), "at least", 0.85)
    row("lists (`csr`): of the copy's rate, least of structured and fem3, f64",
        lowest(lists, large), "at least", 0.75)
    row("32 and 128 columns: cuSPARSE's best over ours, geometric mean",
        ratio(with_columns("spmm", "rand16_200k block16 fem3_100k", "f32 f64", "32 128")),
        "at least", 1.3)
    row("the same, dense blocks",
        ratio(with_columns("spmm", "block16", "f32 f64", "32 128")), "at least", 1.5)
    row("label propagation, 64 and 256 columns, with what is prepared: its best compressed rows over ours, geometric mean",
        ratio(with_columns("label", graphs, "f32", "64 256")), "at least", 1.8)
    row("the same, 1000 columns", ratio(with_columns("label", graphs, "f32", 1000)),
        "at least", 1.5)
    row("vectors on the host: cuSPARSE's with pinned copies over the card alone, `s7_200` and `band15_3m`",
        ratio("hybrid,s7_200 hybrid,band15_3m", 1), "at least", 1.5)
    for (at in divided)
        if (at in processor && ("hybrid," at) in ours)
            together[at] = 1 / divided[at] / (1 / processor[at] + 1 / ours["hybrid," at])
    row("divided: of the sum of both rates, least", lowest(together, of_host),
        "at least", 0.85)
    row("prepared by the host, in products, most of structured, f64",
        greatest(prepares, typed(structured, "f64")), "at most", 250)
    row("a run from host to host, us", known("a run from host to host"), "at most", 25)
    row("a kernel behind others, us", known("a kernel behind others"), "at most", 6)
    row("first use of a format, ms", known("first use of a format"), "at most", 500)
}

function greatest(list, keys, names, k, high) {
    asked = split(keys, names, " ")
    counted = 0
    for (k = 1; k <= asked; k++)
        if (names[k] in list && (!counted++ || list[names[k]] > high)) high = list[names[k]]
    return counted ? high : NONE
}
