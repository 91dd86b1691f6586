// SPDX-License-Identifier: Apache-2.0
#ifndef WEBARCHIVE_USER_MAPS_H
#define WEBARCHIVE_USER_MAPS_H

#include <stdbool.h>

// The texts for /proc that give a user namespace the user of this process, and no other. Made before a fork: a child may allocate nothing.
struct webarchive_user_maps {
    char users[64], groups[64];
};

struct webarchive_user_maps webarchive_user_maps(void);

// Writes them for the namespace of the calling process; false with errno set.
bool webarchive_write_user_maps(const struct webarchive_user_maps *maps);

#endif
