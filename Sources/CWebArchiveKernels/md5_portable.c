// SPDX-License-Identifier: Apache-2.0
#include "md5_internal.h"

#include <string.h>

// Left alone, compilers join the terms of round two with an OR, and add them to the sum only then,
// which lengthens the chain of dependencies: a fifth of the speed.
static inline uint32_t early_sum(uint32_t sum) {
    __asm__("" : "+r"(sum));
    return sum;
}

#define WEBARCHIVE_MD5_EARLY_SUM(x) early_sum(x)
#include "md5_steps.h"

#define ROTATE_LEFT(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

#define PORTABLE_STEP(f, a, b, c, d, word, rotation, constant) \
    a = WEBARCHIVE_MD5_ADD_##f(a + words[word] + constant, b, c, d); \
    a = ROTATE_LEFT(a, rotation) + b;

void webarchive_md5_compress_portable(uint32_t state[4], const uint8_t *bytes, size_t blocks) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (; blocks != 0; blocks--, bytes += WEBARCHIVE_MD5_BLOCK) {
        uint32_t words[16];
        memcpy(words, bytes, sizeof words);
        const uint32_t a0 = a, b0 = b, c0 = c, d0 = d;
        WEBARCHIVE_MD5_STEPS(PORTABLE_STEP)
        a += a0;
        b += b0;
        c += c0;
        d += d0;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
}

size_t webarchive_md5_write_tail(const webarchive_message *message, uint8_t tail[WEBARCHIVE_MD5_MAX_TAIL]) {
    const size_t rest = message->length % WEBARCHIVE_MD5_BLOCK;
    const uint64_t bits = (uint64_t)message->length << 3;
    const size_t blocks = rest + 1 + sizeof bits <= WEBARCHIVE_MD5_BLOCK ? 1 : 2;
    const size_t end = blocks * WEBARCHIVE_MD5_BLOCK;
    if (rest != 0) { // `bytes` may be NULL, which memcpy does not allow even for no bytes.
        memcpy(tail, message->bytes + (message->length - rest), rest);
    }
    memset(tail + rest, 0, end - rest);
    tail[rest] = 0x80;
    memcpy(tail + end - sizeof bits, &bits, sizeof bits);
    return blocks;
}

void webarchive_md5_one_portable(const webarchive_message *message, webarchive_md5_digest *digest) {
    uint32_t state[4] = {
        WEBARCHIVE_MD5_INITIAL_A, WEBARCHIVE_MD5_INITIAL_B, WEBARCHIVE_MD5_INITIAL_C, WEBARCHIVE_MD5_INITIAL_D,
    };
    uint8_t tail[WEBARCHIVE_MD5_MAX_TAIL];
    webarchive_md5_compress_portable(state, message->bytes, message->length / WEBARCHIVE_MD5_BLOCK);
    const size_t tail_blocks = webarchive_md5_write_tail(message, tail);
    webarchive_md5_compress_portable(state, tail, tail_blocks);
    memcpy(digest->bytes, state, sizeof digest->bytes);
}
