// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a placement, and looking devices up in it.

#include "devices/place.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Read `MEMBER=` at @p text; -1 when it is no member.
static int member_number(const char *text, size_t length)
{
    int member = 0;

    if (length == 0 || length > 4) return -1;
    for (size_t k = 0; k < length; k++) {
        if (!isdigit((unsigned char)text[k])) return -1;
        member = 10 * member + (text[k] - '0');
    }
    return member < CAIRN_MAX_MEMBERS ? member : -1;
}

/* How far the sum of written fractions may be from 1: thirds are 0.33. */
static const double rounding = 0.011;

/// Where a placement is read.
typedef struct {
    cairn_env  *env;
    const char *where; ///< The option's name.
} reader;

/// Read a decimal fraction between 0 and 1: digits, perhaps with a point.
static cairn_status
read_fraction(const reader *r, const char *text, size_t length, double *fraction)
{
    double value = 0, unit = 1;
    bool   point = false, good = length > 0 && length < 20;

    for (size_t k = 0; k < length && good; k++) {
        good = isdigit((unsigned char)text[k]) || (text[k] == '.' && !point);
        if (text[k] == '.') {
            point = true;
            continue;
        }
        value = 10 * value + (text[k] - '0');
        if (point) unit *= 10;
    }
    CAIRN_CHECK(good && value > 0 && value < unit, r->env, CAIRN_BAD_OPTION,
                "option: %s: '%.*s' is no fraction between 0 and 1, as 0.6 is",
                r->where, (int)(length < 100 ? length : 100), text);
    *fraction = value / unit;
    return CAIRN_OK;
}

/// Read one `DEVICE` or `DEVICE*FRACTION`.
static cairn_status
read_share(const reader *r, const char *text, size_t length, cairn_place *place)
{
    const char       *star  = memchr(text, '*', length);
    const size_t      name  = star ? (size_t)(star - text) : length;
    cairn_place_share share = {.rows = -1};

    CAIRN_CHECK(place->shares < CAIRN_MAX_SHARES, r->env, CAIRN_BAD_OPTION,
                "option: %s: a member is divided among %d devices at most", r->where,
                CAIRN_MAX_SHARES);
    CAIRN_TRY(cairn_device_name_parse(r->env, r->where, text, name, &share.device));
    if (star) CAIRN_TRY(read_fraction(r, star + 1, length - name - 1, &share.fraction));
    place->share[place->shares++] = share;
    return CAIRN_OK;
}

static bool is_same_device(const cairn_device_name *a, const cairn_device_name *b)
{
    const int x = a->number == CAIRN_NO_NUMBER_GIVEN ? 0 : a->number;
    const int y = b->number == CAIRN_NO_NUMBER_GIVEN ? 0 : b->number;

    return strcmp(a->kind, b->kind) == 0 && x == y;
}

static cairn_status
check_place(const reader *r, const char *text, size_t length, const cairn_place *place)
{
    const int shown = (int)(length < 100 ? length : 100);
    double    sum   = 0;

    for (int k = 0; k < place->shares; k++) {
        sum += place->share[k].fraction;
        CAIRN_CHECK((place->share[k].fraction > 0) == (place->share[0].fraction > 0),
                    r->env, CAIRN_BAD_OPTION,
                    "option: %s: %.*s: either all devices get a fraction, or none",
                    r->where, shown, text);
        for (int j = 0; j < k; j++)
            CAIRN_CHECK(
                !is_same_device(&place->share[j].device, &place->share[k].device),
                r->env, CAIRN_BAD_OPTION,
                "option: %s: %.*s: a device stands there twice", r->where, shown, text);
    }
    CAIRN_CHECK(sum == 0 || fabs(sum - 1) <= rounding, r->env, CAIRN_BAD_OPTION,
                "option: %s: %.*s: the fractions add up to %g, not to 1", r->where,
                shown, text, sum);
    return CAIRN_OK;
}

/// Read the devices of one member, joined by plus signs.
static cairn_status
read_place(const reader *r, const char *text, size_t length, cairn_place *place)
{
    cairn_place read = {.shares = 0};
    size_t      at   = 0;

    for (;;) {
        const char  *plus = memchr(text + at, '+', length - at);
        const size_t end  = plus ? (size_t)(plus - text) : length;

        CAIRN_TRY(read_share(r, text + at, end - at, &read));
        if (!plus) break;
        at = end + 1;
    }
    CAIRN_TRY(check_place(r, text, length, &read));
    *place = read;
    return CAIRN_OK;
}

