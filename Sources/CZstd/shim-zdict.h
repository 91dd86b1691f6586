// SPDX-License-Identifier: Apache-2.0
// The trainers other than the default one are in the library, behind this name.
#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>
#include <zstd.h>
