// SPDX-License-Identifier: Apache-2.0
// The vector compression, written once. A file for one instruction set includes this after defining:
//   vector                 a type of LANES 32-bit unsigned integers, with the operators of C
//   LANES, GROUPS          lanes a vector; the most vectors worked on at once, 3 or 4
//   TARGET                 the attribute which lets a function use the instructions
//   LANES_ROTATE(x, n)     rotation to the left by a constant
//   LANES_ADD_F, _G, _H, _I(sum, b, c, d)
//   load_words(words, p, offset)  reads a block at p[lane] + offset of each lane, so that words[w]
//                          holds the w-th word of every lane
// The file defines its kernel from COMPRESS_BY_GROUPS.

#include "md5_internal.h"
#include "md5_steps.h"

#include <string.h>

_Static_assert(GROUPS * LANES <= WEBARCHIVE_MD5_MAX_STREAMS, "the states have no room for the streams");

// Without being told, compilers leave some of these loops until after the pass which would have put
// the arrays into registers.
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

#define LANES_STEP(f, a, b, c, d, word, rotation, constant) \
    UNROLLED for (unsigned g = 0; g < groups; g++) { \
        const vector sum = LANES_ADD_##f(a[g] + (words[g][word] + constant), b[g], c[g], d[g]); \
        a[g] = LANES_ROTATE(sum, rotation) + b[g]; \
    }

// `groups` is a constant at each call, so that every loop over it is unrolled and the state stays in
// registers.
TARGET __attribute__((always_inline)) static inline void compress(
    webarchive_md5_states *states, const uint8_t *const *pointers, size_t blocks, const unsigned groups) {
    vector a[GROUPS], b[GROUPS], c[GROUPS], d[GROUPS];
    UNROLLED for (unsigned g = 0; g < groups; g++) {
        memcpy(&a[g], &states->words[0][g * LANES], sizeof(vector));
        memcpy(&b[g], &states->words[1][g * LANES], sizeof(vector));
        memcpy(&c[g], &states->words[2][g * LANES], sizeof(vector));
        memcpy(&d[g], &states->words[3][g * LANES], sizeof(vector));
    }
    const size_t end = blocks * WEBARCHIVE_MD5_BLOCK;
    for (size_t offset = 0; offset != end; offset += WEBARCHIVE_MD5_BLOCK) {
        vector words[GROUPS][16];
        vector a0[GROUPS], b0[GROUPS], c0[GROUPS], d0[GROUPS];
        UNROLLED for (unsigned g = 0; g < groups; g++) {
            load_words(words[g], pointers + g * LANES, offset);
            a0[g] = a[g];
            b0[g] = b[g];
            c0[g] = c[g];
            d0[g] = d[g];
        }
        // Many streams are more than the processor's own prefetcher follows. What lies past the end does
        // no harm, but a pointer there would not be defined.
        for (unsigned s = 0; s < groups * LANES; s++) {
            __builtin_prefetch((const void *)((uintptr_t)pointers[s] + offset + WEBARCHIVE_MD5_PREFETCH));
        }
        WEBARCHIVE_MD5_STEPS(LANES_STEP)
        UNROLLED for (unsigned g = 0; g < groups; g++) {
            a[g] += a0[g];
            b[g] += b0[g];
            c[g] += c0[g];
            d[g] += d0[g];
        }
    }
    UNROLLED for (unsigned g = 0; g < groups; g++) {
        memcpy(&states->words[0][g * LANES], &a[g], sizeof(vector));
        memcpy(&states->words[1][g * LANES], &b[g], sizeof(vector));
        memcpy(&states->words[2][g * LANES], &c[g], sizeof(vector));
        memcpy(&states->words[3][g * LANES], &d[g], sizeof(vector));
    }
}

#define COMPRESS_GROUPS(name, groups) \
    TARGET static void name(webarchive_md5_states *states, const uint8_t *const *pointers, size_t blocks) { \
        compress(states, pointers, blocks, groups); \
    }

COMPRESS_GROUPS(compress_1, 1)
COMPRESS_GROUPS(compress_2, 2)
COMPRESS_GROUPS(compress_3, 3)
#if GROUPS == 3
#define COMPRESS_BY_GROUPS { compress_1, compress_2, compress_3 }
#else
COMPRESS_GROUPS(compress_4, 4)
#define COMPRESS_BY_GROUPS { compress_1, compress_2, compress_3, compress_4 }
#endif
