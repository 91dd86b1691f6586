// SPDX-License-Identifier: Apache-2.0
#include "CWebArchiveSystem.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void webarchive_return_large_memory(void) {
#if defined(__GLIBC__)
    // Once set it stays: otherwise the limit rises to the size of the first block that is freed, and blocks that come and go with
    // small copies between them leave holes into which the next one does not fit.
    (void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}