/// Read one `MEMBER=DEVICES`.
static cairn_status
read_item(const reader *r, const char *item, size_t length, cairn_placement *placement)
{
    const char  *equals = memchr(item, '=', length);
    const size_t before = equals ? (size_t)(equals - item) : 0;
    const int    member = equals ? member_number(item, before) : -1;

    CAIRN_CHECK(member >= 0, r->env, CAIRN_BAD_OPTION,
                "option: %s: '%.*s' is not MEMBER=DEVICE with a member of 0 to %d",
                r->where, (int)(length < 100 ? length : 100), item,
                CAIRN_MAX_MEMBERS - 1);
    CAIRN_CHECK(placement->member[member].shares == 0, r->env, CAIRN_BAD_OPTION,
                "option: %s: member %d is placed twice", r->where, member);
    CAIRN_TRY(
        read_place(r, equals + 1, length - before - 1, &placement->member[member]));
    if (member >= placement->named) placement->named = member + 1;
    return CAIRN_OK;
}

static cairn_status
read_items(const reader *r, const char *text, cairn_placement *placement)
{
    for (const char *item = text;; item++) {
        const size_t length = strcspn(item, ",");

        CAIRN_TRY(read_item(r, item, length, placement));
        item += length;
        if (!*item) return CAIRN_OK;
    }
}

cairn_status cairn_placement_parse(cairn_env       *env,
                                   const char      *where,
                                   const char      *text,
                                   cairn_placement *placement)
{
    const reader    r    = {.env = env, .where = where};
    cairn_placement read = {.named = 0};

    if (strpbrk(text, "=,"))
        CAIRN_TRY(read_items(&r, text, &read));
    else if (text[0] && strcmp(text, "auto") != 0) {
        CAIRN_TRY(read_place(&r, text, strlen(text), &read.member[0]));
        for (int k = 1; k < CAIRN_MAX_MEMBERS; k++)
            read.member[k] = read.member[0];
    }
    *placement = read;
    return CAIRN_OK;
}

bool cairn_placement_names(const cairn_placement *placement, const char *kind)
{
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        for (int k = 0; k < placement->member[m].shares; k++)
            if (strcmp(placement->member[m].share[k].device.kind, kind) == 0)
                return true;
    return false;
}

void cairn_placement_list(const cairn_placement *placement, char *list, size_t size)
{
    const cairn_device_ops *kind;
    size_t                  length = 0;

    list[0] = '\0';
    for (int k = 0; (kind = cairn_device_kind_at(k)) && length < size; k++)
        /* A simulated one is there as soon as a list names it. */
        if ((kind->presence != CAIRN_PRESENT_ASKED && !kind->models)
            || cairn_placement_names(placement, kind->kind))
            length += (size_t)snprintf(
                list + length, size - length, "%s%s%s", length ? "," : "", kind->kind,
                kind->presence == CAIRN_PRESENT_AS_ONE ? ":1" : "");
}

cairn_status cairn_placement_find(cairn_env             *env,
                                  const cairn_placement *placement,
                                  const cairn_devices   *devices,
                                  int                    member,
                                  int                    share,
                                  int                   *found)
{
    const cairn_place       *place = &placement->member[member];
    const cairn_device_name *name  = &place->share[share].device;

    if (place->shares == 0) {
        *found = -1;
        return CAIRN_OK;
    }
    return cairn_devices_find(env, devices, name->kind,
                              name->number == CAIRN_NO_NUMBER_GIVEN ? 0 : name->number,
                              found);
}

cairn_status cairn_placement_check(cairn_env             *env,
                                   const cairn_placement *placement,
                                   const cairn_devices   *devices,
                                   int                    members)
{
    for (int m = 0; m < members; m++)
        for (int k = 0; k < placement->member[m].shares; k++) {
            int found;

            CAIRN_TRY(cairn_placement_find(env, placement, devices, m, k, &found));
        }
    return CAIRN_OK;
}
