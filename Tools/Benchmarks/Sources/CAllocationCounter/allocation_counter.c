// SPDX-License-Identifier: Apache-2.0
#include "allocation_counter.h"

// A program that defines these functions gets every call of them, those of the Swift runtime and of libraries included.
#if defined(__GLIBC__) || defined(__linux__)
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t count, bytes;

static void note(size_t length) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, length, memory_order_relaxed);
}

extern void *__libc_malloc(size_t length);
extern void *__libc_calloc(size_t number, size_t length);
extern void *__libc_realloc(void *old, size_t length);
extern void *__libc_memalign(size_t alignment, size_t length);

void *malloc(size_t length) {
    note(length);
    return __libc_malloc(length);
}

void *calloc(size_t number, size_t length) {
    note(number * length);
    return __libc_calloc(number, length);
}

void *realloc(void *old, size_t length) {
    note(length);
    return __libc_realloc(old, length);
}

void *memalign(size_t alignment, size_t length) {
    note(length);
    return __libc_memalign(alignment, length);
}

void *aligned_alloc(size_t alignment, size_t length) { return memalign(alignment, length); }

int posix_memalign(void **result, size_t alignment, size_t length) {
    void *memory = memalign(alignment, length);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

allocation_count allocations_so_far(void) { return (allocation_count){count, bytes}; }
#else
allocation_count allocations_so_far(void) { return (allocation_count){0, 0}; }
#endif
