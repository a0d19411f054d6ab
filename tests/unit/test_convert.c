// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions. Paths are those of the documentation; a tensor converted from one random
/// format to another has, bit for bit, the arrays that the entries give in the second;
/// and every pair of the catalogue's formats converts, on matrices of every shape.
///
/// PROPERTY_SEED=N in the environment runs case N alone.

#include "convert/build.h"
#include "format/language.h"
#include "rules/path.h"
#include "support/crash_note.h"
#include "support/names.h"
#include "support/random_tensor.h"
#include "support/seed.h"
#include "tensor/walk.h"

#include <cairn/cairn.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdlib.h>
#include <string.h>

enum { USUAL_CASES = 2500, LIMIT = 8 << 20 };

/* ---- paths ---- */

typedef struct {
    char to[160], from[160], path[256];
} one_path;

ParameterizedTestParameters(convert, paths)
{
    static one_path cases[] = {
        {"bdia<3>",                                                           "coo",                                                               "Skew(0,1,-1) TileSplit(0,3) Sort Fill(0) Merge(0)"},
        {"csr",                                                               "coo",                                                               "Fill(0) Merge(0)"                                 },
        {"coo",                                                               "csr",                                                               "Split(0) Trim(0)"                                 },
        {"coo",                                                               "coo",                                                               ""                                                 },
        {"dcsr",                                                              "csr",                                                               "Trim(0)"                                          },
        {"csr",                                                               "dcsr",                                                              "Fill(0)"                                          },
        {"csc",                                                               "csr",                                                               "Split(0) Trim(0) Swap(0,1) Sort Fill(0) Merge(0)" },
        {"lil",                                                               "csr",                                                               "Pack(0,1)"                                        },
        {"csr",                                                               "lil",                                                               "Unpack(0,1)"                                      },
        {"dok",                                                               "csr",                                                               "Split(0) Trim(0) Pack(0,1)"                       },
        {"dense<2>",                                                          "coo",                                                               "Fill(0) Fill(1)"                                  },
        {"coo",                                                               "dense<2>",                                                          "Devectorize(1) Trim(0)"                           },
        {"dia",                                                               "coo",                                                               "Skew(0,1,-1) Swap(0,1) Sort Merge(0) Vectorize(1)"},
        {"dia-variant",                                                       "dia",
         "Split(0) Devectorize(1) Skew(0,1,1) Merge(0) Vectorize(1)"                                                                                                                                  },
        {"coo",                                                               "bdia<3>",
         "Split(0) Devectorize(2) Trim(0) TileUnion(0,2,3) Skew(0,1,1) Sort"                                                                                                                          },
        {"bcsr<2,3>",                                                         "coo",
         "TileSplit(0,2) TileSplit(1,3) Sort Fill(0) Merge(0) Merge(1)"                                                                                                                               },
        {"bcsc<2,3>",                                                         "bcsr<2,3>",
         "Split(1) Split(0) Devectorize(2) Devectorize(3) Trim(0) Swap(0,1) Sort "
         "Fill(0) Merge(0) Merge(1) Vectorize(3) Vectorize(2)"                                                                                                                                        },
        {"csb<2,2>",                                                          "coo",
         "TileSplit(0,2) TileSplit(1,2) Sort Devectorize(2) Devectorize(3) Fill(0) "
         "Fill(1) Merge(1)"                                                                                                                                                                           },
        {"ell",                                                               "csr",
         "Split(0) Trim(0) Sum(0) Enumerate(1) Swap(0,2) Swap(1,2) Sort Merge(0) "
         "Vectorize(1)"                                                                                                                                                                               },
        {"csr",                                                               "ell",
         "Split(0) Devectorize(1) Devectorize(2) Drop(0) Sort Fill(0) Merge(0)"                                                                                                                       },
        {"sell<4>",                                                           "coo",
         "Sum(count) Enumerate(slot) TileSplit(0,4) Swap(1,2) Swap(2,3) Sort Fill(0) "
         "Merge(0)"                                                                                                                                                                                   },
        {"c2sr<2>",                                                           "coo",
         "TileSplit(0,2) Swap(0,2) Swap(1,2) Sort Devectorize(2) Fill(0) Fill(1) "
         "Merge(0) Merge(1) Partition(0)"                                                                                                                                                             },
        {"hybrid<bdia<2>,csr,0.5>",                                           "coo",
         "Decompose Member(0) Skew(0,1,-1) TileSplit(0,2) Sort Fill(0) Merge(0) "
         "Member(1) Fill(0) Merge(0)"                                                                                                                                                                 },
        {"csr",                                                               "hybrid<bdia<2>,csr,0.5>",
         "Member(0) Split(0) Devectorize(2) Trim(0) TileUnion(0,2,2) Skew(0,1,1) "
         "Member(1) Split(0) Trim(0) Compose Sort Fill(0) Merge(0)"                                                                                                                                   },
        {"csf<3>",                                                            "coo<3>",                                                            "Merge(0) Merge(1)"                                },
        {"#encoding<{ idx_map<(d0,d1)->(2*d0+1,d1)>, mutation<trim(0,1)> }>", "coo",
         "Scale(0,2) Shift(0,1)"                                                                                                                                                                      },
        {"coo",                                                               "#encoding<{ idx_map<(d0,d1)->(2*d0+1,d1)>, mutation<trim(0,1)> }>",
         "Shift(0,-1) Unscale(0,2)"                                                                                                                                                                   },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
         "bits<idx(1) = 64> }>",                                     "csr",                                                               "Bits(idx(1)=64)"                                  },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
         "layout<val(i8)> }>",                                       "csr",                                                               "Val(i8)"                                          },
        {"csr",
         "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
         "layout<val(i8)> }>",                                                                                                                     "Val"                                              },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
         "layout<val(exact)> }>",                                    "coo",                                                               "Fill(0) Merge(0) Val(exact)"                      },
    };

    return cr_make_param_array(one_path, cases, sizeof cases / sizeof *cases);
}

