// SPDX-License-Identifier: Apache-2.0
#if defined(__aarch64__)

#include "md5_internal.h"

#include <arm_neon.h>

typedef uint32x4_t vector;

#define LANES 4
// The vector units of Apple's cores start four operations a cycle, each of two or three cycles, so
// that one chain leaves most of them idle; four states still fit in the 32 registers.
#define GROUPS 4
#define TARGET
#define LANES_ROTATE(x, n) vsriq_n_u32(vshlq_n_u32(x, n), x, 32 - (n))
#define LANES_ADD_F(sum, b, c, d) ((sum) + vbslq_u32(b, c, d))
#define LANES_ADD_G WEBARCHIVE_MD5_ADD_G
#define LANES_ADD_H WEBARCHIVE_MD5_ADD_H
#define LANES_ADD_I(sum, b, c, d) ((sum) + ((c) ^ vornq_u32(b, d)))

static inline __attribute__((always_inline)) uint32x4_t join_low(uint32x4_t low, uint32x4_t high) {
    return vreinterpretq_u32_u64(vtrn1q_u64(vreinterpretq_u64_u32(low), vreinterpretq_u64_u32(high)));
}

static inline __attribute__((always_inline)) uint32x4_t join_high(uint32x4_t low, uint32x4_t high) {
    return vreinterpretq_u32_u64(vtrn2q_u64(vreinterpretq_u64_u32(low), vreinterpretq_u64_u32(high)));
}

// Four transposes of 4 x 4 words.
static inline __attribute__((always_inline)) void load_words(
    vector words[16], const uint8_t *const *pointers, size_t offset) {
    for (unsigned w = 0; w < 16; w += 4) {
        uint32x4_t rows[4];
        for (unsigned i = 0; i < 4; i++) { // Bytes, as the address may have any alignment.
            rows[i] = vreinterpretq_u32_u8(vld1q_u8(pointers[i] + offset + 4 * w));
        }
        const uint32x4_t even01 = vtrn1q_u32(rows[0], rows[1]);
        const uint32x4_t odd01 = vtrn2q_u32(rows[0], rows[1]);
        const uint32x4_t even23 = vtrn1q_u32(rows[2], rows[3]);
        const uint32x4_t odd23 = vtrn2q_u32(rows[2], rows[3]);
        words[w] = join_low(even01, even23);
        words[w + 1] = join_low(odd01, odd23);
        words[w + 2] = join_high(even01, even23);
        words[w + 3] = join_high(odd01, odd23);
    }
}

#include "md5_lanes.h"

const webarchive_md5_kernel webarchive_md5_kernel_neon = {
    .lanes = LANES,
    .streams = LANES * GROUPS,
    .compress_by_groups = COMPRESS_BY_GROUPS,
};

#else
typedef int webarchive_md5_no_neon; // A file of C may not be empty.
#endif
