// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include "md5_internal.h"

#include <immintrin.h>

typedef uint32_t vector __attribute__((vector_size(64)));

#define LANES 16
#define GROUPS 3
#define TARGET __attribute__((target("avx512f")))
#define LANES_ROTATE(x, n) ((vector)_mm512_rol_epi32((__m512i)(x), n))

// The immediate is the truth table of the function: bit (b << 2 | c << 1 | d).
#define TERNARY(b, c, d, table) ((vector)_mm512_ternarylogic_epi32((__m512i)(b), (__m512i)(c), (__m512i)(d), table))
#define LANES_ADD_F(sum, b, c, d) ((sum) + TERNARY(b, c, d, 0xca))
#define LANES_ADD_G(sum, b, c, d) ((sum) + TERNARY(b, c, d, 0xe4))
#define LANES_ADD_H(sum, b, c, d) ((sum) + TERNARY(b, c, d, 0x96))
#define LANES_ADD_I(sum, b, c, d) ((sum) + TERNARY(b, c, d, 0x39))

// A transpose of 16 x 16 words: pairs of lanes, fours of lanes, then the 128-bit quarters twice.
TARGET __attribute__((always_inline)) static inline void load_words(
    vector words[16], const uint8_t *const *pointers, size_t offset) {
    __m512i rows[16], pairs[16], fours[16], halves[16];
    for (unsigned i = 0; i < 16; i++) {
        rows[i] = _mm512_loadu_si512((const void *)(pointers[i] + offset));
    }
    for (unsigned i = 0; i < 16; i += 2) {
        pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    // Now fours[4 * q + r] holds, in quarter k, word 4 * k + r of the lanes 4 * q to 4 * q + 3.
    for (unsigned i = 0; i < 16; i += 4) {
        fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
        fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
        fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    for (unsigned r = 0; r < 4; r++) {
        halves[r] = _mm512_shuffle_i32x4(fours[r], fours[4 + r], 0x88);
        halves[4 + r] = _mm512_shuffle_i32x4(fours[r], fours[4 + r], 0xdd);
        halves[8 + r] = _mm512_shuffle_i32x4(fours[8 + r], fours[12 + r], 0x88);
        halves[12 + r] = _mm512_shuffle_i32x4(fours[8 + r], fours[12 + r], 0xdd);
    }
    for (unsigned r = 0; r < 4; r++) {
        words[r] = (vector)_mm512_shuffle_i32x4(halves[r], halves[8 + r], 0x88);
        words[4 + r] = (vector)_mm512_shuffle_i32x4(halves[4 + r], halves[12 + r], 0x88);
        words[8 + r] = (vector)_mm512_shuffle_i32x4(halves[r], halves[8 + r], 0xdd);
        words[12 + r] = (vector)_mm512_shuffle_i32x4(halves[4 + r], halves[12 + r], 0xdd);
    }
}

#include "md5_lanes.h"

const webarchive_md5_kernel webarchive_md5_kernel_avx512 = {
    .lanes = LANES,
    .streams = LANES * GROUPS,
    .compress_by_groups = COMPRESS_BY_GROUPS,
};

#else
typedef int webarchive_md5_no_avx512; // A file of C may not be empty.
#endif
