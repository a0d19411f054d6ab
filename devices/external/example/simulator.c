// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An external simulator to begin with: it computes products from the arrays, level by
/// level, and says that a run takes its bytes divided by a rate. Usage: simulator
/// [BYTES-PER-SECOND], started by Cairn (cairn/simulator.h).

#include <cairn/simulator.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/// A walk over one part.
typedef struct {
    const cairn_simulator_segment *segment;
    const cairn_simulator_part    *part;
    cairn_kernel_part              view;
    const void                    *x;
    double                        *y;
} walk;

static int64_t
load(const void *array, int64_t k, int64_t stride, int bits, int is_signed)
{
    const char *at = (const char *)array + k * stride;

    switch (bits) {
    case 8: return is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
    case 16: return is_signed ? *(const int16_t *)at : *(const uint16_t *)at;
    case 32: return is_signed ? *(const int32_t *)at : (int64_t) * (const uint32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static double number(const void *at, int64_t k, int64_t bits)
{
    return bits == 32 ? (double)((const float *)at)[k] : ((const double *)at)[k];
}

static double value_at(const cairn_kernel_part *view, int64_t v)
{
    const char *block =
        (const char *)view->val + v / view->val_block * view->val_stride;

    return number(block, v % view->val_block, view->val_bits);
}

/// A(i,j) adds to Y.
static void add(walk *w, int64_t i, int64_t j, int64_t v)
{
    const cairn_simulator_segment *s = w->segment;

    if (i < s->row_lo || i >= s->row_end || j < s->col_lo || j >= s->col_end) return;
    const int64_t row  = s->transposed ? j - s->col_lo : i - s->row_lo;
    const int64_t from = s->transposed ? i - s->row_lo : j - s->col_lo;
    const double  a    = s->alpha * value_at(&w->view, v);

    for (int64_t c = 0; c < s->columns; c++)
        w->y[row * s->columns + c] +=
            a * number(w->x, from * s->columns + c, s->value_bits);
}

/// All below node @p node of level l-1, which stands at (i,j) so far.
static void descend(walk *w, int l, int64_t node, int64_t i, int64_t j)
{
    if (l == w->view.levels) {
        add(w, i, j, node);
        return;
    }
    const cairn_kernel_level *level = &w->view.level[l];
    const int64_t            *f     = w->part->factor[l];
    int64_t                   begin = node, end = node + 1;

    if (level->kind == 0)
        end = (begin = node * level->size) + level->size;
    else if (level->ptr) {
        begin = load(level->ptr, node, level->ptr_bits / 8, level->ptr_bits, 0);
        end   = load(level->ptr, node + 1, level->ptr_bits / 8, level->ptr_bits, 0);
    } else if (l == w->view.first) { /* At the top ptr = [0, nodes] is implied. */
        begin = 0;
        end   = level->nodes;
    }
    for (int64_t p = begin; p < end; p++) {
        int64_t e = 0; /* A ragged level's index stands below it. */

        if (level->kind == 0)
            e = level->lo + (p - begin);
        else if (level->idx)
            e = load(level->idx, p, level->idx_stride, level->idx_bits,
                     level->idx_signed);
        descend(w, l + 1, p, i + f[0] * e, j + f[1] * e);
    }
}

static void multiply(cairn_simulator_segment *s)
{
    char *base = (char *)s;

    for (int64_t k = 0; k < s->parts; k++) {
        const cairn_simulator_part *part = (void *)(base + s->part);
        walk w = {.segment = s, .x = base + s->x, .y = (double *)(void *)(base + s->y)};

        w.part = part + k;
        w.view = cairn_simulator_view(s, k);
        if (w.view.values > 0)
            descend(&w, (int)w.part->begin, 0, w.part->constant[0],
                    w.part->constant[1]);
    }
}

static cairn_simulator_segment *map_segment(void)
{
    struct stat about;
    void       *at;

    if (fstat(CAIRN_SIMULATOR_SEGMENT, &about) != 0) return NULL;
    at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
              CAIRN_SIMULATOR_SEGMENT, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void build(cairn_simulator_segment **s, double rate, cairn_simulator_message *m)
{
    *s = map_segment();
    if (!*s || (*s)->version != CAIRN_SIMULATOR_VERSION) {
        m->status = CAIRN_SIMULATOR_FAILED;
        snprintf(m->text, sizeof m->text, "no segment of version %d",
                 CAIRN_SIMULATOR_VERSION);
        return;
    }
    m->in      = (double)((*s)->y - (*s)->x) / rate;
    m->compute = (double)(*s)->x / rate;
    m->out     = (double)((*s)->bytes - (*s)->y) / rate;
    snprintf(m->text, sizeof m->text, "%.3g bytes/s, pid %ld", rate, (long)getpid());
}

int main(int argc, char **argv)
{
    const double             rate    = argc > 1 ? atof(argv[1]) : 1e10;
    cairn_simulator_segment *segment = NULL;
    cairn_simulator_message  m;

    while (recv(CAIRN_SIMULATOR_SOCKET, &m, sizeof m, 0) == sizeof m) {
        if (m.kind == CAIRN_SIMULATOR_QUIT) return 0;
        if (m.magic != CAIRN_SIMULATOR_MAGIC || m.version != CAIRN_SIMULATOR_VERSION)
            return 1;
        m = (cairn_simulator_message){.magic     = CAIRN_SIMULATOR_MAGIC,
                                      .version   = CAIRN_SIMULATOR_VERSION,
                                      .kind      = m.kind,
                                      .number    = m.number,
                                      .simulated = 1};
        if (m.kind == CAIRN_SIMULATOR_HELLO)
            snprintf(m.text, sizeof m.text, "an example, %.3g bytes/s", rate);
        else if (m.kind == CAIRN_SIMULATOR_BUILD)
            build(&segment, rate, &m);
        else if (segment) {
            multiply(segment);
            m.in      = (double)(segment->y - segment->x) / rate;
            m.compute = (double)segment->x / rate;
            m.out     = (double)(segment->bytes - segment->y) / rate;
        }
        if (send(CAIRN_SIMULATOR_SOCKET, &m, sizeof m, MSG_NOSIGNAL) != sizeof m)
            return 1;
    }
    return 0;
}
