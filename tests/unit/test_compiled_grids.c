// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Grids printed as C, with one group and one item at work: memcmp with the processor's
/// kernels, in random formats and those of the catalogue, on rows that end around tiles
/// and cuts; and which shape a format's products have.
///
/// Arrays of parts and operands end where memory ends. The seed is printed; GRID_SEED=N
/// runs case N alone, SEED_CASES says how many.

#include "support/every_format.h"
#include "support/grid_case.h"
#include "support/seed.h"

#ifdef __SANITIZE_ADDRESS__
enum { USUAL_CASES = 10 };
#else
enum { USUAL_CASES = 30 };
#endif

enum { CASES = 40 }; ///< At once.

/// The kernels of a case: the processor's, and those of the grid.
typedef struct {
    int kernel[PRODUCT_VARIANTS][CAIRN_MAX_MEMBERS];
    int grid[PRODUCT_VARIANTS][CAIRN_MAX_MEMBERS][CAIRN_GRID_FUNCTIONS];
} numbers;

static struct {
    product_case cases[CASES];
    numbers      number[CASES];
    kernel_batch batch;
    grid_count   count;
} all;

/// Into the batch, unless it is there; then @p f stays. @return its number.
static int keep(product_case *c, const char *key, int role, cairn_ir_function **f)
{
    char     *whole = malloc(strlen(key) + 16);
    const int have =
        (sprintf(whole, "%s %d", key, role), batch_find(&all.batch, whole));
    const int at = have < 0 ? batch_add(&all.batch, &c->env, whole, f) : have;

    free(whole);
    return at;
}

static void lower_here(product_case *c, int v, int m, numbers *n)
{
    const cairn_layout  *layout = c->local->group[m].layout;
    cairn_product_kernel kernel;
    char                *key;

    cr_assert_eq(cairn_product_key(&c->env, layout, &c->product[v], &key), CAIRN_OK);
    cr_assert_eq(
        cairn_product_lower(&c->env, layout, &c->product[v], "product", &kernel),
        CAIRN_OK);
    n->kernel[v][m]   = keep(c, key, 0, &kernel.function);
    c->share[v][m][0] = kernel.share;
    cairn_ir_destroy(&c->env, &kernel.function);
    cairn_free(&c->env, key);
}

static void lower_grid(product_case *c, int v, int m, numbers *n)
{
    const cairn_layout *layout = c->local->group[m].layout;
    const cairn_grid    grid   = cairn_grid_of(layout, &c->product[v]);
    cairn_grid_kernel   kernel;
    char               *key;

    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        n->grid[v][m][r] = -1;
    grid_count_note(&all.count, &c->product[v], &grid);
    if (grid.shape == CAIRN_GRID_NONE) {
        cr_assert_eq(cairn_grid_lower(&c->env, layout, &c->product[v], "g", &kernel),
                     CAIRN_UNSUPPORTED);
        return;
    }
    cr_assert_eq(cairn_grid_key(&c->env, layout, &c->product[v], &key), CAIRN_OK);
    cr_assert_eq(cairn_grid_lower(&c->env, layout, &c->product[v], "g", &kernel),
                 CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)c->seed,
                 c->env.message, c->text);
    cr_assert(kernel.function[CAIRN_GRID_MAIN] != NULL);
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++)
        if (kernel.function[r]) n->grid[v][m][r] = keep(c, key, r, &kernel.function[r]);
    cairn_grid_kernel_fini(&c->env, &kernel);
    cairn_free(&c->env, key);
}

static void lower_case(product_case *c, numbers *n)
{
    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        grid_case_draw(c, &c->product[v]);
        for (int m = 0; m < c->local->groups; m++) {
            lower_here(c, v, m, n);
            lower_grid(c, v, m, n);
        }
    }
}

static void run_here(product_case            *c,
                     int                      v,
                     int64_t                  k,
                     const numbers           *n,
                     const cairn_kernel_part *view,
                     product_operands        *o)
{
    const int            m    = c->local->part[k].where.member;
    cairn_product_args   args = product_case_args(c, v, o);
    cairn_work_partition team;
    cairn_product_fn     function;

    cr_assert_eq(cairn_work_partition_make(&c->env, &c->share[v][m][0], view, o->rows,
                                           o->columns, 3, &team),
                 CAIRN_OK);
    team.alike = product_case_alike(c, v, k, view);
    cairn_work_partition_use(&team, &args);
    *(void **)&function = batch_symbol(&all.batch, n->kernel[v][m]);
    cr_assert_eq(function(view, &args), 0);
    cairn_work_partition_fini(&c->env, &team);
}

