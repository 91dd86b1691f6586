// SPDX-License-Identifier: Apache-2.0

// Every name of this module is beside those of the library.
@_exported public import WebArchive
