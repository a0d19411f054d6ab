// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A picture: the matrix is cut into a grid of cells, each a square of pixels; white
/// where nothing is stored, darker the more entries a cell has (on a logarithmic scale,
/// since a few cells often hold most), inside a thin frame.

#include "cli/output/spy.h"

#include "cli/output/save.h"
#include "cli/ranks/gather.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST   1022 ///< Pixels inside the frame of one pixel: 1024 with it.
#define SHORTEST  8    ///< So that a 1 x N matrix, and one of 0 x 0, can be seen.
#define MOST_ZOOM 8    ///< Pixels of a cell of a small matrix.
#define FRAME     160  ///< Grey of the frame.
#define LIGHTEST  180  ///< Grey of the emptiest cell with entries: never lost on white.

/// One side of the picture.
typedef struct {
    int cells;  ///< Of the grid; 0 for an extent of 0.
    int pixels; ///< Inside the frame.
} side;

typedef struct {
    side     across, down;
    int64_t *count; ///< [down.cells][across.cells]
} picture;

/// Cells that stand for @p extent indices when the longer extent is @p longest.
static side cut(int64_t extent, int64_t longest)
{
    const int zoom = longest <= LONGEST / MOST_ZOOM ? MOST_ZOOM
                     : longest <= LONGEST           ? (int)(LONGEST / longest)
                                                    : 1;
    side      s    = {.cells = (int)extent};

    if (longest > LONGEST) {
        s.cells = (int)lround((double)extent / (double)longest * LONGEST);
        if (s.cells < 1 && extent > 0) s.cells = 1;
    }
    s.pixels = s.cells * zoom < SHORTEST ? SHORTEST : s.cells * zoom;
    return s;
}

static int64_t most(const picture *p)
{
    const int64_t cells = (int64_t)p->across.cells * p->down.cells;
    int64_t       max   = 1;

    for (int64_t k = 0; k < cells; k++)
        if (p->count[k] > max) max = p->count[k];
    return max;
}

static png_byte shade(int64_t count, int64_t max)
{
    if (count == 0) return 255;
    const double dark = max > 1 ? log((double)count) / log((double)max) : 1;

    return (png_byte)(LIGHTEST * (1 - dark));
}

/// Fill one row of pixels inside the frame.
static void draw_row(const picture *p, int y, int64_t max, png_byte *pixel)
{
    const int      i   = (int)((int64_t)y * p->down.cells / p->down.pixels);
    const int64_t *row = p->count + (int64_t)i * p->across.cells;

    for (int x = 0; x < p->across.pixels; x++) {
        const int j = (int)((int64_t)x * p->across.cells / p->across.pixels);

        pixel[x] = shade(row[j], max);
    }
}

/// @p pixel is [height][width], frame included.
static void draw(const picture *p, int width, int height, png_byte *pixel)
{
    const int64_t max = most(p);

    memset(pixel, FRAME, (size_t)width * (size_t)height);
    for (int y = 0; y < p->down.pixels; y++) {
        png_byte *inside = pixel + (size_t)(y + 1) * (size_t)width + 1;

        memset(inside, 255, (size_t)p->across.pixels);
        if (p->across.cells && p->down.cells) draw_row(p, y, max, inside);
    }
}

static cairn_status
write_pixels(cli_job *job, const png_byte *pixel, int width, int height)
{
    const char *path  = cli_text(job, CLI_SPY);
    png_image   image = {.version = PNG_IMAGE_VERSION,
                         .width   = (png_uint_32)width,
                         .height  = (png_uint_32)height,
                         .format  = PNG_FORMAT_GRAY};
    cli_save    save;

    CLI_TRY(cli_save_begin(job, path, &save));
    errno              = 0; /* libpng's words would be "Write Error" */
    const bool written = png_image_write_to_stdio(&image, save.file, 0, pixel, 0, NULL)
                         && !ferror(save.file) && fflush(save.file) == 0;
    const cairn_status status = written
                                    ? CAIRN_OK
                                    : cli_fail(job, CAIRN_IO, "write: %s: %s", path,
                                               errno ? strerror(errno) : image.message);

    png_image_free(&image);
    return cli_save_end(job, &save, status);
}

static cairn_status write_picture(cli_job *job, const picture *p)
{
    const int width = p->across.pixels + 2, height = p->down.pixels + 2;
    png_byte *pixel = malloc((size_t)width * (size_t)height);

    if (!pixel) return cli_fail(job, CAIRN_NO_MEMORY, "info: --spy: out of memory");
    draw(p, width, height, pixel);
    const cairn_status status = write_pixels(job, pixel, width, height);

    free(pixel);
    return status;
}

cairn_status
cli_spy(cli_job *job, const cairn_source *source, const cairn_source_info *info)
{
    const int64_t rows = info->extent[0], cols = info->extent[1];
    const int64_t longest = rows > cols ? rows : cols;

    if (info->order != 2)
        return cli_fail(job, CAIRN_BAD_SHAPE, "option: --spy: order %d is no matrix",
                        info->order);
    picture       p     = {.across = cut(cols, longest), .down = cut(rows, longest)};
    const int64_t cells = (int64_t)p.across.cells * p.down.cells;

    CLI_TRY(cli_alloc_together(job, cells, sizeof *p.count, &p.count));
    cairn_status status = CAIRN_OK;

    if (cells) status = cairn_source_spy(source, p.across.cells, p.down.cells, p.count);
    if (status == CAIRN_OK)
        status = cli_agree(job, cli_is_first(job) ? write_picture(job, &p) : CAIRN_OK);
    free(p.count);
    return status;
}
