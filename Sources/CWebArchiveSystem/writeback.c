// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWebArchiveSystem.h"

#include <fcntl.h>

void webarchive_start_writeback(int descriptor, int64_t offset, int64_t length) {
#if defined(SYNC_FILE_RANGE_WRITE)
    (void)sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)length;
#endif
}
