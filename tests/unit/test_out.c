// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Out again: entries in a caller's arrays, from any format. They are those of a copy, not
/// one byte beside the arrays is written, and nothing at all where something is wrong.

#include "api/api.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"
#include "support/walled.h"

enum { MOST = 400, CELLS = 300, UNTOUCHED = 0x5a };

TestSuite(out, .init = context_up, .fini = context_down, .timeout = 600);

/// Entries of a tensor of order 1 to 3, sorted, each once.
typedef struct {
    int     order;
    int64_t extent[3], n, coord[3 * MOST];
    double  value[MOST];
} list;

static int compare(const void *a, const void *b)
{
    const int64_t *const x = a, *const y = b;

    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void draw(uint64_t *state, int order, list *l)
{
    int64_t   all[MOST][3] = {{0}};
    const int n            = random_chance(state, 8) ? 0 : random_below(state, MOST);

    l->order = order;
    l->n     = 0;
    for (int k = 0; k < order; k++)
        l->extent[k] =
            1 + random_below(state, random_chance(state, 20) ? CELLS - 1 : 25);
    for (int p = 0; p < n; p++)
        for (int k = 0; k < order; k++)
            all[p][k] = random_below(state, (int)l->extent[k]);
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int p = 0; p < n; p++) {
        if (p > 0 && compare(all[p], all[p - 1]) == 0) continue;
        memcpy(l->coord + l->n * order, all[p], (size_t)order * sizeof **all);
        l->value[l->n++] = (double)(1 + random_below(state, 63)) / 8;
    }
}

static cairn_tensor *make(const list *l, const char *text, cairn_dtype dtype)
{
    cairn_source *source;
    cairn_tensor *tensor;

    MUST(context, cairn_source_from_coords(context, l->order, l->extent, l->n, l->coord,
                                           l->value, CAIRN_BY_NNZ, &source));
    tensor = must_store(context, source, text, dtype);
    cairn_source_destroy(&source);
    return tensor;
}

/* ---- arrays ---- */

/// An array between walls: at the end of its memory, or at its begin.
typedef struct {
    walled memory;
    char  *at;
} array;

static array take(int64_t bytes, bool at_end)
{
    array a = {.memory = wall((size_t)bytes)};

    memset(a.memory.base, UNTOUCHED, a.memory.pages);
    a.at = a.memory.base + (at_end ? a.memory.pages - (size_t)bytes : 0);
    return a;
}

/// Is nothing written outside of the first @p bytes?
static bool is_clean(const array *a, int64_t bytes)
{
    for (const char *p = a->memory.base; p < a->memory.base + a->memory.pages; p++)
        if ((p < a->at || p >= a->at + bytes) && *p != UNTOUCHED) return false;
    return true;
}

static int64_t number_at(const void *at, int64_t k, int bits)
{
    return bits == 32 ? ((const int32_t *)at)[k] : ((const int64_t *)at)[k];
}

static double value_at(const void *at, int64_t k, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (double)((const float *)at)[k]
                              : ((const double *)at)[k];
}

/* ---- lines ---- */

/// Lines of a matrix by the definition.
static int64_t lines_of(const list *l, bool by_columns, int64_t *ptr, int64_t *entry)
{
    int64_t n = 0;

    for (int64_t i = 0; i < l->extent[by_columns]; i++) {
        ptr[i] = n;
        for (int64_t p = 0; p < l->n; p++)
            if (l->coord[2 * p + by_columns] == i) entry[n++] = p;
        ptr[i + 1] = n;
    }
    return l->extent[by_columns];
}

static void check_lines(const list       *l,
                        cairn_tensor     *tensor,
                        bool              by_columns,
                        cairn_compressed *a,
                        bool              at_end,
                        uint64_t          seed)
{
    int64_t       ptr[CELLS + 1], entry[MOST];
    const int64_t lines = lines_of(l, by_columns, ptr, entry);
    const int64_t its[] = {(lines + 1) * a->ptr_bits / 8, l->n * a->idx_bits / 8,
                           l->n * (a->dtype == CAIRN_F32 ? 4 : 8)};
    array         p = take(its[0], at_end), i = take(its[1], at_end);
    array         v = take(its[2], at_end);

    a->ptr        = p.at;
    a->idx        = i.at;
    a->val        = v.at;
    a->ptr_length = lines + 1;
    a->length     = l->n;
    cr_assert_eq((by_columns ? cairn_tensor_to_csc : cairn_tensor_to_csr)(tensor, a),
                 CAIRN_OK, "seed %llu: %s", (unsigned long long)seed,
                 cairn_context_message(context));
    cr_assert_eq(a->entries, l->n, "seed %llu", (unsigned long long)seed);
    for (int64_t k = 0; k <= lines; k++)
        cr_assert_eq(number_at(a->ptr, k, a->ptr_bits), ptr[k] + a->base,
                     "seed %llu: ptr[%d]", (unsigned long long)seed, (int)k);
    for (int64_t k = 0; k < l->n; k++) {
        cr_assert_eq(number_at(a->idx, k, a->idx_bits),
                     l->coord[2 * entry[k] + !by_columns] + a->base,
                     "seed %llu: idx[%d]", (unsigned long long)seed, (int)k);
        cr_assert_eq(value_at(a->val, k, a->dtype), l->value[entry[k]], "seed %llu",
                     (unsigned long long)seed);
    }
    cr_expect(is_clean(&p, its[0]) && is_clean(&i, its[1]) && is_clean(&v, its[2]),
              "seed %llu", (unsigned long long)seed);
    tear_down(&p.memory);
    tear_down(&i.memory);
    tear_down(&v.memory);
}

