// SPDX-License-Identifier: Apache-2.0
#include "md5_internal.h"

#include <string.h>

enum {
    STEPS_PER_OCTAVE = 8,
    STEP_BITS = 3,
    // Lengths below eight blocks have a class each; above, an eighth of an octave.
    CLASS_COUNT = STEPS_PER_OCTAVE * (64 - STEP_BITS + 1),
};

static unsigned class_of_length(size_t length) {
    const uint64_t blocks = (uint64_t)length / WEBARCHIVE_MD5_BLOCK;
    if (blocks < STEPS_PER_OCTAVE) {
        return (unsigned)blocks;
    }
    const unsigned exponent = 63u - (unsigned)__builtin_clzll(blocks);
    const unsigned mantissa = (unsigned)(blocks >> (exponent - STEP_BITS)) - STEPS_PER_OCTAVE;
    return (exponent - STEP_BITS + 1) * STEPS_PER_OCTAVE + mantissa;
}

// A counting sort: exact order would gain nothing, and this one is linear and needs no comparisons.
void webarchive_md5_order_longest_first(const webarchive_message *messages, size_t count, uint32_t *order) {
    uint32_t position_of_class[CLASS_COUNT];
    memset(position_of_class, 0, sizeof position_of_class);
    for (size_t i = 0; i < count; i++) {
        position_of_class[class_of_length(messages[i].length)]++;
    }
    uint32_t position = 0;
    for (unsigned c = CLASS_COUNT; c-- > 0;) {
        const uint32_t in_class = position_of_class[c];
        position_of_class[c] = position;
        position += in_class;
    }
    for (size_t i = 0; i < count; i++) {
        order[position_of_class[class_of_length(messages[i].length)]++] = (uint32_t)i;
    }
}
