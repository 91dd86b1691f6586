// SPDX-License-Identifier: Apache-2.0

// One import gives an app all that it needs.
@_exported public import WebArchive
@_exported public import WebArchiveCaching
