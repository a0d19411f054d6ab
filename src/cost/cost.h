// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cost models: how long work (work.h) takes on a device. For each device and family of
/// work
///
///     seconds = launch + bytes * per_byte + entries * per_entry
///
/// whose rates are fitted to measurements (cost_fit.h), a prior until there are some. What
/// was measured is kept from run to run in a file of this machine (cost_file.h); the rates
/// are not: they are fitted again, so that no file can say anything that no measurement
/// said.
///
/// A simulated device needs no model: its own `cost` is exact, nothing is observed of it,
/// and its seconds are never added to others.
///
/// Nothing here stops work or fails: what is wrong with the file makes it empty, and
/// `note` says why; without memory a measurement is not kept. One thread at a time, the
/// one that uses the environment. Ranks may disagree by what their machines have seen:
/// who decides for several ranks lets one of them decide.

#ifndef CAIRN_COST_COST_H
#define CAIRN_COST_COST_H

#include "cost/memory.h"
#include "cost/work.h"
#include "devices/registry.h"

#define CAIRN_COST_DEVICE    224 ///< Bytes of the longest key, with its end.
#define CAIRN_COST_HOST      512 ///< Of the longest fingerprint.
#define CAIRN_COST_NOTE      512 ///< Of the longest note.
#define CAIRN_COST_SAMPLES   48  ///< Measurements that a model keeps.
#define CAIRN_COST_SAME_SIZE 6   ///< Of those, of work of one size.
#define CAIRN_COST_MODELS    512 ///< Models that are kept.
#define CAIRN_COST_AGE       (30 * 24 * 3600) ///< Seconds that a measurement is believed.

/// Seconds.
typedef struct cairn_cost_rates {
    double launch, per_byte, per_entry; ///< None below 0, not all 0.
} cairn_cost_rates;

/// A device as models know it.
typedef struct cairn_cost_device {
    char             key[CAIRN_COST_DEVICE]; ///< Printable ASCII.
    cairn_clock      clock;
    cairn_cost_rates prior; ///< What to think before anything was measured.
} cairn_cost_device;

/// One measurement.
typedef struct cairn_cost_sample {
    double  bytes, entries, seconds;
    int64_t when;  ///< Seconds since 1970.
    bool    fresh; ///< Not in the file yet.
} cairn_cost_sample;

typedef struct cairn_cost_model {
    char              device[CAIRN_COST_DEVICE], family[CAIRN_FAMILY];
    cairn_cost_rates  prior, rates;
    double            spread; ///< Of one measurement, relative, one standard deviation.
    bool              stale;  ///< Rates and spread are to be fitted again.
    int64_t           count;  ///< Measurements ever; at least `samples`.
    int               samples;
    cairn_cost_sample sample[CAIRN_COST_SAMPLES]; ///< Oldest first.
} cairn_cost_model;

typedef struct cairn_costs {
    cairn_env         *env;
    int                models, capacity;
    cairn_cost_model  *model;                   ///< [models] in no order.
    char               path[CAIRN_OPTION_PATH]; ///< Of the file; "": there is none.
    char               host[CAIRN_COST_HOST];   ///< Fingerprint of this machine.
    char               note[CAIRN_COST_NOTE];   ///< What first went wrong; "": nothing.
    cairn_memory_rates memory; ///< Of this machine, measured when first asked for,
    int64_t memory_when; ///< in seconds since 1970; 0: not yet; -1: cannot be kept.
} cairn_costs;

/// Where an answer comes from.
typedef enum {
    CAIRN_COST_MODELLED, ///< The device says so itself, and its clock will agree.
    CAIRN_COST_MEASURED, ///< Fitted to measurements.
    CAIRN_COST_ESTIMATED, ///< Nothing was measured yet: the device's guess, or the prior.
} cairn_cost_source;

typedef struct cairn_cost_guess {
    double seconds; ///< INFINITY: the device cannot do it.
    double beside;  ///< Of these what does not follow from what is stored: of
                    ///< a device with a memory of its own a start, and copies.
    double            spread; ///< Relative, one standard deviation; 0: exact.
    cairn_clock       clock;
    cairn_cost_source source;
} cairn_cost_guess;

