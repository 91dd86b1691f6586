// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CWebArchiveSystem.h"

int webarchive_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions, (void)first;
    return 0;
#endif
}
