// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels before they are asked for: those of a plan's works, got side by side while other
/// devices build theirs; and those of cards that need not be here, into the cache.

#include "devices/cuda/product.h"
#include "devices/grid_hints.h"
#include "devices/grid_texts.h"

#include <stdio.h>

static bool has(const void *device, const char *key)
{
    return cairn_cuda_code_has(device, key);
}

/// List what a device lacks, as build() will ask for it.
static cairn_status list_all(cairn_device            *device,
                             const cairn_device_work *work,
                             int                      works,
                             cairn_grid_texts        *texts)
{
    for (int k = 0; k < works; k++) {
        cairn_product product = cairn_cuda_product_of(&work[k]);

        product.grid_hints =
            cairn_grid_hints_of(&work[k], &product, cairn_cuda_of(device)->units);
        CAIRN_TRY(cairn_grid_texts_add(texts, cairn_work_group(&work[k])->layout,
                                       &product, has, device));
    }
    return CAIRN_OK;
}

/// Get the code of all texts. @param[out] wanted  [texts] let_go().
static cairn_status get_all(cairn_cuda_compiling    *how,
                            const cairn_kernel_text *text,
                            int                      texts,
                            cairn_cuda_wanted      **wanted)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(how->env, texts, wanted));
    for (int k = 0; k < texts; k++)
        (*wanted)[k] = (cairn_cuda_wanted){.key = text[k].key, .text = text[k].text};
    cairn_cuda_compile_all(how, *wanted, texts);
    return CAIRN_OK;
}

static void let_go(cairn_env *env, cairn_cuda_wanted *wanted, int count)
{
    for (int k = 0; wanted && k < count; k++) {
        cairn_object_free(env, &wanted[k].object);
        cairn_free(env, wanted[k].why);
    }
    cairn_free(env, wanted);
}

void cairn_cuda_ahead(cairn_device *device, const cairn_device_work *work, int works)
{
    cairn_env           *env    = device->env;
    cairn_cuda_wanted   *wanted = NULL;
    cairn_grid_texts     texts  = {.env = env};
    cairn_cuda_compiling how    = {.env     = env,
                                   .nvrtc   = &cairn_cuda_of(device)->code.nvrtc,
                                   .threads = device->info.threads};

    if (env->options.kernels == CAIRN_KERNELS_REFERENCE || !how.nvrtc->library) return;
    /* What fails here fails once more where build() asks for it, and is said there. */
    if (list_all(device, work, works, &texts) == CAIRN_OK
        && get_all(&how, texts.text, texts.texts, &wanted) == CAIRN_OK)
        for (int k = 0; k < texts.texts; k++)
            if (wanted[k].object.bytes
                || (wanted[k].why && wanted[k].status == CAIRN_NO_KERNEL))
                (void)cairn_cuda_fresh_keep(device, &wanted[k]);
    cairn_cuda_of(device)->code.awaited = works;
    let_go(env, wanted, texts.texts);
    cairn_grid_texts_fini(&texts);
}

cairn_status cairn_cuda_build_next(cairn_device            *device,
                                   const cairn_device_work *work,
                                   cairn_launch            *launch)
{
    cairn_cuda_code   *code   = &cairn_cuda_of(device)->code;
    const cairn_status status = cairn_cuda_build(device, work, launch);

    /* What failed before it asked for its code leaves that. */
    if (code->awaited > 0 && --code->awaited == 0) cairn_cuda_fresh_drop(device);
    return status;
}

/// The generations of the cards that are here, each once. @return how many.
static int list_generations(const cairn_cuda_driver *driver, int sm[CAIRN_CUDA_CARDS])
{
    cairn_cuda_card card[CAIRN_CUDA_CARDS];
    const int       cards = cairn_cuda_cards(driver, card);
    int             count = 0;

    for (int k = 0; k < cards; k++) {
        const int capable = cairn_cuda_capable(driver, card[k]);
        int       n       = 0;

        while (n < count && sm[n] != capable)
            n++;
        if (n == count) sm[count++] = capable;
    }
    return count;
}

/// What became of all kernels of one generation.
static cairn_status count_kept(const cairn_cuda_compiling *how,
                               const cairn_cuda_wanted    *wanted,
                               int                         count,
                               cairn_precompiled          *counts)
{
    for (int k = 0; k < count; k++) {
        if (!wanted[k].object.bytes)
            return cairn_fail(how->env, wanted[k].status, "%s",
                              wanted[k].why ? wanted[k].why
                                            : cairn_status_text(wanted[k].status));
        counts->cached += wanted[k].cached;
        counts->compiled += !wanted[k].cached;
    }
    CAIRN_CHECK(!how->note[0], how->env, CAIRN_IO, "%s", how->note);
    return CAIRN_OK;
}

/// Compile for one generation. @p driver is its version, 0: there is none here.
static cairn_status compile_for(cairn_env               *env,
                                int                      driver,
                                int                      sm,
                                int                      threads,
                                const cairn_kernel_text *text,
                                int                      texts,
                                cairn_precompiled       *counts)
{
    cairn_nvrtc          nvrtc = {.library = NULL};
    cairn_cuda_compiling how   = {
          .env = env, .nvrtc = &nvrtc, .threads = threads, .waits = true};
    cairn_cuda_wanted *wanted = NULL;
    char               why[160];

    CAIRN_CHECK(
        cairn_nvrtc_open(env->options.nvrtc, driver, sm, &nvrtc, why, sizeof why), env,
        CAIRN_NO_KERNEL, "compile: sm_%d: %s", sm, why);
    cairn_status status = get_all(&how, text, texts, &wanted);

    if (status == CAIRN_OK) status = count_kept(&how, wanted, texts, counts);
    let_go(env, wanted, texts);
    cairn_nvrtc_close(&nvrtc);
    return status;
}

cairn_status cairn_cuda_precompile(cairn_env               *env,
                                   int                      generation,
                                   int                      threads,
                                   const cairn_kernel_text *text,
                                   int                      texts,
                                   cairn_precompiled       *counts)
{
    cairn_cuda_driver driver = {.library = NULL};
    cairn_precompiled sum    = {0};
    char              why[160];
    int               sm[CAIRN_CUDA_CARDS], generations = 1;
    const bool        here = cairn_cuda_driver_open(&driver, why, sizeof why);

    sm[0] = generation;
    if (generation == 0) generations = here ? list_generations(&driver, sm) : 0;
    CAIRN_CHECK(generations > 0, env, CAIRN_NO_DEVICE,
                "device: no generation of cards is named, and none is here: %s",
                here ? "no card of compute capability 7.0 or later" : why);
    for (int k = 0; k < generations; k++)
        CAIRN_TRY(compile_for(env, here ? driver.version : 0, sm[k], threads, text,
                              texts, &sum));
    *counts = sum;
    return CAIRN_OK;
}