static void print_path(const cairn_path *path, char *out, size_t size)
{
    out[0] = '\0';
    for (int k = 0; k < cairn_path_steps(path); k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s", k ? " " : "",
                 cairn_path_at(path, k).rule);
}

ParameterizedTest(one_path *c, convert, paths)
{
    cairn_context *context;
    cairn_format  *from, *to;
    cairn_path    *path;
    char           text[1024];

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cr_assert_eq(cairn_format_create(context, named(c->from), &from), CAIRN_OK, "%s",
                 cairn_context_message(context));
    cr_assert_eq(cairn_format_create(context, named(c->to), &to), CAIRN_OK, "%s",
                 cairn_context_message(context));
    cr_assert_eq(cairn_path_create(context, from, to, NULL, &path), CAIRN_OK, "%s",
                 cairn_context_message(context));
    print_path(path, text, sizeof text);
    cr_expect_str_eq(text, c->path, "%s from %s:\n%s\nnot\n%s", c->to, c->from, text,
                     c->path);
    cairn_path_destroy(&path);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_context_destroy(&context);
}

/* ---- random pairs ---- */

typedef struct {
    cairn_env     env;
    uint64_t      seed, state;
    cairn_shape   shape;
    cairn_entries entries;
    char          from[RANDOM_FORMAT], to[RANDOM_FORMAT];
} pair;

typedef struct {
    int ran, refused, too_large, rules;
} tally;

/// From the entries, or from another tensor.
static cairn_status
build(pair *p, const cairn_format *format, const cairn_local *from, cairn_local **out)
{
    cairn_build b = {.format     = format,
                     .shape      = p->shape,
                     .entries    = &p->entries,
                     .from       = from,
                     .value_bits = 64};

    for (int k = 0; k < p->shape.order; k++)
        b.box[k] = (cairn_interval){0, p->shape.extent[k] - 1};
    return cairn_local_build(&p->env, &b, out);
}

