// SPDX-License-Identifier: Apache-2.0
#ifndef WEBARCHIVE_MD5_INTERNAL_H
#define WEBARCHIVE_MD5_INTERNAL_H

#include "CWebArchiveKernels.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The MD5 kernels read message words as they lie in memory, so they need a little-endian host."
#endif

enum {
    WEBARCHIVE_MD5_BLOCK = 64,
    WEBARCHIVE_MD5_MAX_TAIL = 2 * WEBARCHIVE_MD5_BLOCK,
    WEBARCHIVE_MD5_MAX_STREAMS = 48,
    WEBARCHIVE_MD5_MAX_GROUPS = 4,
    /// How far ahead of its stream a kernel fetches memory. Measured: 128 to 512 are alike.
    WEBARCHIVE_MD5_PREFETCH = 256,
};

/// The chaining values of all streams: `words[w][s]` is word `w` (A, B, C, D) of stream `s`.
typedef struct {
    _Alignas(64) uint32_t words[4][WEBARCHIVE_MD5_MAX_STREAMS];
} webarchive_md5_states;

/// Takes the first streams, as many as some number of vectors has lanes, on by `blocks` blocks, each
/// from its own pointer.
typedef void webarchive_md5_compress_lanes(
    webarchive_md5_states *states, const uint8_t *const *blocks_of_stream, size_t blocks);

typedef struct {
    unsigned lanes;
    unsigned streams;
    /// By the number of vectors less one. The chains of dependencies of several vectors overlap, so that
    /// the most of them are the fastest for a stream, as long as all streams are live.
    webarchive_md5_compress_lanes *compress_by_groups[WEBARCHIVE_MD5_MAX_GROUPS];
} webarchive_md5_kernel;

#if defined(__x86_64__)
extern const webarchive_md5_kernel webarchive_md5_kernel_avx2;
extern const webarchive_md5_kernel webarchive_md5_kernel_avx512;
#elif defined(__aarch64__)
extern const webarchive_md5_kernel webarchive_md5_kernel_neon;
#endif

void webarchive_md5_compress_portable(uint32_t state[4], const uint8_t *bytes, size_t blocks);

void webarchive_md5_one_portable(const webarchive_message *message, webarchive_md5_digest *digest);

/// Writes what follows the whole blocks of a message: its last bytes, the padding and its length.
/// Returns the number of blocks written, 1 or 2.
size_t webarchive_md5_write_tail(const webarchive_message *message, uint8_t tail[WEBARCHIVE_MD5_MAX_TAIL]);

/// Fills `order` with the indices of the messages, longest first (to about an eighth).
void webarchive_md5_order_longest_first(const webarchive_message *messages, size_t count, uint32_t *order);

/// Hashes by `kernel`. `order` gives the order of work, or is NULL for that of the messages.
void webarchive_md5_run_lanes(
    const webarchive_md5_kernel *kernel, const webarchive_message *messages, size_t count,
    const uint32_t *order, webarchive_md5_digest *digests);

#endif
