# SPDX-License-Identifier: Apache-2.0
"""The two libraries of ../patch-1.md, sections 2 and 5: libzstd, which decodes frames, and liblz4, which compresses blocks.

They are called directly, as no package for Python offers what the specification names: `LZ4_compress_fast` without a stream,
and a dictionary that stands in memory right before the block.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Sequence
from typing import Any

from webarc_format import ArchiveError, damaged

FRAME_SIGNATURE = b"\x28\xb5\x2f\xfd"  # RFC 8878 section 3.1.1
_LEVELS_OF_FAST = {0: 8, 1: 1}  # the level of a record -> the acceleration
HIGHEST_LEVEL = 12

_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


def _library(name: str, version: int, functions: dict[str, tuple[Any, Sequence[Any]]]) -> ctypes.CDLL:
    for candidate in (f"lib{name}.so.{version}", ctypes.util.find_library(name), f"/opt/homebrew/lib/lib{name}.dylib"):
        try:
            library = ctypes.CDLL(candidate) if candidate else None
        except OSError:
            library = None
        if library is not None:
            for function, (result, arguments) in functions.items():
                getattr(library, function).restype, getattr(library, function).argtypes = result, arguments
            return library
    raise ArchiveError("unsupportedFeature", f"lib{name}, which patches need, is missing: please install it")


# --- Zstandard -----------------------------------------------------------------------------------------------------


@functools.cache
def _zstd() -> ctypes.CDLL:
    return _library("zstd", 1, {
        "ZSTD_createDCtx": (_POINTER, []),
        "ZSTD_freeDCtx": (_SIZE, [_POINTER]),
        "ZSTD_DCtx_refPrefix": (_SIZE, [_POINTER, ctypes.c_char_p, _SIZE]),
        "ZSTD_decompressDCtx": (_SIZE, [_POINTER, _POINTER, _SIZE, ctypes.c_char_p, _SIZE]),
        "ZSTD_findFrameCompressedSize": (_SIZE, [ctypes.c_char_p, _SIZE]),
        "ZSTD_isError": (ctypes.c_uint, [_SIZE]),
        "ZSTD_getErrorName": (ctypes.c_char_p, [_SIZE]),
    })


def decode_frame(frame: bytes, prefix: bytes, length: int, at: int | None) -> bytes:
    """Decodes one frame, whose content must have this length."""
    zstd = _zstd()
    if not frame.startswith(FRAME_SIGNATURE) or zstd.ZSTD_findFrameCompressedSize(frame, len(frame)) != len(frame):
        raise damaged("something else than one Zstandard frame", at)
    context = zstd.ZSTD_createDCtx()
    if not context:
        raise MemoryError
    try:
        decoded = ctypes.create_string_buffer(length)
        result = zstd.ZSTD_DCtx_refPrefix(context, prefix, len(prefix))
        if not zstd.ZSTD_isError(result):
            result = zstd.ZSTD_decompressDCtx(context, decoded, length, frame, len(frame))
        if zstd.ZSTD_isError(result):
            raise damaged(f"a frame: {zstd.ZSTD_getErrorName(result).decode()}", at)
        if result != length:
            raise damaged(f"a frame of {result} bytes, not {length}", at)
        return decoded.raw
    finally:
        zstd.ZSTD_freeDCtx(context)


# --- LZ4 -----------------------------------------------------------------------------------------------------------


@functools.cache
def _lz4() -> ctypes.CDLL:
    one_block = [_POINTER, _POINTER, _INT, _INT, _INT]
    return _library("lz4", 1, {
        "LZ4_compressBound": (_INT, [_INT]),
        "LZ4_compress_fast": (_INT, one_block),
        "LZ4_compress_HC": (_INT, one_block),
        "LZ4_createStream": (_POINTER, []),
        "LZ4_freeStream": (_INT, [_POINTER]),
        "LZ4_loadDict": (_INT, [_POINTER, _POINTER, _INT]),
        "LZ4_compress_fast_continue": (_INT, [_POINTER, *one_block]),
        "LZ4_createStreamHC": (_POINTER, []),
        "LZ4_freeStreamHC": (_INT, [_POINTER]),
        "LZ4_resetStreamHC_fast": (None, [_POINTER, _INT]),
        "LZ4_loadDictHC": (_INT, [_POINTER, _POINTER, _INT]),
        "LZ4_compress_HC_continue": (_INT, [_POINTER, _POINTER, _POINTER, _INT, _INT]),
    })


def compress_block(block: bytes, dictionary: bytes, level: int) -> bytes:
    """A block of coding 1, compressed as section 5 says."""
    lz4 = _lz4()
    room = lz4.LZ4_compressBound(len(block))
    out = ctypes.create_string_buffer(room)
    memory = ctypes.create_string_buffer(dictionary + block, len(dictionary) + len(block))
    source = ctypes.addressof(memory) + len(dictionary)
    acceleration = _LEVELS_OF_FAST.get(level)
    if not dictionary:
        if acceleration is None:
            length = lz4.LZ4_compress_HC(source, out, len(block), room, level)
        else:
            length = lz4.LZ4_compress_fast(source, out, len(block), room, acceleration)
    elif acceleration is None:
        stream = lz4.LZ4_createStreamHC()
        lz4.LZ4_resetStreamHC_fast(stream, level)
        lz4.LZ4_loadDictHC(stream, memory, len(dictionary))
        length = lz4.LZ4_compress_HC_continue(stream, source, out, len(block), room)
        lz4.LZ4_freeStreamHC(stream)
    else:
        stream = lz4.LZ4_createStream()
        lz4.LZ4_loadDict(stream, memory, len(dictionary))
        length = lz4.LZ4_compress_fast_continue(stream, source, out, len(block), room, acceleration)
        lz4.LZ4_freeStream(stream)
    return out.raw[:length]
