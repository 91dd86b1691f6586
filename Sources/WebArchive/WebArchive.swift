// SPDX-License-Identifier: Apache-2.0

// One import is sufficient for a program: errors, digests and levels belong to the format's module.
@_exported public import WebArchiveFormat