static void check_matrix(uint64_t seed, const char *text)
{
    static list      l;
    uint64_t         state   = seed;
    cairn_compressed a       = CAIRN_COMPRESSED;
    const bool       columns = random_chance(&state, 40);

    draw(&state, 2, &l);
    a.ptr_bits           = random_chance(&state, 50) ? 32 : 64;
    a.idx_bits           = random_chance(&state, 50) ? 32 : 64;
    a.base               = random_below(&state, 2);
    a.dtype              = random_chance(&state, 70) ? CAIRN_F64 : CAIRN_F32;
    cairn_tensor *tensor = make(&l, text, a.dtype);

    cr_expect_eq(cairn_tensor_entries(tensor), l.n);
    check_lines(&l, tensor, columns, &a, random_chance(&state, 50), seed);
    cairn_tensor_destroy(&tensor);
}

static void check_matrices(int kernels, int cases)
{
    const uint64_t first = seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    context->env.options.kernels = kernels;
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(cases); seed++)
        check_matrix(seed, formats[seed % FORMATS]);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
}

Test(out, lines_are_those_of_the_definition)
{
    check_matrices(CAIRN_KERNELS_AUTO, 10 * FORMATS);
}

/// All functions compiled: widths and formats that share them.
Test(out, compiled_functions_write_into_the_arrays)
{
    static const char *const few[] = {"csr", "coo", "csc", "ell", "bcsr<2,3>", "dia"};
    const uint64_t           first = seed_clock() * 1000003;

    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(36); seed++)
        check_matrix(seed, few[seed % 6]);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
}

/// What is stored narrow goes out as wide as it was.
Test(out, narrow_values_are_widened)
{
    static const char *const vals[] = {"exact", "i16", "f32", "dict8"};

    for (int k = 0; k < 8; k++) {
        static list      l;
        uint64_t         state = seed_clock() * 1000003 + (uint64_t)k;
        char             text[160];
        cairn_compressed a = CAIRN_COMPRESSED;

        draw(&state, 2, &l);
        for (int64_t p = 0; p < l.n; p++)
            l.value[p] = random_below(&state, 200);
        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(%s)>, mutation<merge(0), trim(1,1)>, "
                 "layout<val(%s)> }>",
                 k < 4 ? "d0,d1" : "d1,d0", vals[k % 4]);
        a.base               = k % 2;
        cairn_tensor *tensor = make(&l, text, CAIRN_F64);

        check_lines(&l, tensor, false, &a, true, state);
        cairn_tensor_destroy(&tensor);
    }
}

/* ---- coordinates ---- */

typedef enum { APART, TOGETHER, WITH_VALUE, LOOSELY, WAYS } way;

