// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The segment of a product: a header, the parts, their arrays, X and Y, in this order.
/// It is a file of memory that cannot shrink, so that no program can pull it from under
/// us.

#include "devices/external/product.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int64_t align(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

bool cairn_external_tells(const cairn_device_work *work)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;

    if (layout->order != 2 || !layout->inverse.exact) return false;
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].determined.on) return false;
    return true;
}

static int64_t x_bytes(const cairn_device_work *work)
{
    return cairn_work_rows_in(work) * work->op->columns
           * (work->tensor->value_bits / 8);
}

static int64_t y_bytes(const cairn_device_work *work)
{
    return cairn_work_rows_out(work) * work->op->columns * (int64_t)sizeof(double);
}

/// What the inverse map adds to each dimension: by level, and before all levels, where
/// those that number the bank are fixed.
static void set_map(const cairn_part *part, cairn_simulator_part *told)
{
    const cairn_layout *layout = part->layout;
    int64_t             bank   = part->where.bank;

    for (int d = 0; d < 2; d++) {
        told->constant[d] = layout->inverse.dim[d].constant;
        for (int t = 0; t < layout->inverse.dim[d].terms; t++)
            told->factor[layout->inverse.dim[d].var[t]][d] =
                layout->inverse.dim[d].num[t];
    }
    for (int l = layout->partition; l >= 0; l--) {
        const cairn_kernel_level *level = &part->view.level[l];
        const int64_t             index = level->lo + bank % level->size;

        bank /= level->size;
        for (int d = 0; d < 2; d++)
            told->constant[d] += told->factor[l][d] * index;
    }
    told->begin = layout->partition + 1;
}

/// Where the copy of something inside an array stands, from the segment's begin.
static int64_t offset_in(const void *at, const cairn_array *array, int64_t offset)
{
    const uintptr_t p = (uintptr_t)at, first = (uintptr_t)array->data;

    if (!at || p < first || p >= first + (uintptr_t)array->bytes) return 0;
    return offset + (int64_t)(p - first);
}

/// Point to the copy of one array.
static void set_offsets(const cairn_kernel_part *view,
                        const cairn_array       *array,
                        int64_t                  offset,
                        cairn_simulator_part    *told)
{
    for (int l = 0; l < view->levels; l++) {
        if (!told->ptr[l]) told->ptr[l] = offset_in(view->level[l].ptr, array, offset);
        if (!told->idx[l]) told->idx[l] = offset_in(view->level[l].idx, array, offset);
    }
    if (!told->val) told->val = offset_in(view->val, array, offset);
}

static void forget_pointers(cairn_kernel_part *view)
{
    for (int l = 0; l < view->levels; l++)
        view->level[l].ptr = view->level[l].idx = NULL;
    view->val = NULL;
}

/// Tell of a part, and copy its arrays. @param[in,out] offset  Where they go; NULL base:
/// they are counted alone.
static void put_part(const cairn_part     *part,
                     char                 *base,
                     cairn_simulator_part *told,
                     int64_t              *offset)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);

    if (base) {
        *told         = (cairn_simulator_part){.view = part->view};
        told->entries = part->nnz;
        set_map(part, told);
        forget_pointers(&told->view);
    }
    for (int k = 0; k < arrays; k++) {
        if (base && array[k].bytes > 0) {
            memcpy(base + *offset, array[k].data, (size_t)array[k].bytes);
            set_offsets(&part->view, &array[k], *offset, told);
        }
        *offset += align(array[k].bytes);
    }
}

/// Lay everything out, and fill it in; without a base only count. @return Bytes.
static int64_t put_all(const cairn_device_work *work, char *base)
{
    const int64_t            count   = cairn_work_group(work)->count;
    cairn_simulator_segment *segment = (void *)base;
    const cairn_interval    *box     = work->tensor->box;
    const int64_t            part    = align(sizeof *segment);
    int64_t offset = part + align(count * (int64_t)sizeof(cairn_simulator_part));
    cairn_simulator_part *told = base ? (void *)(base + part) : NULL;

    for (int64_t k = 0; k < count; k++)
        put_part(cairn_work_part(work, k), base, told ? told + k : NULL, &offset);
    const int64_t x = offset, y = x + align(x_bytes(work));
    const int64_t bytes = y + align(y_bytes(work)) + 64;

    if (base)
        *segment = (cairn_simulator_segment){.magic      = CAIRN_SIMULATOR_MAGIC,
                                             .version    = CAIRN_SIMULATOR_VERSION,
                                             .bytes      = bytes,
                                             .row_lo     = box[0].lo,
                                             .row_end    = box[0].hi + 1,
                                             .col_lo     = box[1].lo,
                                             .col_end    = box[1].hi + 1,
                                             .columns    = work->op->columns,
                                             .transposed = work->op->transposed != 0,
                                             .alpha      = work->op->alpha,
                                             .value_bits = work->tensor->value_bits,
                                             .x          = x,
                                             .y          = y,
                                             .parts      = count,
                                             .part       = part};
    return bytes;
}

/// A file of memory, above the descriptors that the program is given.
static int create(int64_t bytes)
{
    const int low  = memfd_create("cairn-simulator", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 16);

    if (low >= 0) close(low);
    if (high < 0) return -1;
    errno = posix_fallocate(high, 0, bytes);
    if (errno == 0 && fcntl(high, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        return high;
    close(high);
    return -1;
}

cairn_status cairn_external_segment_init(cairn_env               *env,
                                         const char              *id,
                                         const cairn_device_work *work,
                                         cairn_external_segment  *segment)
{
    const int64_t bytes = put_all(work, NULL);

    *segment = (cairn_external_segment){.fd = -1, .bytes = bytes};
    CAIRN_TRY(cairn_check_room(env, id, bytes));
    segment->fd = create(bytes);
    CAIRN_CHECK(segment->fd >= 0, env, CAIRN_NO_MEMORY,
                "memory: %s: a segment of %" PRId64 " bytes: %s", id, bytes,
                strerror(errno));
    void *at =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment->fd, 0);

    CAIRN_CHECK(at != MAP_FAILED, env, CAIRN_NO_MEMORY,
                "memory: %s: a segment of %" PRId64 " bytes: %s", id, bytes,
                strerror(errno));
    segment->at = at;
    put_all(work, at);
    return CAIRN_OK;
}

void cairn_external_segment_fini(cairn_external_segment *segment)
{
    if (segment->at) munmap(segment->at, (size_t)segment->bytes);
    if (segment->fd >= 0) close(segment->fd);
    *segment = (cairn_external_segment){.fd = -1};
}
