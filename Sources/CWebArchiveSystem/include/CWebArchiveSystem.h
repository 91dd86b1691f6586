// SPDX-License-Identifier: Apache-2.0
#ifndef CWEBARCHIVESYSTEM_H
#define CWEBARCHIVESYSTEM_H

#include <spawn.h>
#include <stdint.h>

// What the system offers and Swift does not import.

// Asks the system to begin writing a part of a file to disk, and does not wait for it: sync_file_range(2) with
// SYNC_FILE_RANGE_WRITE. A hint, no promise: it has no result, and does nothing where there is no such call.
void webarchive_start_writeback(int descriptor, int64_t offset, int64_t length);

// Has a child that posix_spawn(3) starts close its descriptors from a number on: posix_spawn_file_actions_addclosefrom_np(3).
// Gives an error number; does nothing where there is no such call.
int webarchive_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

// Copies bytes from where one file stands to where another does, sharing blocks where it can: copy_file_range(2). Gives how many,
// or -1 with errno set: ENOSYS where there is no such call.
int64_t webarchive_copy_file_range(int input, int output, int64_t length);

#endif
