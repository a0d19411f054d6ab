# SPDX-License-Identifier: BSD-3-Clause
"""The shared library: where it is, its structs and its functions, as ctypes has them.

The structs are those of include/cairn/*.h, field for field; tests/python/test_layout.py
has a C compiler compare sizes and offsets.
"""

import ctypes
import os
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint8, c_void_p)

ORDER = 16  # CAIRN_ORDER
LEVELS = 16  # CAIRN_KERNEL_LEVELS
COPY, BORROW = 0, 1  # cairn_copy_mode
F64, F32 = 0, 1  # cairn_dtype
BY_NNZ = 0  # cairn_division
BAD_ARGUMENT = -15  # cairn_status
FLOAT, INTEGER, ONE, CODE, BFLOAT = range(5)  # cairn_value_kind


class Sized(Structure):
    """A struct that begins with its size, which is set; all else is 0."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.size = ctypes.sizeof(self)


class KernelLevel(Structure):
    c_name = "cairn_kernel_level"
    _fields_ = [("lo", c_int64), ("size", c_int64), ("nodes", c_int64),
                ("ptr", c_void_p), ("ptr_length", c_int64), ("idx", c_void_p),
                ("idx_length", c_int64), ("idx_stride", c_int64), ("hole", c_int64),
                ("ptr_bits", c_uint8), ("idx_bits", c_uint8), ("idx_signed", c_uint8),
                ("kind", c_uint8)]


class KernelPart(Structure):
    c_name = "cairn_kernel_part"
    _fields_ = [("size", c_int64), ("order", c_int32), ("levels", c_int32),
                ("first", c_int32), ("last", c_int32), ("bank", c_int64),
                ("level", KernelLevel * LEVELS), ("val", c_void_p), ("values", c_int64),
                ("val_block", c_int64), ("val_stride", c_int64), ("val_bits", c_int32),
                ("val_kind", c_int32), ("dictionary", c_void_p)]


class PartView(Sized):
    c_name = "cairn_part_view"
    _fields_ = [("size", c_size_t), ("member", c_int), ("given", c_bool),
                ("nnz", c_int64), ("queries", c_int), ("span", POINTER(c_int64)),
                ("arrays", POINTER(KernelPart))]


class PartInfo(Sized):
    c_name = "cairn_part_info"
    _fields_ = [("size", c_size_t), ("member", c_int), ("rank", c_int), ("share", c_int),
                ("bank", c_int64), ("nnz", c_int64), ("bytes", c_int64),
                ("local", c_int64), ("values", c_int64), ("shared", c_int64),
                ("given", c_bool), ("stored", c_char * 8)]


class Coords(Sized):
    c_name = "cairn_coords"
    _fields_ = [("size", c_size_t), ("order", c_int), ("extent", c_int64 * ORDER),
                ("first_row", c_int64), ("rows", c_int64), ("entries", c_int64),
                ("idx", c_void_p * ORDER), ("idx_stride", c_int64), ("idx_bits", c_int),
                ("base", c_int), ("val", c_void_p), ("val_stride", c_int64),
                ("dtype", c_int), ("replays", c_int64), ("updates", c_bool)]


class Compressed(Sized):
    c_name = "cairn_compressed"
    _fields_ = [("size", c_size_t), ("ptr", c_void_p), ("ptr_length", c_int64),
                ("ptr_bits", c_int), ("idx_bits", c_int), ("idx", c_void_p),
                ("val", c_void_p), ("length", c_int64), ("base", c_int),
                ("dtype", c_int), ("entries", c_int64)]


class CoordsOut(Sized):
    c_name = "cairn_coords_out"
    _fields_ = [("size", c_size_t), ("idx", c_void_p * ORDER), ("idx_stride", c_int64),
                ("idx_bits", c_int), ("base", c_int), ("val", c_void_p),
                ("val_stride", c_int64), ("dtype", c_int), ("length", c_int64),
                ("entries", c_int64)]


class SourceInfo(Sized):
    c_name = "cairn_source_info"
    _fields_ = [("size", c_size_t), ("order", c_int), ("extent", c_int64 * ORDER),
                ("nnz", c_int64), ("field", c_char_p), ("symmetry", c_char_p),
                ("diagonals", c_int64), ("max_row", c_int64), ("empty_rows", c_int64),
                ("bandwidth_lower", c_int64), ("bandwidth_upper", c_int64),
                ("read_seconds", c_double), ("values", c_char_p), ("value", c_double),
                ("distribution", c_char_p)]


class StoreOptions(Sized):
    c_name = "cairn_store_options"
    _fields_ = [("size", c_size_t), ("replays", c_int64)]


class ProductOptions(Sized):
    c_name = "cairn_product_options"
    _fields_ = [("size", c_size_t), ("columns", c_int64), ("transposed", c_bool),
                ("alpha", c_double), ("beta", c_double)]


class PlanOptions(Sized):
    c_name = "cairn_plan_options"
    _fields_ = [("size", c_size_t), ("product", POINTER(ProductOptions)),
                ("place", c_char_p), ("plan", c_char_p), ("reproducible", c_bool),
                ("permuted", c_bool)]


class DeviceInfo(Sized):
    c_name = "cairn_device_info"
    _fields_ = [("size", c_size_t), ("rank", c_int), ("sharing", c_int),
                ("id", c_char * 32), ("kind", c_char * 16), ("name", c_char * 128),
                ("clock", c_char * 16), ("memory_bytes", c_int64), ("cores", c_int),
                ("bandwidth", c_double)]


class DeviceSeconds(Structure):
    c_name = "cairn_device_seconds"
    _fields_ = [("in", c_double), ("kernel", c_double), ("out", c_double)]


class PlanPart(Sized):
    c_name = "cairn_plan_part"
    _fields_ = [("size", c_size_t), ("member", c_int), ("rank", c_int), ("share", c_int),
                ("first_row", c_int64), ("rows", c_int64), ("nnz", c_int64),
                ("bytes", c_int64), ("device", c_char * 32), ("clock", c_char * 16),
                ("route", c_char * 16), ("seconds", c_double), ("note", c_char * 320),
                ("on_device", DeviceSeconds), ("values", c_char * 8)]


class HaloWays(Structure):
    _fields_ = [("now", c_char_p), ("decided", c_bool), ("persistent", c_double),
                ("anew", c_double), ("collective", c_double), ("shared", c_double),
                ("without", c_char_p), ("between", c_int64)]


class PlanInfo(Sized):
    c_name = "cairn_plan_info"
    _fields_ = [("size", c_size_t), ("seconds", c_double), ("bytes_per_run", c_int64),
                ("halo", c_int64), ("route", c_char_p), ("why", c_char_p),
                ("device", c_char_p), ("placement", c_char_p), ("clock", c_char_p),
                ("simulated", c_double), ("exchange", c_double), ("measured", c_double),
                ("retired", c_int), ("trials", c_int), ("switches", c_int),
                ("reproducible", c_bool), ("apart", c_int), ("apart_bytes", c_int64),
                ("ways", HaloWays)]


class AutoOptions(Sized):
    c_name = "cairn_auto_options"
    _fields_ = [("size", c_size_t), ("place", c_char_p), ("replays", c_int64),
                ("tries", c_int), ("candidates", c_char_p), ("origin", c_char_p)]


class AutoCandidate(Structure):
    c_name = "cairn_auto_candidate"
    _fields_ = [("format", c_char * 1024), ("predicted", c_double), ("tried", c_double)]


class AutoInfo(Sized):
    c_name = "cairn_auto_info"
    _fields_ = [("size", c_size_t), ("why", (c_char * 320) * 2), ("share", c_double),
                ("seconds", c_double), ("kernel_seconds", c_double),
                ("candidates", c_int), ("candidate", AutoCandidate * 30),
                ("values", c_char * 40)]


# What each function returns, and takes: p a pointer, s a text, i an int, l an int64_t,
# z a size_t, d a double, - nothing. All that return an int return a cairn_status, but
# for those of _NUMBERS.
_FUNCTIONS = """
cairn_context_create i p          cairn_context_destroy - p       cairn_context_message s p
cairn_context_create_fortran i ip
cairn_context_set_memory i pl     cairn_context_set_threads i pi  cairn_context_threads i p
cairn_context_memory - pppp       cairn_context_set_replays i pl  cairn_version s
cairn_status_text s i
cairn_format_create i psp         cairn_format_destroy - p        cairn_format_text s p
cairn_format_members i p          cairn_format_member s pi        cairn_format_order i p
cairn_catalogue_name s pi         cairn_catalogue_note i psp      cairn_text_free - pp
cairn_source_read i psip          cairn_source_destroy - p        cairn_source_describe i pp
cairn_source_from_tensor i pp     cairn_source_spy i piip         cairn_file_is_native i psp
cairn_tensor_create_with i ppipp  cairn_tensor_destroy - p        cairn_tensor_read i psp
cairn_tensor_from_csr i pllllpipipiipp  cairn_tensor_from_csc i pllllpipipiipp
cairn_tensor_from_coords i ppipp  cairn_tensor_convert_with i pppp
cairn_tensor_update i pp          cairn_tensor_entries l p        cairn_tensor_format p p
cairn_tensor_shape i pp           cairn_plan_columns - ppp        cairn_plan_rows - ppp
cairn_tensor_dtype i p            cairn_tensor_rows - ppp         cairn_tensor_write i psp
cairn_tensor_to_csr i pp          cairn_tensor_to_csc i pp        cairn_tensor_to_coords i pp
cairn_tensor_parts_sized i pzpp   cairn_parts_free - pp
cairn_tensor_part_get i plp       cairn_tensor_part_restore i pp
cairn_tensor_how s p              cairn_tensor_route s p          cairn_tensor_why s p
cairn_format_auto i pipppp        cairn_plan_create_with i ppp    cairn_plan_destroy - p
cairn_plan_run i ppp              cairn_plan_describe i pp        cairn_plan_save i ps
cairn_plan_parts_sized i pzpp     cairn_plan_parts_free - pp
cairn_devices_list_sized i pzpp   cairn_devices_free - pp         cairn_devices_check i pssi
"""
_C_TYPES = {"p": c_void_p, "s": c_char_p, "i": c_int, "l": c_int64, "z": c_size_t,
            "d": c_double, "-": None}


def _declare(library):
    words = iter(_FUNCTIONS.split())
    word = next(words, None)
    while word is not None:
        function = getattr(library, word)
        function.restype = _C_TYPES[next(words)]
        word = next(words, None)
        arguments = ""
        if word is not None and not word.startswith("cairn_"):
            arguments, word = word, next(words, None)
        function.argtypes = [_C_TYPES[kind] for kind in arguments]


def _load():
    """The library beside this file, as a wheel brings it; else the system's."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".libs", "libcairn.so")
    name = own if os.path.exists(own) else "libcairn.so.0"
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"cairn: the library cannot be loaded: {error}") from None
    _declare(library)
    return library


lib = _load()
