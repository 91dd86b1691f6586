// SPDX-License-Identifier: Apache-2.0

// One import is sufficient for an app.
@_exported public import WebArchive
@_exported public import WebArchiveCaching
