// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The card, its clock, and what programs need.

#include "card.h"

#include <dlfcn.h>

void card_stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_cuda: %s: %s\n", what, why);
    exit(1);
}

void *card_take(size_t count, size_t size)
{
    void *const block = calloc(count + 1, size);

    if (!block) card_stop("memory", "not enough");
    return block;
}

static bool is_pretended(void)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    return library && dlsym(library, "fake_cuda_calls");
}

void card_devices(card *c, cairn_context *context, cairn_devices **devices)
{
    (void)c;
    if (cairn_devices_open(&context->env, "--devices", "cpu,cuda", devices) != CAIRN_OK)
        card_stop("devices", cairn_context_message(context));
}

void card_open(const card_settings *settings, card *c)
{
    *c = (card){
        .pretends = is_pretended(), .begin = bench_seconds(), .settings = settings};
    if (cairn_context_create(&c->context) != CAIRN_OK)
        card_stop("context", cairn_context_message(c->context));
    if (settings->threads > 0) cairn_context_set_threads(c->context, settings->threads);
    card_devices(c, c->context, &c->devices);
    c->host   = cairn_devices_host(c->devices);
    c->device = &c->devices->device[1];
    if (c->pretends)
        printf("# the driver pretends (tests/fake_cuda): kernels ran as C on the "
               "processor, and no time here says anything\n");
}

void card_close(card *c)
{
    cairn_devices_close(&c->context->env, &c->devices);
    cairn_context_destroy(&c->context);
}

void card_format_of(card *c, const char *name, char *text, size_t size)
{
    char *definition;
    int   missing;

    snprintf(text, size, "%s", name);
    if (cairn_catalogue_definition(c->context, name, &definition, &missing)) return;
    cairn_text_free(c->context, &definition);
    if (strcmp(name, "hybrid") == 0) {
        snprintf(text, size, "hybrid<bdia<32>,csr>");
        return;
    }
    for (int k = 0; k < missing; k++) {
        const size_t n = strlen(text);

        snprintf(text + n, size - n, "%c%s%s", k ? ',' : '<',
                 strcmp(name, "csf") == 0 || strcmp(name, "dense") == 0 ? "2" : "4",
                 k == missing - 1 ? ">" : "");
    }
}

void card_open_listed(const card *c, const char *devices, card *listed)
{
    *listed = *c;
    if (cairn_context_create(&listed->context) != CAIRN_OK)
        card_stop("context", cairn_context_message(listed->context));
    snprintf(listed->context->env.options.devices,
             sizeof listed->context->env.options.devices, "%s", devices);
    if (c->settings->threads > 0)
        cairn_context_set_threads(listed->context, c->settings->threads);
}

bool card_is_over(const card *c)
{
    return bench_seconds() - c->begin > c->settings->seconds;
}

cairn_cuda_result card_kernels(void *product, cairn_cuda_device *d)
{
    const cairn_cuda_product *p     = product;
    cairn_cuda_result         error = CAIRN_CUDA_OK;

    if (p->clears && p->y.bytes > 0)
        error =
            CAIRN_CUDA(d, cuMemsetD8Async, p->y.at, 0, (size_t)p->y.bytes, d->stream);
    return error == CAIRN_CUDA_OK ? cairn_cuda_start(p, cairn_cuda_vectors_of(p))
                                  : error;
}

double card_time(card *c, card_work work, void *state, int times)
{
    cairn_cuda_device *d        = card_of(c);
    cairn_cuda_event   event[2] = {NULL, NULL};
    cairn_cuda_result  error    = cairn_cuda_enter(d);
    float              ms       = -1;

    if (error != CAIRN_CUDA_OK) return -1;
    for (int k = 0; k < 2 && error == CAIRN_CUDA_OK; k++)
        error = CAIRN_CUDA(d, cuEventCreate, &event[k], 0);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuEventRecord, event[0], d->stream);
    for (int k = 0; k < times && error == CAIRN_CUDA_OK; k++)
        error = cairn_cuda_note(d, work(state, d));
    if (event[1]) error = cairn_cuda_settle(c->device, event[1], error);
    if (error == CAIRN_CUDA_OK)
        error = CAIRN_CUDA(d, cuEventElapsedTime, &ms, event[0], event[1]);
    for (int k = 0; k < 2; k++)
        cairn_cuda_event_free(c->device, &event[k]);
    cairn_cuda_leave(d);
    return error == CAIRN_CUDA_OK ? 1e-3 * (double)ms : -1;
}
