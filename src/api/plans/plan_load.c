// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading plans back. A file that was edited may say anything: every wrong
/// field is reported with its line and column.

#include "api/door.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

/// Fail because of what stands at @p at.
#define WRONG(plan, at, ...) \
    wrong((plan)->env, cairn_json_place(&(plan)->json, (at)), __VA_ARGS__)

typedef struct {
    cairn_env *env;
    cairn_json json;
} plan_file;

static cairn_status
wrong(cairn_env *env, cairn_json_where where, const char *field, const char *why)
{
    return cairn_fail(env, CAIRN_BAD_FILE, "plan: %s: %s%s%s", where.text, field,
                      field[0] ? ": " : "", why);
}

/// Where the value of a field of the whole file stands.
static const char *value_at(const plan_file *plan, const char *name)
{
    return cairn_json_value(cairn_json_root(&plan->json), name);
}

static cairn_status open_plan(cairn_env *env, const char *path, plan_file *plan)
{
    *plan = (plan_file){.env = env};
    CAIRN_TRY(cairn_json_read(env, "plan", path, &plan->json));
    const json_t *version = json_object_get(plan->json.root, "cairn_plan");

    if (json_is_integer(version) && json_integer_value(version) == 1) return CAIRN_OK;
    const cairn_status status =
        WRONG(plan, value_at(plan, "cairn_plan"), "",
              version ? "a plan of a version that this one does not read"
                      : "this is no plan: a field \"cairn_plan\" is missing");

    cairn_json_fini(env, &plan->json);
    return status;
}

cairn_status
cairn_plan_file_format(cairn_context *context, const char *path, char **text)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(path), CAIRN_GIVEN(text));

    cairn_env *env = &context->env;
    plan_file  plan;

    CAIRN_TRY(open_plan(env, path, &plan));
    const char *format = json_string_value(json_object_get(plan.json.root, "format"));
    const cairn_status status =
        format ? cairn_strndup(env, format, strlen(format), text)
               : WRONG(&plan, value_at(&plan, "format"), "format", "it is no text");

    cairn_json_fini(env, &plan.json);
    return status;
}

/// Line and column of a field, of the whole file or of its matrix.
static cairn_json_where
where_of(const plan_file *plan, const json_t *object, const char *name)
{
    const char *at = cairn_json_root(&plan->json);

    if (object != plan->json.root) at = cairn_json_value(at, "matrix");
    return cairn_json_place(&plan->json, at ? cairn_json_value(at, name) : NULL);
}

/// A number that must be what this run has.
static cairn_status check_number(const plan_file *plan,
                                 const json_t    *object,
                                 const char      *name,
                                 int64_t          here)
{
    const json_t *value = json_object_get(object, name);

    if (json_is_integer(value) && json_integer_value(value) == here) return CAIRN_OK;
    return cairn_fail(plan->env, CAIRN_BAD_FILE,
                      "plan: %s: %s: the plan is not for this run, which has %" PRId64,
                      where_of(plan, object, name).text, name, here);
}

static cairn_status check_text(const plan_file *plan,
                               const json_t    *object,
                               const char      *name,
                               const char      *here)
{
    const char *value = json_string_value(json_object_get(object, name));

    if (value && strcmp(value, here) == 0) return CAIRN_OK;
    return cairn_fail(plan->env, CAIRN_BAD_FILE,
                      "plan: %s: %s: the plan is not for this run, which has %s",
                      where_of(plan, object, name).text, name, here);
}

/// Is the plan for this matrix and product?
static cairn_status check_run(const plan_file             *plan,
                              const cairn_tensor          *tensor,
                              const cairn_product_options *op)
{
    const json_t  *root   = plan->json.root;
    const json_t  *matrix = json_object_get(root, "matrix");
    const int64_t *extent = tensor->local->shape.extent;
    const char    *dtype  = tensor->dtype == CAIRN_F32 ? "f32" : "f64";

    CAIRN_TRY(check_text(plan, root, "format", cairn_format_text(tensor->format)));
    CAIRN_TRY(check_number(plan, matrix, "rows", extent[0]));
    CAIRN_TRY(check_number(plan, matrix, "cols", extent[1]));
    CAIRN_TRY(check_text(plan, matrix, "dtype", dtype));
    CAIRN_TRY(check_number(plan, root, "columns", op->columns));
    const json_t *transposed = json_object_get(root, "transposed");

    if (!json_is_boolean(transposed)
        || json_is_true(transposed) != (op->transposed != 0))
        return WRONG(plan, value_at(plan, "transposed"), "transposed",
                     "the plan is not for this run");
    return check_number(plan, root, "ranks", tensor->context->comm->size);
}

/// One entry of `parts`.
typedef struct {
    const plan_file *plan;
    const char      *at; ///< Where it stands.
    const json_t    *part;
} entry;

static cairn_status wrong_in(const entry *e, const char *field, const char *why)
{
    return WRONG(e->plan, cairn_json_value(e->at, field), field, why);
}

/// A whole number that may be missing.
static cairn_status
read_count(const entry *e, const char *field, int64_t missing, int64_t *count)
{
    const json_t *value = json_object_get(e->part, field);

    *count = value ? json_integer_value(value) : missing;
    if (value && (!json_is_integer(value) || *count < 0))
        return wrong_in(e, field, "it is no whole number of 0 or more");
    return CAIRN_OK;
}