static void run_grid(product_case            *c,
                     int                      v,
                     int64_t                  k,
                     const numbers           *n,
                     const cairn_kernel_part *view,
                     product_operands        *o)
{
    const int                m      = c->local->part[k].where.member;
    const cairn_product_args given  = product_case_args(c, v, o);
    cairn_grid_args          args   = grid_args(&given);
    cairn_grid_passes        passes = {.code = {NULL}};
    const cairn_grid_work    work   = {.layout  = c->local->group[m].layout,
                                       .product = &c->product[v],
                                       .part    = view,
                                       .args    = args,
                                       .passes  = &passes};
    cairn_grid_tiles         tiles;
    cairn_grid_fn            function;

    cr_assert_eq(cairn_grid_tiles_make(&c->env, &work, &tiles), CAIRN_OK);
    cairn_grid_passes_fini(&c->env, &passes);
    args.partial = malloc(8 * (size_t)(tiles.turns[CAIRN_GRID_LONG] * tiles.sums) + 1);
    all.count.pieces += (int)tiles.turns[CAIRN_GRID_LONG];
    for (int r = 0; r < CAIRN_GRID_FUNCTIONS; r++) {
        if (n->grid[v][m][r] < 0 || tiles.turns[r] == 0) continue;
        cairn_grid_tiles_use(&tiles, r, &args);
        *(void **)&function = batch_symbol(&all.batch, n->grid[v][m][r]);
        cr_assert_eq(function(view, &args), 0);
    }
    free(args.partial);
    cairn_grid_tiles_fini(&c->env, &tiles);
}

/// One part, from the same Y.
static void
compare(product_case *c, int v, int64_t k, const numbers *n, product_operands *o)
{
    const size_t      bytes  = product_operands_bytes(o);
    guarded           memory = {.blocks = 0};
    cairn_kernel_part view   = guarded_part(&memory, &c->local->part[k]);
    void *const before = malloc(bytes + 1), *const result = malloc(bytes + 1);

    memcpy(before, o->y, bytes);
    run_here(c, v, k, n, &view, o);
    memcpy(result, o->y, bytes);
    memcpy(o->y, before, bytes);
    run_grid(c, v, k, n, &view, o);
    cr_assert(
        memcmp(o->y, result, bytes) == 0,
        "seed %llu: variant %d, part %d, kernel_%d and kernel_%d in %s: other bits\n%s",
        (unsigned long long)c->seed, v, (int)k,
        n->kernel[v][c->local->part[k].where.member],
        n->grid[v][c->local->part[k].where.member][0], all.batch.folder, c->text);
    free(before);
    free(result);
    guarded_free(&memory);
}

static void run_case(product_case *c, const numbers *n)
{
    for (int v = 0; v < PRODUCT_VARIANTS; v++) {
        product_operands o;

        product_operands_make(c, &c->product[v], &o);
        product_operands_expect(c, &c->product[v], &o);
        for (int64_t k = 0; k < c->local->parts; k++)
            if (c->local->part[k].view.values > 0
                && n->grid[v][c->local->part[k].where.member][0] >= 0)
                compare(c, v, k, n, &o);
        guarded_free(&o.memory);
        free(o.expected);
    }
}

static void run_cases(int cases)
{
    batch_open(&all.batch);
    for (int k = 0; k < cases; k++)
        lower_case(&all.cases[k], &all.number[k]);
    batch_build(&all.batch, seed_cases(0) > 0 ? "-O1" : "-O0");
    for (int k = 0; k < cases; k++) {
        run_case(&all.cases[k], &all.number[k]);
        product_case_close(&all.cases[k]);
    }
    printf("%d tensors, %d kernels; ", cases, all.batch.kernels);
    grid_count_tell(&all.count);
    batch_close(&all.batch);
}

