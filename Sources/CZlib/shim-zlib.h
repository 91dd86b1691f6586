// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

// The initialisers are macros, which Swift does not import. Window bits of 47: the header tells whether the stream is gzip or zlib.
static inline int webarchive_inflate_begin(z_stream *stream) { return inflateInit2(stream, 47); }
static inline int webarchive_inflate_begin_raw(z_stream *stream) { return inflateInit2(stream, -15); }
static inline int webarchive_gzip_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}
