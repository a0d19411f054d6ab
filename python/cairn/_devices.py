# SPDX-License-Identifier: BSD-3-Clause
"""The devices that products may run on."""

import collections
import ctypes
import functools

from ._context import chosen
from ._library import DeviceInfo, lib
from ._stored import listed

# One device of a rank: `id` is what places call it, "cpu:0"; memory in bytes, bandwidth in
# bytes a second, 0 where it was not measured; `sharing` ranks use it, this one included.
Device = collections.namedtuple("Device", "id kind name clock memory cores bandwidth rank "
                                          "sharing")


def devices(context=None):
    """The devices of a context, of all ranks: those that it was made with, or the processor
    and what places have named so far. Collective on several ranks."""
    context = chosen("devices", context)
    context._alive()
    found = listed(context, context._pointer, DeviceInfo,
                   functools.partial(context._call, lib.cairn_devices_list_sized),
                   lib.cairn_devices_free, ctypes.c_int())
    return [Device(each.id.decode(), each.kind.decode(), each.name.decode(),
                   each.clock.decode(), each.memory_bytes, each.cores, each.bandwidth,
                   each.rank, each.sharing) for each in found]