/// What measurements nearest to some work say of it.
typedef struct cairn_cost_recalled {
    double seconds;
    double spread;    ///< Of the measurements, relative; not of what they are like.
    int    count;     ///< Measurements that were looked at, at least 1.
    bool   same_size; ///< They are of work of the same size.
} cairn_cost_recalled;

/// Start, with what the machine's file has (option COSTS).
///
/// Local. Pairs with cairn_costs_fini(). Cannot fail.
///
/// @param[in] machine  NULL, or one that is described and not here: no file is used.
void cairn_costs_init(cairn_env *env, const cairn_machine *machine, cairn_costs *costs);

/// Forget everything; cairn_costs_save() comes before it where it shall be kept.
void cairn_costs_fini(cairn_costs *costs);

/// Describe a device to the models. Devices have one model if they are of one kind and
/// name, use as many threads, and have as many ranks beside them, for these share memory.
/// One whose driver or highest clock has changed is another device: what was measured
/// before is not used, and forgotten when it is old.
///
/// @param[in] ranks  Of the job on this node.
void cairn_cost_device_of(const cairn_device *device,
                          int                 ranks,
                          cairn_cost_device  *described);

/// Learn from a measurement, best the median of several runs. One that cannot be (not
/// finite, not above 0, beyond any machine) is ignored, and so is a simulated one.
///
/// Local.
///
/// @param[in] seconds  Of the work alone: what else the run did is other work.
void cairn_cost_observe(cairn_costs             *costs,
                        const cairn_cost_device *device,
                        const cairn_work        *work,
                        double                   seconds);

/// Predict. Local; O(models), and a fit (below 1 ms) if something was observed.
void cairn_cost_predict(cairn_costs             *costs,
                        const cairn_cost_device *device,
                        const cairn_work        *work,
                        cairn_cost_guess        *guess);

/// Predict a product on a device: INFINITY if it cannot do it, what it says itself if it
/// is simulated, else by what was measured, and before that by what it says, or the prior.
///
/// @param[in] request  For the device; its `work` is what @p work counts.
/// @param[in] ranks    As of cairn_cost_device_of().
void cairn_cost_of_product(cairn_costs                *costs,
                           const cairn_device         *device,
                           int                         ranks,
                           const cairn_device_request *request,
                           const cairn_work           *work,
                           cairn_cost_guess           *guess);

/// Find the model of a device and a family, fitted; NULL: there is none. Valid until
/// something is observed or saved.
const cairn_cost_model *
cairn_cost_find(cairn_costs *costs, const char *device, const char *family);

/// What a model states of its predictions: its measurements' spread, more where they are
/// few, or work of @p bytes is far from those measured; below 0: work as was measured.
double cairn_cost_spread(const cairn_cost_model *model, double bytes);

/// Recall what work of a family took, from the measurements nearest in size and without a
/// fit: where work was measured that has as many bytes and entries, within a tenth, the
/// median of those, for it may be the same; else the median of a few others, scaled as the
/// prior says.
///
/// Local; O(models), and O(measurements) of those that are kin. Nothing is fitted, so that
/// asking about many families costs little.
///
/// @param[in]  work      Its family may be of a layout with large extents: what is kin to it
///                       (cairn_work_is_kin()) is looked at.
/// @param[out] recalled  Unchanged where nothing of the family was measured.
/// @return was anything?
bool cairn_cost_recall(const cairn_costs   *costs,
                       const char          *device,
                       const cairn_work    *work,
                       cairn_cost_recalled *recalled);

/// Replays that a plan is thought to have: the option REPLAYS, else 1,000, as iterative
/// solvers take.
double cairn_cost_replays(const cairn_env *env);

/// From so many products on, a look at all that is stored pays, which takes as long as
/// some of them: at values, at rows, at entries.
enum { CAIRN_MANY_PRODUCTS = 100 };

#endif
