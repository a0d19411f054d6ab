// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The build id, read from the notes of the loaded file. (System V ABI, "Note Section".)

#include "emit/build_id.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uintptr_t      here; ///< An address in the file that is looked for.
    unsigned char *id;
    int            length;
} search;

static size_t round_up(size_t n, size_t align)
{
    return (n + align - 1) / align * align;
}

/// Look for the build id among the notes of one segment, which are @p align apart.
static void read_notes(search *s, const char *note, size_t length, size_t align)
{
    ElfW(Nhdr) head;

    for (size_t at = 0; at + sizeof head <= length;) {
        memcpy(&head, note + at, sizeof head);
        const size_t name  = at + sizeof head;
        const size_t bytes = round_up(name + head.n_namesz, align);
        const size_t end   = bytes + head.n_descsz;

        if (end > length) return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4
            && memcmp(note + name, "GNU", 4) == 0) {
            const size_t n =
                head.n_descsz < CAIRN_BUILD_ID ? head.n_descsz : CAIRN_BUILD_ID;

            memset(s->id, 0, CAIRN_BUILD_ID);
            memcpy(s->id, note + bytes, n);
            s->length = (int)n;
        }
        at = round_up(end, align);
    }
}

static int is_here(const struct dl_phdr_info *file, uintptr_t here)
{
    for (int k = 0; k < file->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &file->dlpi_phdr[k];
        const uintptr_t from   = file->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && here >= from && here < from + part->p_memsz)
            return 1;
    }
    return 0;
}

static int look_at_file(struct dl_phdr_info *file, size_t size, void *argument)
{
    search *s = argument;

    (void)size;
    if (!is_here(file, s->here)) return 0;
    for (int k = 0; k < file->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &file->dlpi_phdr[k];

        if (part->p_type == PT_NOTE)
            read_notes(s, (const char *)(file->dlpi_addr + part->p_vaddr),
                       part->p_memsz, part->p_align == 8 ? 8 : 4);
    }
    return 1;
}

int cairn_build_id(unsigned char id[CAIRN_BUILD_ID])
{
    search s = {.here = (uintptr_t)cairn_build_id, .id = id};

    dl_iterate_phdr(look_at_file, &s);
    return s.length;
}