static void check_list(const list       *l,
                       cairn_tensor     *tensor,
                       way               how,
                       cairn_coords_out *a,
                       bool              at_end)
{
    const int64_t idx = a->idx_bits / 8, val = a->dtype == CAIRN_F32 ? 4 : 8;
    const int64_t all = l->order * idx, widest = idx > val ? idx : val;
    const int64_t off        = (all + val - 1) / val * val;
    const int64_t record     = (off + val + widest - 1) / widest * widest;
    const int64_t stride     = how == APART      ? idx
                               : how == TOGETHER ? all
                               : how == LOOSELY  ? 3 * idx
                                                 : record;
    const int64_t val_stride = how == WITH_VALUE ? record
                               : how == LOOSELY  ? 2 * val
                                                 : val;
    const bool    joined     = how == TOGETHER || how == WITH_VALUE;
    array         m[4];
    int           arrays = 0;

    for (int k = 0; k < l->order; k++) {
        if (k == 0 || !joined) m[arrays++] = take(l->n * stride, at_end);
        a->idx[k] = joined ? m[0].at + k * idx : m[k].at;
    }
    if (how != WITH_VALUE) m[arrays++] = take(l->n * val_stride, at_end);
    a->val        = how == WITH_VALUE ? m[0].at + off : m[arrays - 1].at;
    a->idx_stride = how == APART ? 0 : stride;
    a->val_stride = how == APART || how == TOGETHER ? 0 : val_stride;
    a->length     = l->n;
    MUST(context, cairn_tensor_to_coords(tensor, a));
    cr_assert_eq(a->entries, l->n);
    for (int64_t p = 0; p < l->n; p++) {
        for (int k = 0; k < l->order; k++)
            cr_assert_eq(number_at((char *)a->idx[k] + p * stride, 0, a->idx_bits),
                         l->coord[p * l->order + k] + a->base, "%d: %d, %d", how,
                         (int)p, k);
        cr_assert_eq(value_at((char *)a->val + p * val_stride, 0, a->dtype),
                     l->value[p]);
    }
    for (int k = 0; k < arrays; k++) {
        const int64_t bytes =
            l->n * (k < (joined ? 1 : l->order) ? stride : val_stride);

        cr_expect(is_clean(&m[k], bytes));
        tear_down(&m[k].memory);
    }
    a->val = NULL; /* coordinates alone */
}

static const char *const cubes[] = {
    "#encoding<{ idx_map<(d0,d1,d2)->(d0,d1,d2)>, mutation<trim(0,2)> }>",
    "#encoding<{ idx_map<(d0,d1,d2)->(d2,d0,d1)>, mutation<merge(0,1), trim(1,2)> }>"};
static const char *const rows[] = {
    "#encoding<{ idx_map<(d0)->(d0)>, mutation<trim(0,0)> }>",
    "#encoding<{ idx_map<(d0)->(d0)> }>"};

Test(out, lists_lie_as_is_asked)
{
    const uint64_t first = seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(400); seed++) {
        static list       l;
        uint64_t          state = seed;
        const int         order = 1 + random_below(&state, 3);
        const char *const text  = order == 2   ? formats[seed % FORMATS]
                                  : order == 1 ? rows[seed % 2]
                                               : cubes[seed % 2];
        cairn_coords_out  a     = CAIRN_COORDS_OUT;

        draw(&state, order, &l);
        a.idx_bits           = random_chance(&state, 50) ? 32 : 64;
        a.base               = random_below(&state, 2);
        a.dtype              = random_chance(&state, 70) ? CAIRN_F64 : CAIRN_F32;
        cairn_tensor *tensor = make(&l, text, a.dtype);

        check_list(&l, tensor, (way)random_below(&state, WAYS), &a,
                   random_chance(&state, 50));
        cairn_tensor_destroy(&tensor);
    }
}

Test(out, coordinates_alone)
{
    static list      l;
    uint64_t         state = seed_clock() * 1000003;
    int32_t          pair[2 * MOST];
    cairn_coords_out a = CAIRN_COORDS_OUT;

    draw(&state, 2, &l);
    cairn_tensor *tensor = make(&l, "csc", CAIRN_F64);

    a.idx_bits   = 32;
    a.idx_stride = 8;
    a.idx[0]     = pair;
    a.idx[1]     = pair + 1;
    a.length     = l.n;
    MUST(context, cairn_tensor_to_coords(tensor, &a));
    for (int64_t k = 0; k < 2 * l.n; k++)
        cr_expect_eq(pair[k], l.coord[k]);
    cairn_tensor_destroy(&tensor);
}

/* ---- what is refused, with nothing written ---- */

