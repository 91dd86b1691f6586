// SPDX-License-Identifier: Apache-2.0
#ifndef CWEBARCHIVESYSTEM_H
#define CWEBARCHIVESYSTEM_H

#include <stdint.h>

// What the system offers and Swift does not import.

// Asks the system to begin writing a part of a file to disk, and does not wait for it: sync_file_range(2) with
// SYNC_FILE_RANGE_WRITE. A hint, no promise: it has no result, and does nothing where there is no such call.
void webarchive_start_writeback(int descriptor, int64_t offset, int64_t length);

#endif
