// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of groups that were numbered along lines: each line has a *lane*, in a group of
/// the layout that has as many nodes as its fullest line has groups. Which group is a
/// lane's n-th is known, so its index is written line by line, that of padding too; where
/// a value goes follows from its entry's lane and number.

#include "convert/compiled.h"
#include "convert/compiled_blocks.h"

/* Positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

/* ---- what fits ---- */

static bool is_var(const cairn_linear *linear, int var)
{
    return linear->terms == 1 && linear->var[0] == var && linear->num[0] == 1
           && linear->constant == 0 && linear->den == 1;
}

/// The level that stores which group a number means.
static int index_level(const cairn_layout *to)
{
    int l = to->last + 1;

    while (l < to->levels && !to->level[l].determined)
        l++;
    return l;
}

/// Is the index found by one look for a number in a line, which the levels above tell, and
/// is there nothing else to be held against it?
static bool
is_looked_up(const cairn_layout *to, const cairn_level *level, const cairn_blocks *b)
{
    const cairn_recipe *recipe = &level->recipe;
    const cairn_step   *step   = recipe->step;

    if (!level->per_node || recipe->steps != 1 || recipe->dims != 0
        || step->kind != CAIRN_STEP_QUERY || step->query != b->slot
        || !is_var(&step->in, to->last)
        || !is_var(&recipe->result, step->var + b->given[b->outer]))
        return false;
    for (int g = 0; g < step->groups; g++)
        for (int t = 0; t < step->group[g].terms; t++)
            if (step->group[g].var[t] == to->last) return false;
    return level->range.lo == 0 && level->range.hi == b->across - 1;
}

/// Is a level's form the enum's number, by itself?
static bool is_number(const cairn_layout *to, int l, int query)
{
    const cairn_form *form = &to->level[l].form;
    const cairn_atom *atom;

    if (form->terms != 1 || form->constant || form->term[0].factor != 1) return false;
    atom = &to->algebra->atom[form->term[0].atom];
    return atom->kind == CAIRN_ATOM_QUERY && atom->number == query;
}

/// Of a source that pads, entries may be fewer than it says.
static bool is_exact(const cairn_compiled *c)
{
    const cairn_local *from = c->origin.from;

    return c->origin.filter.member || !from
           || !from->group[c->origin.member].layout->pads;
}

/// Is the sum over the groups that of the entries?
static bool adds_ones(const cairn_query *sum)
{
    for (int k = 0; k < sum->cases; k++)
        if (sum->when[k].start.value > 1) return false;
    return sum->otherwise.value <= 1;
}

static bool fits(const cairn_compiled *c)
{
    const cairn_blocks *b  = c->m->blocks;
    const cairn_layout *to = c->m->layout;
    const int           S = to->first, D = index_level(to);

    if (!b || b->before || b->forms != b->outer + 1 || S != to->last || to->tuples > 0
        || to->partition >= 0 || (S > 0 && !to->level[S].has_ptr) || to->level[S].gaps
        || !is_number(to, S, b->slot) || D == to->levels
        || !is_looked_up(to, &to->level[D], b))
        return false;
    for (int l = 0; l < to->levels; l++)
        if (l != D && (to->level[l].determined || (l != S && to->level[l].indirect)))
            return false;
    return c->facts.trusted && (is_exact(c) || adds_ones(&b->query))
           && c->facts.entries <= MOST && c->facts.groups <= MOST;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = fits(c);
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    (void)c;
    CAIRN_TRY(cairn_passes_offsets(w));
    CAIRN_TRY(
        cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY, CAIRN_STORES_DIRECT));
    return cairn_passes_pad(w);
}

static cairn_status load(cairn_compiled *c)
{
    cairn_convert_spec fill = cairn_compiled_spec(c, CAIRN_CONVERT_RANKED);

    fill.lined = true;
    return cairn_compiled_load(c, &fill, &c->fill);
}

/* ---- lanes ---- */

/// Lanes of a group: combinations of the complete levels above the index.
static int64_t lanes_of(const cairn_layout *to)
{
    int64_t lanes = 1;

    for (int l = to->last + 1; l < index_level(to); l++)
        lanes *= to->level[l].size;
    return lanes;
}

/// The next combination of the complete levels above the index, the last fastest.
static void advance(const cairn_layout *to, int64_t *e)
{
    for (int l = index_level(to) - 1; l >= 0; l--) {
        if (l == to->last) continue;
        if (e[l]++ < to->level[l].range.hi) return;
        e[l] = to->level[l].range.lo;
    }
}

/// One more than the number of the line in a lane; 0: there is none.
static uint32_t line_at(const cairn_blocks *b, const cairn_step *step, const int64_t *e)
{
    int64_t at = 0, value;

    for (int f = 0; f < b->outer; f++) {
        if (!cairn_linear_value(&step->group[f], e, &value)) return 0;
        value -= b->low[f];
        if (value < 0 || value >= b->size[f]) return 0;
        at = at * b->size[f] + value;
    }
    return (uint32_t)(at + 1);
}

