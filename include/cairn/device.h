// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the machine has, as far as this version can use it.

#ifndef CAIRN_DEVICE_H
#define CAIRN_DEVICE_H

#include <cairn/context.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One device of one rank. Ranks that share a device, share its memory and bandwidth too:
/// both are told whole, as one rank alone has them, and each of `sharing` ranks that use
/// it at once has about its share.
typedef struct cairn_device_info {
    size_t  size; ///< sizeof(cairn_device_info); CAIRN_DEVICE_INFO sets it.
    int     rank;
    int     sharing;   ///< Ranks that use it, this one included: 1, it is this one's.
    char    id[32];    ///< "cpu:0", as --place writes it.
    char    kind[16];  ///< "cpu".
    char    name[128]; ///< The processor's name.
    char    clock[16]; ///< "measured" or "simulated".
    int64_t memory_bytes;
    int     cores;
    double  bandwidth; ///< Bytes per second, measured; 0: not measured.
} cairn_device_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_DEVICE_INFO \
    { sizeof(cairn_device_info), 0, 0, {0}, {0}, {0}, {0}, 0, 0, 0.0 }
// clang-format on

/// List the devices of all ranks, by rank.
///
/// Collective. @p devices is freed with cairn_devices_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_devices_list_sized(cairn_context      *context,
                                                size_t              size,
                                                int                *count,
                                                cairn_device_info **devices);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_devices_list(cairn_context *context, int *count, cairn_device_info **devices)
{
    return cairn_devices_list_sized(context, sizeof(cairn_device_info), count, devices);
}
CAIRN_API void cairn_devices_free(cairn_context *context, cairn_device_info **devices);

/// The kinds of devices that this build has ("cpu"); NULL past the last.
CAIRN_API const char *cairn_device_kind_name(int k);

/// One number of a model of simulated devices, which a file of devices may set
/// (docs/devices.md).
typedef struct cairn_model_number {
    size_t      size;       ///< sizeof(cairn_model_number); CAIRN_MODEL_NUMBER sets it.
    const char *kind;       ///< "pim".
    const char *model;      ///< One of the kind's; its first is the default.
    const char *model_what; ///< One line.
    const char *name;       ///< "banks".
    const char *what;       ///< One line: what it is, and whose number the default is.
    const char *unit;       ///< "Hz"; "": a plain number.
    double      standard;   ///< Its default.
    double      least, most; ///< Accepted, both included.
    bool        whole;       ///< Whole numbers only.
} cairn_model_number;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_MODEL_NUMBER \
    { sizeof(cairn_model_number), NULL, NULL, NULL, NULL, NULL, NULL, 0.0, 0.0, 0.0, false }
// clang-format on

/// Get the k-th number of all models of all kinds, in the order in which they are listed.
///
/// Local. The texts are constant.
/// @param[in,out] number  Its size is set (CAIRN_MODEL_NUMBER); gets the rest.
/// @return false past the last, or where the size is wrong; @p number is unchanged then.
CAIRN_API bool cairn_model_number_at(int k, cairn_model_number *number);

/// What a kind of devices is, in one line; NULL: there is no such kind.
CAIRN_API const char *cairn_device_kind_what(const char *kind);

/// The cores that this rank may run on, and those that its node has for each of its
/// ranks: where the first is 1 and the second more, a launcher or a shell has bound the
/// rank to one core.
///
/// Local.
CAIRN_API cairn_status cairn_devices_cores(cairn_context *context,
                                           int           *bound,
                                           int           *share);

/// One piece of a machine; pieces are listed depth first, parents before children.
/// Kinds: "machine", "package", "numa", "cache", "core"; cards "gpu", "fpga",
/// "accelerator", "display", "network"; what drivers offer, "opencl" and "cuda".
typedef struct cairn_machine_piece {
    size_t  size; ///< sizeof(cairn_machine_piece); CAIRN_MACHINE_PIECE sets it.
    char    kind[16];
    int     depth;     ///< 0 for the machine.
    int     index;     ///< Number among its kind (caches: and level), from 0.
    int     level;     ///< Caches: 1, 2, 3, ...; else 0.
    int64_t bytes;     ///< Of a cache or memory; 0: it has none, or unknown.
    int     cores;     ///< That it spans; compute units of a driver's device.
    int     domain;    ///< Cards: number of the NUMA domain that they are at, or -1.
    double  link;      ///< Cards: of their bus, bytes per second; 0: unknown.
    char    name[128]; ///< The processor's model, a card's name; else "".
    char    pci[16];   ///< Cards: "0000:3b:00.0"; else "".
    char    interfaces[64]; ///< Names that the system has for a card, "ib0 mlx5_0";
                            ///< whose driver it is, of an OpenCL device.
} cairn_machine_piece;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_MACHINE_PIECE \
    { sizeof(cairn_machine_piece), {0}, 0, 0, 0, 0, 0, 0, 0.0, {0}, {0}, {0} }
