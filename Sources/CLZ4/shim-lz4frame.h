// SPDX-License-Identifier: Apache-2.0
#include <lz4frame.h>
