// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWebArchiveSystem.h"

#include <errno.h>
#include <unistd.h>

int64_t webarchive_copy_file_range(int input, int output, int64_t length) {
#if defined(__linux__)
    return copy_file_range(input, NULL, output, NULL, (size_t)length, 0);
#else
    (void)input, (void)output, (void)length;
    errno = ENOSYS;
    return -1;
#endif
}