Test(compiled_grids, formats_of_the_catalogue_with_long_rows, .timeout = 3600)
{
    int n = 0;

    for (int k = 0; k < FORMATS + GRID_FORMATS; k++) {
        product_case *const c = &all.cases[n];

        *c                 = (product_case){.seed         = (uint64_t)k,
                                            .state        = (uint64_t)k + seed_clock(),
                                            .wish.lengths = grid_lengths,
                                            .wish.real    = true,
                                            .wish.fixed   = true};
        c->shape.extent[0] = GRID_ROWS;
        c->shape.extent[1] = GRID_COLUMN;
        if (k < FORMATS)
            by_name(formats[k], c->text, sizeof c->text);
        else
            snprintf(c->text, sizeof c->text, "%s", grid_formats[k - FORMATS]);
        n += product_case_open(c);
    }
    run_cases(n);
    cr_expect_gt(all.count.pieces, 100);
    cr_expect_gt(all.count.listed, GRID_FORMATS);
}

/// Rows that are met again and again, by one position each time, below which an index
/// follows from those above and may say that it is none of the tensor's.
static const char *const one_each[] = {
    "#encoding<{ "
    "idx_map<(d0,d1)->((1*(d1)+3)/3,(d0-(d1))%7,(d0-(d1))/"
    "7,((1*(d1)+3)%3)%6,((1*(d1)+3)%3)/6)>, mutation<merge(0,2,3,4), trim(0,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,(d1)/4,(d0-(d0))%2,(d1)%4,(d0-(d0))/2)>, "
    "mutation<merge(0,3), trim(1,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)%2,d1,((d0)%3)/7,(d0)/3,((d0)%3)%7,(d0)/2)>, "
    "mutation<merge(0,1,2), trim(3,3)> }>",
    "#encoding<{ idx_map<(d0,d1)->(slot,d1-(d0+(d1)),d1,d0+(d1))>, "
    "mutation<merge(0,1), trim(0,0)>, indirect<{ count = sum(value) groupBy "
    "(d0,d1)->(d0); slot = enum(value) groupBy (d0,d1)->(d0) with value eq 0 -> count "
    "| otherwise -> 0 }> }>",
    "#encoding<{ "
    "idx_map<(d0,d1)->(3*(d0-2*(d1))+4,((3*(d0-2*(d1))+4)%6)/"
    "4,((3*(d0-2*(d1))+4)%6)%4,slot,d1,(3*(d0-2*(d1))+4)/6)>, indirect<{ block = "
    "sum(value) groupBy (d0,d1)->(d0/4,d1/2); width = sum(block) groupBy "
    "(d0,d1)->(d0/4); slot = enum(block) groupBy (d0,d1)->(d0/4) traverseBy "
    "(d0,d1)->(d1/2) with block eq 0 -> width | otherwise -> 0 }>, "
    "layout<partition(3)> }>",
    "#encoding<{ idx_map<(d0,d1)->((d0)/6,((d0)%6)/127,d1,((d0)%6)%127)>, "
    "mutation<trim(0,2)> }>",
    "#encoding<{ "
    "idx_map<(d0,d1)->((1*(d1)+3)/7,((1*(d1)+3)%7)/5,d0,((1*(d1)+3)%7)%5)>, "
    "mutation<merge(0), trim(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d1,slot,((d0)%5)%5,((d0)%5)/5,(d0)/5)>, "
    "mutation<merge(2,4), trim(0,2)>, indirect<{ block = sum(value) groupBy "
    "(d0,d1)->(d0/2,d1/3); width = sum(block) groupBy (d0,d1)->(d0/2); slot = "
    "enum(block) groupBy (d0,d1)->(d0/2) traverseBy (d0,d1)->(d1/3) with block eq 0 -> "
    "width | otherwise -> 0 }> }>",
    "#encoding<{ "
    "idx_map<(d0,d1)->((2*(d0)-1)%3,d1,((2*(d0)-1)/3)/3,(((2*(d0)-1)/"
    "3)%3)%3,(((2*(d0)-1)/3)%3)/3)>, mutation<merge(0,2,4), trim(1,2)> }>",
};

