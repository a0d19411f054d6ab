// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Reading a placement, and looking devices up in it.

#include "devices/place.h"

#include <ctype.h>
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

/// Read one `MEMBER=DEVICE`.
static cairn_status parse_item(cairn_env       *env,
                               const char      *where,
                               const char      *item,
                               size_t           length,
                               cairn_placement *placement)
{
    const char       *equals = memchr(item, '=', length);
    const size_t      before = equals ? (size_t)(equals - item) : 0;
    const int         member = equals ? member_number(item, before) : -1;
    cairn_device_name name;

    CAIRN_CHECK(member >= 0, env, CAIRN_BAD_OPTION,
                "option: %s: '%.*s' is not MEMBER=DEVICE with a member of 0 to %d",
                where, (int)(length < 100 ? length : 100), item, CAIRN_MAX_MEMBERS - 1);
    CAIRN_CHECK(!placement->member[member].kind[0], env, CAIRN_BAD_OPTION,
                "option: %s: member %d is placed twice", where, member);
    CAIRN_TRY(
        cairn_device_name_parse(env, where, equals + 1, length - before - 1, &name));
    placement->member[member] = name;
    if (member >= placement->named) placement->named = member + 1;
    return CAIRN_OK;
}

static cairn_status parse_items(cairn_env       *env,
                                const char      *where,
                                const char      *text,
                                cairn_placement *placement)
{
    for (const char *item = text;; item++) {
        const size_t length = strcspn(item, ",");

        CAIRN_TRY(parse_item(env, where, item, length, placement));
        item += length;
        if (!*item) return CAIRN_OK;
    }
}

cairn_status cairn_placement_parse(cairn_env       *env,
                                   const char      *where,
                                   const char      *text,
                                   cairn_placement *placement)
{
    cairn_placement   read = {.named = 0};
    cairn_device_name all  = {.number = CAIRN_NO_NUMBER_GIVEN};

    if (strpbrk(text, "=,"))
        CAIRN_TRY(parse_items(env, where, text, &read));
    else {
        if (text[0] && strcmp(text, "auto") != 0)
            CAIRN_TRY(cairn_device_name_parse(env, where, text, strlen(text), &all));
        for (int k = 0; k < CAIRN_MAX_MEMBERS; k++)
            read.member[k] = all;
    }
    *placement = read;
    return CAIRN_OK;
}

static bool names_kind(const cairn_placement *placement, const char *kind)
{
    for (int m = 0; m < CAIRN_MAX_MEMBERS; m++)
        if (strcmp(placement->member[m].kind, kind) == 0) return true;
    return false;
}

void cairn_placement_list(const cairn_placement *placement, char *list, size_t size)
{
    const cairn_device_ops *kind;
    size_t                  length = 0;

    list[0] = '\0';
    for (int k = 0; (kind = cairn_device_kind_at(k)) && length < size; k++)
        /* A simulated one is there as soon as a list names it. */
        if ((!kind->asked && !kind->models) || names_kind(placement, kind->kind))
            length += (size_t)snprintf(list + length, size - length, "%s%s%s",
                                       length ? "," : "", kind->kind,
                                       kind->divides ? ":1" : "");
}

cairn_status cairn_placement_find(cairn_env             *env,
                                  const cairn_placement *placement,
                                  const cairn_devices   *devices,
                                  int                    member,
                                  int                   *found)
{
    const cairn_device_name *name = &placement->member[member];

    if (!name->kind[0]) {
        *found = -1;
        return CAIRN_OK;
    }
    return cairn_devices_find(env, devices, name->kind,
                              name->number == CAIRN_NO_NUMBER_GIVEN ? 0 : name->number,
                              found);
}
