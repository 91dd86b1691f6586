// SPDX-License-Identifier: Apache-2.0
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdint.h>

/// Heap allocations of this process so far, and the bytes that were asked for. Counted on glibc only; 0 elsewhere.
typedef struct {
    uint64_t count;
    uint64_t bytes;
} allocation_count;

allocation_count allocations_so_far(void);

#endif
