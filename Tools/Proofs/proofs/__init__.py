# SPDX-License-Identifier: Apache-2.0
"""The modules of Tools/prove-updates. Commands and servers are those of the driver of the benchmarks."""
