// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a user may say of a device. A simulated kind ("pim") has models ("upmem"); a
/// model is a table of named numbers, each with its default, range and unit. A
/// configuration is one device's numbers: the model's defaults, and what a file
/// (config_file.h) says instead. A kind lists its models in its table (device.h), and
/// its open() reads its numbers from device->config by their names.

#ifndef CAIRN_DEVICES_CONFIG_H
#define CAIRN_DEVICES_CONFIG_H

#include "devices/device.h"

#define CAIRN_CONFIG_KEYS    64   ///< Numbers of a model at most.
#define CAIRN_CONFIG_COMMAND 1024 ///< Bytes of a command at most.

/// One number of a model. A table of them ends with a name NULL.
typedef struct cairn_device_key {
    const char *name;        ///< Lower case: "banks".
    double      standard;    ///< Unless the user says otherwise; least .. most.
    double      least, most; ///< Accepted, both included.
    bool        whole;       ///< Whole numbers only.
    const char *unit;        ///< "Hz", "bytes"; "": a plain number.
    const char *what;        ///< One line: what it is, and whose number the default is.
} cairn_device_key;

/// A model of a kind. A table of them ends with a name NULL; its first is what stands
/// where the user names none.
typedef struct cairn_device_model {
    const char             *name; ///< Lower case: "upmem".
    const char             *what; ///< One line.
    const cairn_device_key *key;  ///< In the order in which they are listed.
} cairn_device_model;

struct cairn_device_config {
    const cairn_device_model *model; ///< Never NULL.
    char   name[128];                ///< What the user calls the device; "": nothing.
    double value[CAIRN_CONFIG_KEYS]; ///< In the order of model->key.

    /// The words of a program's command, each ended by NUL, then another; "": none.
    char command[CAIRN_CONFIG_COMMAND];
};

/// Set all numbers to the model's defaults, with no name.
void cairn_config_init(const cairn_device_model *model, cairn_device_config *config);

/// Return a number. A name that the model lacks is a mistake of the program.
double  cairn_config_number(const cairn_device_config *config, const char *name);
int64_t cairn_config_count(const cairn_device_config *config, const char *name);

/// Does the model have this number? For kinds whose models differ.
bool cairn_config_has(const cairn_device_config *config, const char *name);

/// Set a number that the user gave.
///
/// @param[in]  where  Names the place, for messages: "sim.json:4:12".
/// @retval CAIRN_BAD_OPTION  The model has no such number (the nearest is named), or the
///                           value is outside its range, or not whole; unchanged then.
cairn_status cairn_config_set(cairn_env           *env,
                              const char          *where,
                              const char          *name,
                              double               value,
                              cairn_device_config *config);

/// Find a model of a kind by its name.
///
/// @param[in]  ops    A kind that has models.
/// @param[out] model  Unchanged on failure.
/// @retval CAIRN_BAD_OPTION  There is none of that name; the nearest is named.
cairn_status cairn_config_model(cairn_env                 *env,
                                const char                *where,
                                const cairn_device_ops    *ops,
                                const char                *name,
                                const cairn_device_model **model);

#endif