Test(compiled_grids, a_visit_outside_of_the_tensor_adds_nothing)
{
    enum { EACH = 2, N = EACH * sizeof one_each / sizeof *one_each };
    int n = 0;

    for (size_t k = 0; k < N; k++) {
        product_case *const c = &all.cases[n];

        *c = (product_case){
            .seed = k, .state = k, .wish.fixed = true, .wish.percent = 10};
        c->shape.extent[0] = 7 + (int64_t)k % EACH;
        c->shape.extent[1] = 12 - 2 * (int64_t)k % EACH;
        snprintf(c->text, sizeof c->text, "%s", one_each[k / EACH]);
        n += product_case_open(c);
    }
    cr_assert_eq(n, (int)N);
    run_cases(n);
}

/// The shape of a format's product y = A x, and of its transpose.
static const struct {
    const char      *format;
    cairn_grid_shape shape[2];
} known[] = {
    {"dense<2>",        {CAIRN_GRID_LISTS, CAIRN_GRID_LANES}        },
    {"coo",             {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"csf<2>",          {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"dok",             {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"csr",             {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"lil",             {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"csc",             {CAIRN_GRID_REGROUPED, CAIRN_GRID_LISTS}    },
    {"dcsr",            {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"dcsc",            {CAIRN_GRID_REGROUPED, CAIRN_GRID_LISTS}    },
    {"dia",             {CAIRN_GRID_LANES, CAIRN_GRID_LANES}        },
    {"dia-variant",     {CAIRN_GRID_LANES, CAIRN_GRID_LANES}        },
    {"bcsr<2,3>",       {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"bcsr<16,5>",      {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"bcsr<64,64>",     {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"bcsc<3,2>",       {CAIRN_GRID_REGROUPED, CAIRN_GRID_LISTS}    },
    {"bcoo<2,2>",       {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"bdcsr<4,2>",      {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"csb<3,3>",        {CAIRN_GRID_REGROUPED, CAIRN_GRID_REGROUPED}},
    {"bdia<3>",         {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"c2sr<2>",         {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"ell",             {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"sell<2>",         {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"sell-sigma<2,4>", {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"bell<2>",         {CAIRN_GRID_LANES, CAIRN_GRID_REGROUPED}    },
    {"cisr<3>",         {CAIRN_GRID_LISTS, CAIRN_GRID_REGROUPED}    },
    {"cisr-plus<2>",    {CAIRN_GRID_REGROUPED, CAIRN_GRID_REGROUPED}},
    {"serpens<2,4,3>",  {CAIRN_GRID_REGROUPED, CAIRN_GRID_REGROUPED}},
};

Test(compiled_grids, shapes_of_the_catalogue_are_known)
{
    static product_case c;

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        c = (product_case){
            .seed = k, .state = k, .wish.fixed = true, .wish.percent = 30};
        c.shape.extent[0] = c.shape.extent[1] = 30;
        by_name(known[k].format, c.text, sizeof c.text);
        cr_assert(product_case_open(&c));
        for (int transposed = 0; transposed < 2; transposed++) {
            const cairn_product product = {.transposed   = transposed,
                                           .adds         = true,
                                           .columns      = 1,
                                           .operand      = CAIRN_IR_F64,
                                           .accumulate   = CAIRN_IR_F64,
                                           .vector_bytes = 32};
            const cairn_grid grid = cairn_grid_of(c.local->group[0].layout, &product);

            cr_expect_eq(grid.shape, known[k].shape[transposed],
                         "%s, transposed %d: %d", known[k].format, transposed,
                         (int)grid.shape);
        }
        product_case_close(&c);
    }
}

Test(compiled_grids, random_formats, .timeout = 3600)
{
    const char *given = getenv("GRID_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    int         left  = given ? 1 : seed_cases(USUAL_CASES);

    printf("first seed %llu\n", (unsigned long long)seed);
    while (left > 0) {
        const int want = left < CASES ? left : CASES;
        int       n    = 0;

        for (int k = 0; n < want && k < 8 * want; k++, seed++) {
            product_case *const c = &all.cases[n];

            *c = (product_case){.seed        = seed,
                                .state       = seed,
                                .wish.real   = seed % 2,
                                .wish.narrow = seed % 3 == 0};
            random_format(&c->state, 2, c->text, RANDOM_FORMAT);
            n += product_case_open(c);
        }
        cr_assert(n == want || given, "only %d of %d cases", n, want);
        run_cases(n);
        left -= want;
    }
    cr_expect(getenv("GRID_SEED") || grid_count_suffices(&all.count));
}
