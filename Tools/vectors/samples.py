# SPDX-License-Identifier: Apache-2.0
"""Contents and an archive that right and wrong vectors share."""

from __future__ import annotations

import hashlib

from .archive_builder import Archive
from .commit_builder import Commit
from .primitives import SECOND

NOISE = hashlib.shake_256(b"webarc").digest  # bytes that do not compress, always the same

DICTIONARY = b'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>'
PAGE = DICTIONARY + b"One</title></head><body><p>First</p></body></html>\n"


def with_dictionary() -> tuple[Archive, Commit]:
    """Two pages that need a dictionary, and one that does not."""
    a = Archive()
    c = a.commit()
    d = c.dictionary(DICTIONARY, "text/html", raw=True)
    for number in (b"One", b"Two"):
        body = c.body(PAGE.replace(b"One", number), dictionary=d)
        c.entry(f"http://example.org/{number.decode().lower()}", c.response(body=body, mediaType="text/html"),
                time=SECOND)
    c.entry("http://example.org/text", c.response(body=c.body(b"abcd" * 20)), time=3 * SECOND)
    return a, c