static void check_part(const pair *p, const cairn_part *direct, const cairn_part *other)
{
    cairn_array a[CAIRN_MAX_ARRAYS], b[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(direct, a);

    cr_assert_eq(direct->nnz, other->nnz);
    cr_assert_eq(arrays, cairn_part_arrays(other, b));
    for (int k = 0; k < arrays; k++)
        cr_assert(a[k].bytes == b[k].bytes && a[k].bits == b[k].bits
                      && memcmp(a[k].data, b[k].data, (size_t)a[k].bytes) == 0,
                  "seed %llu: array %d of level %d differs\nfrom %s\nto %s",
                  (unsigned long long)p->seed, k, a[k].level, p->from, p->to);
}

/// e -> e' has the arrays of entries -> e'.
static void check_pair(pair               *p,
                       const cairn_format *from,
                       const cairn_format *to,
                       const cairn_local  *source,
                       tally              *t)
{
    cairn_local *converted = NULL, *built = NULL;
    cairn_path  *path;

    cairn_status status = build(p, to, NULL, &built);

    if (status != CAIRN_OK) {
        const cairn_status same = build(p, to, source, &converted);

        cr_assert_eq(status, same, "seed %llu: %d and %d: %s\nfrom %s\nto %s",
                     (unsigned long long)p->seed, status, same, p->env.message, p->from,
                     p->to);
        t->refused++;
        return;
    }
    p->env.memory_limit = 4 * LIMIT; /* what was built is there, too */
    cr_assert_eq(build(p, to, source, &converted), CAIRN_OK,
                 "seed %llu: %s\nfrom %s\nto %s", (unsigned long long)p->seed,
                 p->env.message, p->from, p->to);
    cr_assert_eq(built->parts, converted->parts);
    for (int64_t k = 0; k < built->parts; k++)
        check_part(p, &converted->part[k], &built->part[k]);
    cr_assert_eq(cairn_path_plan(&p->env, from, to, p->shape.extent, &path), CAIRN_OK);
    t->rules += path->rules;
    t->ran++;
    cairn_path_destroy(&path);
    cairn_local_destroy(&converted);
    cairn_local_destroy(&built);
}

static void run_pair(uint64_t seed, tally *t)
{
    static pair   p;
    cairn_format *from = NULL, *to = NULL;
    cairn_local  *source = NULL;

    memset(&p, 0, sizeof p);
    cairn_env_init(&p.env);
    p.env.memory_limit = LIMIT;
    crash_note("seed %llu", (unsigned long long)seed);
    p.seed = p.state = seed;
    random_tensor(&p.env, &p.state, &p.shape, &p.entries);
    random_format(&p.state, p.shape.order, p.from, sizeof p.from);
    random_format(&p.state, p.shape.order, p.to, sizeof p.to);
    if (cairn_format_parse(&p.env, NULL, named(p.from), "from", &from) != CAIRN_OK
        || cairn_format_parse(&p.env, NULL, named(p.to), "to", &to) != CAIRN_OK
        || build(&p, from, NULL, &source) != CAIRN_OK)
        t->refused++;
    else
        check_pair(&p, from, to, source, t);
    cairn_local_destroy(&source);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_entries_fini(&p.env, &p.entries);
    cr_assert_eq(p.env.live_blocks, 0, "seed %llu leaks\nfrom %s\nto %s",
                 (unsigned long long)seed, p.from, p.to);
    cairn_env_fini(&p.env);
}

Test(convert, random_pairs, .timeout = 3600)
{
    const char *given = getenv("PROPERTY_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000033;
    tally       t     = {0};
    const int   cases = given ? 1 : seed_cases(USUAL_CASES);

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4 * cases && t.ran < cases; k++) {
        run_pair(seed + (uint64_t)k, &t);
        if (given) break;
    }
    printf("%d pairs ran, %d rules; %d refused\n", t.ran, t.rules, t.refused);
    if (!given) cr_expect_geq(t.ran, cases, "only %d of %d pairs ran", t.ran, cases);
}