Test(out, what_is_wrong_is_found_before_anything_is_written)
{
    static const int64_t coord[]  = {0, 0, 1, 2};
    static const double  value[]  = {1, 2};
    const int64_t        extent[] = {2, 3};
    int64_t              memory[16], clean[16];
    cairn_source        *source;
    cairn_compressed     a = CAIRN_COMPRESSED, b;

    memset(memory, UNTOUCHED, sizeof memory);
    memcpy(clean, memory, sizeof memory);
    MUST(context, cairn_source_from_coords(context, 2, extent, 2, coord, value,
                                           CAIRN_BY_NNZ, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    a.ptr        = memory;
    a.ptr_length = 3;
    a.idx        = memory + 4;
    a.val        = memory + 8;
    a.length     = 2;
#define WRONG(code, words, change)                                            \
    do {                                                                      \
        b = a;                                                                \
        b.change;                                                             \
        REFUSED(context, code, words, cairn_tensor_to_csr(tensor, &b));       \
        cr_expect_eq(b.entries, 0);                                           \
        cr_expect_eq(memcmp(memory, clean, sizeof memory), 0, "%s", #change); \
    } while (0)
    WRONG(BAD_ARGUMENT, "ptr_length: 2 is less than the 3", ptr_length = 2);
    WRONG(BAD_ARGUMENT, "length: 1 is less than the 2 entries", length = 1);
    WRONG(BAD_ARGUMENT, "ptr: is NULL", ptr = NULL);
    WRONG(BAD_ARGUMENT, "idx: is NULL", idx = NULL);
    WRONG(BAD_ARGUMENT, "val: is NULL", val = NULL);
    WRONG(BAD_ARGUMENT, "idx: is not at a multiple of the 8 bytes",
          idx = (char *)memory + 33);
    WRONG(BAD_ARGUMENT, "ptr_bits: 16 is neither", ptr_bits = 16);
    WRONG(BAD_ARGUMENT, "idx_bits: 0 is neither", idx_bits = 0);
    WRONG(BAD_ARGUMENT, "base: 2 is neither", base = 2);
    WRONG(BAD_ARGUMENT, "dtype: the tensor's values have 64 bits, the arrays' 32",
          dtype = CAIRN_F32);
#undef WRONG
    MUST(context, cairn_tensor_to_csr(tensor, &a));
    cr_expect_eq(a.entries, 2);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(out, indices_that_32_bits_do_not_hold_are_refused)
{
    static const int64_t coord[]   = {0, 5};
    const int64_t        extent[]  = {2, (int64_t)INT32_MAX + 1};
    int32_t              memory[8] = {0};
    double               value;
    cairn_source        *source;
    cairn_compressed     a = CAIRN_COMPRESSED;
    cairn_coords_out     c = CAIRN_COORDS_OUT;

    MUST(context, cairn_source_from_coords(context, 2, extent, 1, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

    a.ptr        = memory;
    a.ptr_bits   = 32;
    a.ptr_length = 3;
    a.idx        = memory + 4;
    a.idx_bits   = 32;
    a.val        = &value;
    a.length     = 1;
    MUST(context, cairn_tensor_to_csr(tensor, &a)); /* the last one has 2^31 - 1 */
    cr_expect_eq(memory[4], 5);
    a.base = 1;
    REFUSED(context, OVERFLOW, "idx_bits: 32 bits do not hold 2147483648",
            cairn_tensor_to_csr(tensor, &a));
    c.idx[0]   = memory;
    c.idx[1]   = memory + 2;
    c.idx_bits = 32;
    c.val      = &value;
    c.length   = 1;
    c.base     = 1;
    REFUSED(context, OVERFLOW, "idx_bits: 32 bits do not hold 2147483648",
            cairn_tensor_to_coords(tensor, &c));
    c.length = 0;
    REFUSED(context, BAD_ARGUMENT, "length: 0 is less than the 1",
            cairn_tensor_to_coords(tensor, &c));
    c.length = 1;
    c.idx[1] = NULL;
    REFUSED(context, BAD_ARGUMENT, "idx[1]: is NULL",
            cairn_tensor_to_coords(tensor, &c));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/* ---- nothing is made beside ---- */

Test(out, compiled_or_not_no_copy_is_made)
{
    enum { SIDE = 700, EACH = 600, MANY = SIDE * EACH };
    static const char *const few[] = {"csr", "coo", "csc"};
    static int64_t           coord[2 * MANY];
    static int32_t           ptr[SIDE + 1], idx[MANY];
    static double            val[MANY];
    const int64_t            extent[] = {SIDE, SIDE};
    cairn_source            *source;
    cairn_compressed         a = CAIRN_COMPRESSED;

    for (int p = 0; p < MANY; p++) {
        coord[2 * p]     = p / EACH;
        coord[2 * p + 1] = p % EACH + p / EACH % (SIDE - EACH);
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, MANY, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    a.ptr        = ptr;
    a.ptr_bits   = 32;
    a.ptr_length = SIDE + 1;
    a.idx        = idx;
    a.idx_bits   = 32;
    a.val        = val;
    a.length     = MANY;
    for (int k = 0; k < 3; k++) {
        cairn_tensor *tensor = must_store(context, source, few[k], CAIRN_F64);

        MUST(context, cairn_tensor_to_csr(tensor, &a)); /* may compile */
        const int64_t before = context->env.allocated;

        MUST(context, cairn_tensor_to_csr(tensor, &a));
        cr_expect_lt(context->env.allocated - before, 8 * MANY, "%s: %" PRId64 " bytes",
                     few[k], context->env.allocated - before);
        cr_expect_eq(a.entries, MANY);
        cr_expect_eq(idx[MANY - 1], coord[2 * MANY - 1]);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}