// clang-format on

/// List the pieces of this rank's machine, its cards and what drivers offer included.
///
/// Local. Cost: 0.1 s and more where drivers are installed.
///
/// @param[out] pieces  Freed with cairn_machine_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_machine_list_sized(cairn_context        *context,
                                                size_t                size,
                                                int                  *count,
                                                cairn_machine_piece **pieces);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_machine_list(cairn_context *context, int *count, cairn_machine_piece **pieces)
{
    return cairn_machine_list_sized(context, sizeof(cairn_machine_piece), count,
                                    pieces);
}
CAIRN_API void cairn_machine_free(cairn_context *context, cairn_machine_piece **pieces);

/// The same as a tree, one line a piece, ready to print.
/// @param[out] text  Freed with cairn_text_free() (<cairn/format.h>).
CAIRN_API cairn_status cairn_devices_tree(cairn_context *context, char **text);

/// A cost model: how long a family of work takes on a device of this machine,
/// `launch + bytes * per_byte + entries * per_entry` seconds. Families are named by levels,
/// widths, element type and columns (docs/devices.md).
typedef struct cairn_cost_model_info {
    size_t  size; ///< sizeof(cairn_cost_model_info); CAIRN_COST_MODEL_INFO sets it.
    char    device[224]; ///< Kind, name, threads, ranks beside it.
    char    family[192]; ///< "": what is thought of all that was not measured.
    char    clock[16];   ///< "measured" or "simulated".
    double  launch;      ///< Seconds a run; all three 0 where the clock is simulated:
    double  per_byte;    ///< Seconds a byte moved;  such a device computes its
    double  per_entry;   ///< Seconds an entry.      times itself.
    int64_t count;       ///< Measurements ever; 0: none.
    double  spread; ///< Of predictions, relative, one standard deviation; 1: a guess.
    double  age;    ///< Seconds since the last measurement; below 0: none.
} cairn_cost_model_info;

/// Nothing; its size is set.
// clang-format off
#define CAIRN_COST_MODEL_INFO \
    { sizeof(cairn_cost_model_info), {0}, {0}, {0}, 0.0, 0.0, 0.0, 0, 0.0, 0.0 }
// clang-format on

/// List the cost models that this rank's machine has kept, by device and family; of a
/// device of the context that without a family comes first.
///
/// Local.
///
/// @param[out] models  Freed with cairn_devices_models_free().
/// @param[in] size  Of an element as the program knows it, which is what lies between two.
/// @retval CAIRN_BAD_ARGUMENT  A pointer is NULL, or the size is none.
CAIRN_API cairn_status cairn_devices_models_sized(cairn_context          *context,
                                                  size_t                  size,
                                                  int                    *count,
                                                  cairn_cost_model_info **models);
/// The same, with elements as this header has them.
static inline cairn_status
cairn_devices_models(cairn_context *context, int *count, cairn_cost_model_info **models)
{
    return cairn_devices_models_sized(context, sizeof(cairn_cost_model_info), count,
                                      models);
}
CAIRN_API void cairn_devices_models_free(cairn_context          *context,
                                         cairn_cost_model_info **models);

/// The file in which measurements are kept (CAIRN_COSTS), and why it is not used.
///
/// Local.
///
/// @param[out] file  "": none. @p note "": nothing is wrong. Both are freed with
///                   cairn_text_free() (<cairn/format.h>).
CAIRN_API cairn_status cairn_devices_models_file(cairn_context *context,
                                                 char         **file,
                                                 char         **note);

/// Is @p place (as --place takes it) satisfied by this version and machine, for a format
/// of @p members members? And @p devices (as --devices)? Either may be NULL.
///
/// Local. With @p devices these are the context's devices from then on; no plan may be
/// alive.
///
/// @retval CAIRN_BAD_OPTION, CAIRN_UNSUPPORTED, CAIRN_NO_DEVICE  with the cause.
CAIRN_API cairn_status cairn_devices_check(cairn_context *context,
                                           const char    *place,
                                           const char    *devices,
                                           int            members);

#ifdef __cplusplus
}
#endif

#endif
