// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "user_maps.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct webarchive_user_maps webarchive_user_maps(void) {
    struct webarchive_user_maps maps;
    snprintf(maps.users, sizeof maps.users, "%u %u 1\n", geteuid(), geteuid());
    snprintf(maps.groups, sizeof maps.groups, "%u %u 1\n", getegid(), getegid());
    return maps;
}

static bool write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t length = strlen(text);
    bool is_written = write(file, text, length) == (ssize_t)length;
    int error = errno;
    close(file);
    errno = error;
    return is_written;
}

bool webarchive_write_user_maps(const struct webarchive_user_maps *maps) {
    return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", maps->users)
        && write_text("/proc/self/gid_map", maps->groups);
}

#endif
