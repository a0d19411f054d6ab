// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Paths to values, the nodes between two of them, and the elements of arrays that these
/// have.

#include "io/native/io_native_window.h"

#include "tensor/value_storage.h"

/* ---- the tree ---- */

/// Where the children of node @p x of the level above begin, by their number alone; -1: a
/// ptr says it.
static cairn_pos children_by_number(const cairn_native_tree *tree, int l, cairn_pos x)
{
    const cairn_level        *info  = &tree->part->layout->level[l];
    const cairn_kernel_level *level = &tree->part->view.level[l];

    if (info->trimmed && info->top) return x > 0 ? level->nodes : 0;
    if (info->trimmed && level->ptr_bits) return -1;
    if (info->trimmed || info->determined.on) return x;
    return cairn_count_times(x, level->size);
}

cairn_status cairn_native_children(const cairn_native_tree *tree,
                                   int                      l,
                                   cairn_pos                node,
                                   cairn_pos               *first)
{
    const cairn_kernel_level *level = &tree->part->view.level[l];
    const int                 bytes = level->ptr_bits / 8;
    char                      at[8];

    *first = children_by_number(tree, l, node);
    if (*first >= 0) return CAIRN_OK;
    CAIRN_TRY(
        cairn_native_fetch(tree->segment, at, bytes, tree->ptr_at[l] + node * bytes));
    *first = cairn_load_int(at, 0, bytes, level->ptr_bits, false);
    if (*first < 0 || *first > level->nodes)
        return cairn_native_broken(tree->segment, "a ptr is beyond its level's nodes");
    return CAIRN_OK;
}

void cairn_native_tree_init(const cairn_native_segment *segment,
                            int64_t                     number,
                            cairn_native_tree          *tree)
{
    const cairn_part *part = &segment->tensor->part[number];
    cairn_array       array[CAIRN_MAX_ARRAYS];
    int64_t           at[CAIRN_MAX_ARRAYS + 1];
    const int         arrays = cairn_native_part_arrays(segment, number, array, at);
    cairn_pos         above  = 1;

    *tree = (cairn_native_tree){.segment = segment, .part = part};
    for (int a = 0; a < arrays; a++) {
        if (array[a].kind == CAIRN_ARRAY_PTR) tree->ptr_at[array[a].level] = at[a];
        if (array[a].kind == CAIRN_ARRAY_IDX) tree->idx_at[array[a].level] = at[a];
        if (array[a].kind != CAIRN_ARRAY_TUPLES) continue;
        const cairn_tuple *tuple = &part->layout->packs.tuple[array[a].tuple];

        for (int f = 0; f < tuple->fields; f++)
            tree->idx_at[tuple->field[f]] = at[a] + (int64_t)tuple->offset[f];
    }
    for (int l = part->layout->partition + 1; l < part->layout->levels; l++) {
        above          = part->layout->level[l].trimmed ? part->view.level[l].nodes
                                                        : children_by_number(tree, l, above);
        tree->nodes[l] = above;
    }
}

/// The first value below node @p node of level @p l, or below none before it.
static cairn_status
first_value(const cairn_native_tree *tree, int l, cairn_pos node, cairn_pos *value)
{
    for (int k = l + 1; k < tree->part->layout->levels; k++)
        CAIRN_TRY(cairn_native_children(tree, k, node, &node));
    *value = node;
    return CAIRN_OK;
}

/// The nodes above value @p v, of which there are more.
static cairn_status
find_path(const cairn_native_tree *tree, cairn_pos v, cairn_pos *path)
{
    const cairn_layout *layout = tree->part->layout;
    cairn_pos           node   = 0;

    for (int l = layout->partition + 1; l < layout->levels; l++) {
        cairn_pos begin, end;

        CAIRN_TRY(cairn_native_children(tree, l, node, &begin));
        CAIRN_TRY(cairn_native_children(tree, l, node + 1, &end));
        if (begin >= end) return cairn_native_broken(tree->segment, "a ptr falls");
        while (end - begin > 1) {
            const cairn_pos middle = begin + (end - begin) / 2;
            cairn_pos       first;

            CAIRN_TRY(first_value(tree, l, middle, &first));
            if (first <= v)
                begin = middle;
            else
                end = middle;
        }
        path[l] = node = begin;
    }
    /* In order they lead to it. */
    if (node != v) return cairn_native_broken(tree->segment, "a ptr falls");
    return CAIRN_OK;
}

/* ---- elements ---- */

/// Is the idx of a determined level one for several nodes? (Without a trimmed level, and
/// indexed by all complete ones above, it has one element a node.)
static bool is_shared(const cairn_layout *layout, int l)
{
    const cairn_level *level = &layout->level[l];
    uint32_t           above = 0;

    if (!level->determined.on || level->determined.per_node) return false;
    for (int k = layout->partition + 1; k < l; k++)
        if (!layout->level[k].determined.on) above |= 1U << k;
    return layout->last >= 0 || (level->determined.by & above) != above;
}

static cairn_interval all_of(int64_t length)
{
    return (cairn_interval){0, length - 1};
}

