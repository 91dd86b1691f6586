# SPDX-License-Identifier: Apache-2.0
"""The modules of Tools/benchmark."""