static void find_lines(cairn_compiled *c, int64_t all)
{
    const cairn_layout *to                  = c->m->layout;
    const cairn_step   *step                = to->level[index_level(to)].recipe.step;
    int64_t             e[CAIRN_MAX_LEVELS] = {0};

    for (int l = 0; l < to->levels; l++)
        e[l] = to->level[l].range.lo;
    for (int64_t lane = 0; lane < all; lane++) {
        c->lane[lane] = line_at(c->m->blocks, step, e);
        advance(to, e);
    }
}

static int64_t count_of(const cairn_blocks *b, uint32_t line)
{
    return line ? b->first[line] - (int64_t)b->first[line - 1] : 0;
}

/// A group is as wide as its fullest line.
static cairn_status find_widths(cairn_compiled *c, int64_t lanes)
{
    const cairn_blocks *b = c->m->blocks;

    c->nodes = 0;
    for (int64_t g = 0; g < c->facts.groups; g++) {
        int64_t width = 0;

        for (int64_t k = g * lanes; k < (g + 1) * lanes; k++)
            if (count_of(b, c->lane[k]) > width) width = count_of(b, c->lane[k]);
        c->cursor[g] = (uint32_t)c->nodes;
        c->nodes += width;
        CAIRN_CHECK(c->nodes <= MOST, c->m->env, CAIRN_NO_KERNEL,
                    "convert: more nodes than 32 bits number");
    }
    c->cursor[c->facts.groups] = (uint32_t)c->nodes;
    return CAIRN_OK;
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const    env  = c->m->env;
    const cairn_layout *to   = c->m->layout;
    cairn_bank         *bank = &c->m->bank[0];
    const __int128      all  = (__int128)lanes_of(to) * c->facts.groups;

    CAIRN_CHECK(all <= MOST, env, CAIRN_NO_KERNEL,
                "convert: more lanes than 32 bits number");
    bank->end = is_exact(c) ? c->facts.entries : c->m->blocks->added;
    CAIRN_TRY(cairn_compiled_divide(c, false, INT64_MAX));
    CAIRN_TRY(CAIRN_NEW(env, c->facts.groups + 1, &c->cursor));
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)all, &c->lane));
    find_lines(c, (int64_t)all);
    CAIRN_TRY(find_widths(c, lanes_of(to)));
    bank->nodes[to->last] = c->nodes;
    return CAIRN_OK;
}

/* ---- indices ---- */

/// One lane in the array of indices.
typedef struct {
    const uint32_t *list; ///< [count] places of the line's groups, ascending.
    int64_t         count, slots;
    int64_t         stride; ///< From slot to slot.
    int64_t         free;   ///< The first place to look at for padding,
    int64_t         across; ///< and where there is none any more.
    int64_t         hole;
} lane;

/// Behind the groups of a line those that it lacks, as far as there are any.
#define DEFINE_WRITE(bits)                                               \
    static void write_##bits(const lane *a, uint##bits##_t *idx)         \
    {                                                                    \
        int64_t s = 0, met = 0, place = a->free;                         \
                                                                         \
        for (; s < a->count; s++)                                        \
            idx[s * a->stride] = (uint##bits##_t)a->list[s];             \
        for (; s < a->slots; s++) {                                      \
            while (met < a->count && a->list[met] == place)              \
                met++, place++;                                          \
            idx[s * a->stride] =                                         \
                (uint##bits##_t)(place < a->across ? place++ : a->hole); \
        }                                                                \
    }

DEFINE_WRITE(8)
DEFINE_WRITE(16)
DEFINE_WRITE(32)
DEFINE_WRITE(64)

static void write_lane(const cairn_compiled     *c,
                       const cairn_kernel_level *level,
                       int64_t                   g,
                       int64_t                   lanes,
                       int64_t                   k)
{
    const cairn_blocks *b    = c->m->blocks;
    const int64_t       node = c->cursor[g];
    const uint32_t      line = c->lane[g * lanes + k];
    const lane          a    = {.list   = line ? b->list + b->first[line - 1] : NULL,
                                .count  = count_of(b, line),
                                .slots  = c->cursor[g + 1] - node,
                                .stride = lanes,
                                .free   = line && b->width >= 0 ? 0 : b->across,
                                .across = b->across,
                                .hole   = level->hole};
    void *const idx = (char *)level->idx + (node * lanes + k) * (level->idx_bits / 8);

    switch (level->idx_bits) {
    case 8: write_8(&a, idx); break;
    case 16: write_16(&a, idx); break;
    case 32: write_32(&a, idx); break;
    default: write_64(&a, idx); break;
    }
}

static void write_lanes(const cairn_compiled *c, const cairn_part *part)
{
    const cairn_layout       *to    = c->m->layout;
    const cairn_kernel_level *level = &part->view.level[index_level(to)];
    const int64_t             lanes = lanes_of(to), all = lanes * c->facts.groups;
    const int                 threads = (int)c->shares.n;

#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < all; k++)
        write_lane(c, level, k / lanes, lanes, k % lanes);
}

static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    (void)bank;
    cairn_compiled_write_last_ptr(c, &part->view);
    write_lanes(c, part);
    args->cursor = c->cursor;
    args->facts  = c->shares.found;
    return cairn_compiled_run(c, &c->fill, &part->view, args);
}

const cairn_method cairn_method_lines = {
    .name    = "groups",
    .needs   = "one trimmed level of few indices, or queries that number groups",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
