// SPDX-License-Identifier: Apache-2.0
#include "md5_internal.h"

#include <stdlib.h>

enum { ORDER_ON_STACK = 1024 };

// NULL for a number of lanes which this processor does not have.
static const webarchive_md5_kernel *kernel_with_lanes(unsigned lanes) {
#if defined(__x86_64__)
    if (lanes == webarchive_md5_kernel_avx512.lanes && __builtin_cpu_supports("avx512f")) {
        return &webarchive_md5_kernel_avx512;
    }
    if (lanes == webarchive_md5_kernel_avx2.lanes && __builtin_cpu_supports("avx2")) {
        return &webarchive_md5_kernel_avx2;
    }
#elif defined(__aarch64__)
    if (lanes == webarchive_md5_kernel_neon.lanes) {
        return &webarchive_md5_kernel_neon;
    }
#endif
    (void)lanes;
    return NULL;
}

static void run_in_good_order(
    const webarchive_md5_kernel *kernel, const webarchive_message *messages, size_t count,
    webarchive_md5_digest *digests) {
    // Up to this number every message has a stream of its own from the start, and order means nothing.
    if (count <= kernel->streams || (uint64_t)count > UINT32_MAX) {
        webarchive_md5_run_lanes(kernel, messages, count, NULL, digests);
        return;
    }
    uint32_t on_stack[ORDER_ON_STACK];
    uint32_t *const order = count <= ORDER_ON_STACK ? on_stack : malloc(count * sizeof *order);
    if (order != NULL) {
        webarchive_md5_order_longest_first(messages, count, order);
    }
    webarchive_md5_run_lanes(kernel, messages, count, order, digests);
    if (order != on_stack) {
        free(order);
    }
}

bool webarchive_md5_many_with_lanes(
    unsigned lanes, const webarchive_message *messages, size_t count, webarchive_md5_digest *digests) {
    if (lanes == 1) {
        for (size_t i = 0; i < count; i++) {
            webarchive_md5_one_portable(&messages[i], &digests[i]);
        }
        return true;
    }
    const webarchive_md5_kernel *kernel = kernel_with_lanes(lanes);
    if (kernel == NULL) {
        return false;
    }
    run_in_good_order(kernel, messages, count, digests);
    return true;
}

unsigned webarchive_md5_lane_count(void) {
    for (unsigned lanes = 16; lanes > 1; lanes /= 2) {
        if (kernel_with_lanes(lanes) != NULL) {
            return lanes;
        }
    }
    return 1;
}

void webarchive_md5_many(const webarchive_message *messages, size_t count, webarchive_md5_digest *digests) {
    webarchive_md5_many_with_lanes(webarchive_md5_lane_count(), messages, count, digests);
}