/// Elements of the idx of level @p l.
static cairn_interval
idx_elements(const cairn_part *part, const cairn_interval *nodes, int l)
{
    return is_shared(part->layout, l) ? all_of(part->view.level[l].idx_length)
                                      : nodes[l];
}

/// Blocks of the tuples that hold the values of a window.
static cairn_interval value_blocks(const cairn_part *part, cairn_interval values)
{
    if (values.lo > values.hi) return values;
    return (cairn_interval){values.lo / part->view.val_block,
                            values.hi / part->view.val_block};
}

static cairn_interval join(cairn_interval a, cairn_interval b)
{
    if (a.lo > a.hi) return b;
    if (b.lo > b.hi) return a;
    return (cairn_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/// Elements of an array that a window has.
static cairn_interval elements_of(const cairn_part     *part,
                                  const cairn_interval *nodes,
                                  cairn_interval        values,
                                  const cairn_array    *array)
{
    const cairn_layout *layout = part->layout;
    cairn_interval      some   = {0, -1};

    switch (array->kind) {
    case CAIRN_ARRAY_PTR:
        some = array->level > layout->partition + 1 ? nodes[array->level - 1]
                                                    : (cairn_interval){0, 0};
        some.hi++;
        return some;
    case CAIRN_ARRAY_IDX: return idx_elements(part, nodes, array->level);
    case CAIRN_ARRAY_TUPLES:
        for (int f = 0; f < layout->packs.tuple[array->tuple].fields; f++)
            some = join(some, idx_elements(part, nodes,
                                           layout->packs.tuple[array->tuple].field[f]));
        if (layout->packs.tuple[array->tuple].values)
            some = join(some, value_blocks(part, values));
        return some;
    case CAIRN_ARRAY_VAL:
        return part->view.val_kind == CAIRN_VALUE_ONE ? all_of(array->length) : values;
    default: return all_of(array->length);
    }
}

/* ---- windows ---- */

cairn_status cairn_native_load_dictionary(const cairn_native_segment *segment,
                                          int                         member,
                                          double                    **dictionary)
{
    const cairn_group *group = &segment->tensor->group[member];
    cairn_array        array[CAIRN_MAX_ARRAYS];
    int64_t            at[CAIRN_MAX_ARRAYS + 1];

    *dictionary = NULL;
    if (group->layout->values.kind != CAIRN_VALUE_CODE || group->count == 0)
        return CAIRN_OK;
    /* It is the last array of the member's first part. */
    const int last = cairn_native_part_arrays(segment, group->first, array, at) - 1;
    cairn_kernel_part view = segment->tensor->part[group->first].view;

    CAIRN_TRY(cairn_alloc(segment->env, array[last].bytes, 1, (void **)dictionary));
    view.dictionary = *dictionary;
    CAIRN_TRY(cairn_native_fetch(segment, *dictionary, array[last].bytes, at[last]));
    if (!cairn_dictionary_fits(&view, segment->tensor->value_bits))
        return cairn_native_broken(segment, "a dictionary has values that are no f32");
    return CAIRN_OK;
}

/// Elements of an array, and where they go.
typedef struct {
    cairn_array    array;
    cairn_interval have;
    int64_t        at;     ///< Byte of the segment where the array begins.
    int64_t        offset; ///< Byte of the block.
} stretch;

typedef struct {
    const cairn_native_tree *tree;
    cairn_interval           nodes[CAIRN_MAX_LEVELS], values;
    int                      stretches;
    stretch                  stretch[CAIRN_MAX_ARRAYS];
    int64_t                  bytes;  ///< Of the block,
    int64_t                  shared; ///< and of indices that every window has.
} plan;

static int64_t element_bytes(const plan *p, const cairn_array *array)
{
    if (array->kind == CAIRN_ARRAY_TUPLES)
        return (int64_t)p->tree->part->layout->packs.tuple[array->tuple].size;
    return array->bits / 8;
}

/// The nodes from the path to the first value to the path behind the last: the nodes
/// between two windows are in the first of them.
static cairn_status find_nodes(plan *p, cairn_pos first, cairn_pos end)
{
    const cairn_native_tree *tree   = p->tree;
    const cairn_pos          values = tree->part->view.values;
    cairn_pos                from[CAIRN_MAX_LEVELS], to[CAIRN_MAX_LEVELS];

    if (first > 0) CAIRN_TRY(find_path(tree, first, from));
    if (end < values) CAIRN_TRY(find_path(tree, end, to));
    for (int l = tree->part->layout->partition + 1; l < tree->part->layout->levels; l++)
        p->nodes[l] = (cairn_interval){first > 0 ? from[l] : 0,
                                       end < values ? to[l] : tree->nodes[l] - 1};
    p->values = (cairn_interval){first, end - 1};
    /* At the last level values are nodes: there the windows meet without a node in both. */
    if (tree->part->layout->levels > tree->part->layout->partition + 1)
        p->nodes[tree->part->layout->levels - 1] = p->values;
    return CAIRN_OK;
}

/// Which elements of which arrays are to be loaded, and how many bytes they have.
static void plan_stretches(plan *p)
{
    const cairn_native_tree *tree = p->tree;
    cairn_array              array[CAIRN_MAX_ARRAYS];
    int64_t                  at[CAIRN_MAX_ARRAYS + 1];
    const int                arrays = cairn_native_part_arrays(
                       tree->segment, tree->part - tree->segment->tensor->part, array, at);

    p->stretches = 0;
    p->bytes     = 0;
    p->shared    = 0;
    for (int a = 0; a < arrays; a++) {
        stretch *s = &p->stretch[p->stretches];

        if (array[a].kind == CAIRN_ARRAY_DICTIONARY) continue; /* for all parts */
        *s = (stretch){.array = array[a],
                       .have  = elements_of(tree->part, p->nodes, p->values, &array[a]),
                       .at    = at[a],
                       .offset = p->bytes};
        if (s->have.hi >= array[a].length) s->have.hi = array[a].length - 1;
        if (s->have.lo > s->have.hi) continue;
        const int64_t bytes =
            (cairn_interval_size(s->have) * element_bytes(p, &array[a]) + 63) / 64 * 64;

        p->bytes += bytes;
        if (array[a].kind == CAIRN_ARRAY_IDX
            && is_shared(tree->part->layout, array[a].level))
            p->shared += bytes;
        p->stretches++;
    }
}

static const void *address(const char *block, const stretch *s, int64_t bytes)
{
    return (const void *)((uintptr_t)(block + s->offset)
                          - (uintptr_t)(s->have.lo * bytes));
}

/// Let the part see an array that was loaded.
static void
show(const plan *p, const stretch *s, cairn_native_window *window, cairn_at_hand *have)
{
    cairn_kernel_part *view = &window->part.view;
    const void        *at   = address(window->block, s, element_bytes(p, &s->array));

    switch (s->array.kind) {
    case CAIRN_ARRAY_PTR:
        view->level[s->array.level].ptr = at;
        have[s->array.level].ptr        = s->have;
        return;
    case CAIRN_ARRAY_IDX:
        view->level[s->array.level].idx = at;
        have[s->array.level].idx        = s->have;
        return;
    case CAIRN_ARRAY_VAL: view->val = (void *)at; return;
    default: break;
    }
    const cairn_tuple *tuple = &window->part.layout->packs.tuple[s->array.tuple];

    for (int f = 0; f < tuple->fields; f++) {
        const int l = tuple->field[f];

        view->level[l].idx =
            (const void *)((uintptr_t)at + (uintptr_t)tuple->offset[f]);
        have[l].idx = idx_elements(&window->part, p->nodes, l);
    }
    if (tuple->values)
        view->val = (void *)((uintptr_t)at + (uintptr_t)tuple->value_offset);
}

static cairn_status
load(const plan *p, const double *dictionary, cairn_native_window *window)
{
    const cairn_native_segment *segment = p->tree->segment;
    cairn_at_hand               have[CAIRN_MAX_LEVELS];
    cairn_fault                 fault;
    char                        text[CAIRN_FAULT];

    window->part = *p->tree->part;
    CAIRN_TRY(cairn_alloc(segment->env, p->bytes, 1, &window->block));
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++) {
        have[l] = (cairn_at_hand){
            {0, -1},
            {0, -1}
        };
        window->nodes[l] = p->nodes[l];
    }
    for (int k = 0; k < p->stretches; k++) {
        const stretch *s     = &p->stretch[k];
        const int64_t  bytes = element_bytes(p, &s->array);

        CAIRN_TRY(cairn_native_fetch(segment, (char *)window->block + s->offset,
                                     cairn_interval_size(s->have) * bytes,
                                     s->at + s->have.lo * bytes));
        show(p, s, window, have);
    }
    window->part.view.dictionary = dictionary;
    if (cairn_part_is_sound_at_hand(&window->part, have, &fault)) return CAIRN_OK;
    cairn_fault_print(&fault, text);
    return cairn_native_broken(segment, text);
}

cairn_status cairn_native_window_load(const cairn_native_tree *tree,
                                      cairn_pos                first,
                                      cairn_pos               *end,
                                      int64_t                  room,
                                      const double            *dictionary,
                                      cairn_native_window     *window)
{
    plan p = {.tree = tree};

    cairn_free(tree->segment->env, window->block);
    window->block = NULL;
    CAIRN_TRY(find_nodes(&p, first, *end));
    plan_stretches(&p);
    /* Of large indices that are shared few windows are to be there. */
    while (p.bytes - p.shared > (p.shared > room ? p.shared : room)
           && *end - first > 1) {
        *end = first + (*end - first) / 2;
        CAIRN_TRY(find_nodes(&p, first, *end));
        plan_stretches(&p);
    }
    return load(&p, dictionary, window);
}

void cairn_native_window_fini(cairn_env *env, cairn_native_window *window)
{
    cairn_free(env, window->block);
    *window = (cairn_native_window){.block = NULL};
}
