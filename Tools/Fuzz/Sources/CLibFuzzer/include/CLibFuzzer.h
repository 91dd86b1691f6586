// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own mutations, for a custom mutator to build on: changes `data` in place and gives its new length.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
