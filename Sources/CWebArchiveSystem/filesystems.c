// SPDX-License-Identifier: Apache-2.0
#include "CWebArchiveSystem.h"

#if defined(__linux__)

#include <sys/vfs.h>

bool webarchive_keeps_file_numbers(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return false;
    // Values of statfs(2) and linux/magic.h.
    switch ((uint32_t)status.f_type) {
    case 0x4D44:      // MSDOS_SUPER_MAGIC: FAT
    case 0x2011BAB0:  // EXFAT_SUPER_MAGIC
    case 0x65735546:  // FUSE_SUPER_MAGIC
    case 0xFF534D42:  // CIFS_SUPER_MAGIC
    case 0xFE534D42:  // SMB2_SUPER_MAGIC
        return false;
    default:
        return true;
    }
}

bool webarchive_is_in_proc(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 && (uint32_t)status.f_type == 0x9FA0;  // PROC_SUPER_MAGIC
}

#elif defined(__APPLE__)

#include <string.h>
#include <sys/mount.h>

bool webarchive_keeps_file_numbers(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return false;
    static const char *const others[] = {"msdos", "exfat", "smbfs", "macfuse"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(status.f_fstypename, others[i]) == 0) return false;
    }
    return true;
}

bool webarchive_is_in_proc(int descriptor) {
    (void)descriptor;
    return false;
}

#else

bool webarchive_keeps_file_numbers(int descriptor) {
    (void)descriptor;
    return false;
}

bool webarchive_is_in_proc(int descriptor) {
    (void)descriptor;
    return false;
}

#endif