/// The rows of a share: after those of the share before, cut where the format lets it.
static cairn_status check_rows(const entry       *e,
                               const cairn_local *tensor,
                               int                member,
                               const cairn_place *place)
{
    const cairn_place_share *share = &place->share[place->shares - 1];
    const cairn_interval     box   = tensor->box[0];
    const int64_t grain = cairn_encoding_grain(tensor->group[member].layout->encoding);
    const int64_t next =
        place->shares > 1 ? share[-1].first_row + share[-1].rows : box.lo;

    if (share->first_row != next)
        return wrong_in(e, "first_row",
                        "shares follow each other from the rank's first");
    if (share->rows > box.hi + 1 - share->first_row)
        return wrong_in(e, "rows", "the rank has fewer");
    if ((share->first_row + share->rows) % grain != 0
        && share->first_row + share->rows != box.hi + 1)
        return wrong_in(e, "rows", "the format's blocks of rows would be cut");
    return CAIRN_OK;
}

/// A share that is the next of its member.
static cairn_status
read_share(const entry *e, const cairn_local *tensor, int member, cairn_place *place)
{
    const json_t      *device = json_object_get(e->part, "device");
    const char        *text   = json_string_value(device);
    const bool         single = json_object_get(e->part, "share") == NULL;
    cairn_place_share *share  = &place->share[place->shares];
    int64_t            number;

    if (place->shares > 0 && (single || place->share[0].rows < 0))
        return wrong_in(e, "member", "it is placed twice on this rank");
    CAIRN_TRY(read_count(e, "share", 0, &number));
    if (number != place->shares || number >= CAIRN_MAX_SHARES)
        return wrong_in(e, "share", "shares of a member are numbered from 0");
    CAIRN_TRY(read_count(e, "first_row", -1, &share->first_row));
    CAIRN_TRY(read_count(e, "rows", -1, &share->rows));
    if (single != (share->rows < 0) || single != (share->first_row < 0))
        return WRONG(e->plan, e->at, "", "a share has a first_row and rows");
    place->shares++;
    if (!single) CAIRN_TRY(check_rows(e, tensor, member, place));
    const cairn_json_where where =
        cairn_json_place(&e->plan->json, cairn_json_value(e->at, "device"));

    return cairn_device_name_parse(e->plan->env, where.text, text, strlen(text),
                                   &share->device);
}

/// One entry of `parts`; those of other ranks are checked, and left.
static cairn_status read_part(const plan_file    *plan,
                              const cairn_tensor *tensor,
                              size_t              k,
                              cairn_placement    *placement)
{
    const json_t *part   = json_array_get(json_object_get(plan->json.root, "parts"), k);
    const entry   e      = {plan, cairn_json_element(value_at(plan, "parts"), k), part};
    const json_t *rank   = json_object_get(part, "rank");
    const json_t *member = json_object_get(part, "member");

    if (!json_is_integer(rank) || !json_is_integer(member)
        || !json_is_string(json_object_get(part, "device")))
        return WRONG(plan, e.at, "parts", "each has a rank, a member and a device");
    const json_int_t m = json_integer_value(member), r = json_integer_value(rank);

    if (m < 0 || m >= tensor->local->groups)
        return wrong_in(&e, "member", "the format has fewer members");
    if (r < 0 || r >= tensor->context->comm->size)
        return wrong_in(&e, "rank", "the job has fewer");
    if (r != tensor->context->comm->rank) return CAIRN_OK;
    placement->named = placement->named > m ? placement->named : (int)m + 1;
    return read_share(&e, tensor->local, (int)m, &placement->member[m]);
}

/// A divided member has all its rows.
static cairn_status check_shares(const plan_file       *plan,
                                 const cairn_tensor    *tensor,
                                 const cairn_placement *placement)
{
    const int64_t end = tensor->local->box[0].hi + 1;

    for (int m = 0; m < tensor->local->groups; m++) {
        const cairn_place *place = &placement->member[m];

        if (place->shares == 0 || place->share[0].rows < 0) continue;
        const cairn_place_share *last = &place->share[place->shares - 1];

        if (last->first_row + last->rows != end)
            return WRONG(plan, value_at(plan, "parts"), "parts",
                         "the shares of a member leave out rows of this rank");
    }
    return CAIRN_OK;
}

static cairn_status read_parts(const plan_file    *plan,
                               const cairn_tensor *tensor,
                               cairn_placement    *placement)
{
    const json_t   *parts = json_object_get(plan->json.root, "parts");
    cairn_placement read  = {.named = 0};

    if (!json_is_array(parts))
        return WRONG(plan, value_at(plan, "parts"), "parts", "it is no list");
    for (size_t k = 0; k < json_array_size(parts); k++)
        CAIRN_TRY(read_part(plan, tensor, k, &read));
    CAIRN_TRY(check_shares(plan, tensor, &read));
    *placement = read;
    return CAIRN_OK;
}

cairn_status cairn_plan_read_places(const cairn_tensor          *tensor,
                                    const cairn_product_options *op,
                                    const char                  *path,
                                    cairn_placement             *placement)
{
    cairn_env *env = &tensor->context->env;
    plan_file  plan;

    CAIRN_TRY(open_plan(env, path, &plan));
    cairn_status status = check_run(&plan, tensor, op);

    if (status == CAIRN_OK) status = read_parts(&plan, tensor, placement);
    cairn_json_fini(env, &plan.json);
    return status;
}
