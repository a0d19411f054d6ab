// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A tensor's entries as coordinates, which queries need, and assigning members. All
/// members are read into one array of keys, which is sorted once.

#include "convert/compiled.h"
#include "phases/origin.h"

static cairn_status unpack(const cairn_keys *keys, cairn_table *table)
{
    table->levels = keys->fields.levels;
    table->n      = keys->n;
    for (int l = 0; l < table->levels; l++) {
        CAIRN_TRY(CAIRN_NEW(table->env, keys->n, &table->own[l]));
        table->column[l] = table->own[l];
        for (cairn_pos k = 0; k < keys->n; k++)
            table->own[l][k] = cairn_keys_index(keys, k, l);
    }
    CAIRN_TRY(CAIRN_NEW(table->env, keys->n, &table->own_value));
    table->value = table->own_value;
    for (cairn_pos k = 0; k < keys->n; k++)
        table->own_value[k] = cairn_keys_value(keys, k);
    return CAIRN_OK;
}

static cairn_status
read_member(cairn_env *env, const cairn_build *build, int member, cairn_keys *keys)
{
    const cairn_origin origin = {
        .from = build->from, .member = member, .box = build->box};
    const cairn_convert_spec spec = {.phase      = CAIRN_CONVERT_PACK,
                                     .source     = CAIRN_CONVERT_PART,
                                     .order      = build->shape.order,
                                     .from       = build->from->group[member].layout,
                                     .keys.split = keys->fields.split};
    cairn_phase              pack = {.loader = NULL};

    CAIRN_CHECK(cairn_origin_fits(&origin), env, CAIRN_NO_KERNEL,
                "convert: arrays of other widths than their layout's");
    if (build->planned) return cairn_phase_request(env, build->loader, &spec);
    CAIRN_TRY(cairn_phase_load(env, build->loader, &spec,
                               cairn_build_worth(env, build) != CAIRN_BUILD_COMPILED,
                               &pack));
    const cairn_status status = cairn_origin_pack(env, 1, &origin, &pack, keys);

    cairn_phase_release(&pack);
    return status;
}

static cairn_pos entries_of(const cairn_local *tensor)
{
    cairn_pos n = 0;

    for (int64_t k = 0; k < tensor->parts; k++)
        n += tensor->part[k].nnz;
    return n;
}

cairn_status
cairn_compiled_read(cairn_env *env, const cairn_build *build, cairn_table *table)
{
    cairn_keys   keys = {.n = 0};
    cairn_status status;

    CAIRN_CHECK(cairn_key_fields_plan(build->shape.order, build->box, &keys.fields),
                env, CAIRN_NO_KERNEL, "convert: coordinates do not fit two words");
    if (!build->planned)
        CAIRN_GO(done, cairn_keys_init(env, entries_of(build->from), &keys));
    for (int m = 0; m < build->from->groups; m++)
        CAIRN_GO(done, read_member(env, build, m, &keys));
    if (build->planned) {
        table->n      = entries_of(build->from);
        table->levels = build->shape.order;
        goto done;
    }
    CAIRN_GO(done, cairn_keys_sort(env, build->loader->threads, &keys));
    cairn_keys_combine(&keys);
    status = unpack(&keys, table);
    if (status != CAIRN_OK) cairn_table_fini(table);
done:
    cairn_keys_fini(env, &keys);
    return status;
}
