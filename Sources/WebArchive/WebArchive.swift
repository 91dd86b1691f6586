// SPDX-License-Identifier: Apache-2.0

// One import gives a program all that it needs: errors, digests and levels belong to the format's module.
@_exported public import WebArchiveFormat
