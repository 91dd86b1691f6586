// SPDX-License-Identifier: Apache-2.0
#include "CWebArchiveSystem.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__linux__)

#include <linux/limits.h>
#include <sys/xattr.h>

static const char access_list[] = "system.posix_acl_access";

bool webarchive_has_access_list(int descriptor) { return fgetxattr(descriptor, access_list, NULL, 0) > 0; }

static int remove_list(int descriptor) {
    if (fremovexattr(descriptor, access_list) == 0 || errno == ENODATA || errno == ENOTSUP) return 0;
    return -1;
}

int webarchive_copy_access_list(int input, int output) {
    if (!webarchive_has_access_list(input)) return remove_list(output);
    void *list = malloc(XATTR_SIZE_MAX);
    if (!list) return -1;
    ssize_t length = fgetxattr(input, access_list, list, XATTR_SIZE_MAX);
    int result = length < 0 ? -1 : fsetxattr(output, access_list, list, (size_t)length, 0);
    int error = errno;
    free(list);
    errno = error;
    return result;
}

#elif defined(__APPLE__)

#include <copyfile.h>
#include <sys/acl.h>

bool webarchive_has_access_list(int descriptor) {
    acl_t list = acl_get_fd_np(descriptor, ACL_TYPE_EXTENDED);
    if (list) acl_free(list);
    return list != NULL;
}

int webarchive_copy_access_list(int input, int output) { return fcopyfile(input, output, NULL, COPYFILE_ACL); }

#else

bool webarchive_has_access_list(int descriptor) {
    (void)descriptor;
    return false;
}

int webarchive_copy_access_list(int input, int output) {
    (void)input, (void)output;
    return 0;
}

#endif
