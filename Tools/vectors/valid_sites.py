# SPDX-License-Identifier: Apache-2.0
"""Right archives of a site, written in several ways."""

from __future__ import annotations

from .expectations import valid
from .site import site, site_lookups


def sites() -> None:
    for name, how in (("site", {}), ("site-raw", {"raw": True}), ("site-every-key-listed", {"keep_defaults": True}),
                      ("site-base-0-step-1", {"plain": True})):
        a, e = site(**how)
        valid(name, a, lookups=site_lookups(e))
