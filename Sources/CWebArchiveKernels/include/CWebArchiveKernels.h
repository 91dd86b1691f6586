// SPDX-License-Identifier: Apache-2.0
#ifndef WEBARCHIVE_KERNELS_H
#define WEBARCHIVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One message, wholly in memory. `bytes` needs no alignment, and may be NULL when `length` is 0.
typedef struct {
    const uint8_t *bytes;
    size_t length;
} webarchive_message;

typedef struct {
    uint8_t bytes[16];
} webarchive_md5_digest;

/// Computes the MD5 (RFC 1321) of each of `count` messages into the digest of the same index.
///
/// Runs on the calling thread, with the widest implementation which the processor supports. Never
/// fails: scratch memory (four bytes a message) only improves the order of work, and is done without
/// if it cannot be had. Both pointers may be NULL when `count` is 0.
void webarchive_md5_many(const webarchive_message *messages, size_t count, webarchive_md5_digest *digests);

/// How many lanes a vector of the widest supported implementation holds: 16 (AVX-512), 8 (AVX2),
/// 4 (NEON) or 1 (portable).
unsigned webarchive_md5_lane_count(void);

/// As `webarchive_md5_many`, by the implementation of `lanes` lanes. Returns false, with the digests
/// untouched, if this processor has no such implementation.
bool webarchive_md5_many_with_lanes(
    unsigned lanes, const webarchive_message *messages, size_t count, webarchive_md5_digest *digests);

#ifdef __cplusplus
}
#endif

#endif
