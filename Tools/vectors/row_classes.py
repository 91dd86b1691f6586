# SPDX-License-Identifier: Apache-2.0
"""The classes of version 1 and their rows (section 7)."""

from __future__ import annotations

from typing import Any

INTEGER, TIME, REFERENCE, BYTES, TEXT = 1, 2, 3, 4, 5
ANSWER = (("status", INTEGER), ("reason", "String"), ("headers", "HeaderList"), ("fill", "String"),
          ("mediaType", "String"), ("charset", "String"), ("body", "Body"), ("modified", TIME), ("address", "String"),
          ("codings", "String"), ("version", "String"), ("head", "Body"), ("wire", "Body"), ("truncated", "String"),
          ("absent", "String"), ("derived", INTEGER))
# A reference is given by its target classes.
CLASSES: dict[str, tuple[tuple[str, int | str | tuple[str, ...]], ...]] = {
    "Entry": (("request", "Request"), ("url", "String"), ("answer", ("Response", "Redirect")), ("time", TIME),
              ("role", INTEGER), ("failure", "String")),
    "Request": (("method", "String"), ("headers", "HeaderList"), ("fill", "String"), ("body", "Body"),
                ("version", "String"), ("head", "Body"), ("wire", "Body")),
    "Response": ANSWER,
    "Redirect": ANSWER + (("target", "String"),),
    "HeaderList": (("first", "HeaderField"), ("count", INTEGER)),
    "HeaderField": (("name", "String"), ("form", INTEGER), ("value", "String")),
    "String": (("text", TEXT),),
    "Body": (("digest", BYTES), ("block", "Block"), ("offset", INTEGER), ("length", INTEGER)),
    "Block": (("offset", INTEGER), ("length", INTEGER), ("checksum", INTEGER), ("coding", INTEGER),
              ("dictionary", "Dictionary")),
    "Dictionary": (("body", "Body"), ("name", "String")),
    "Metadata": (("name", "String"), ("value", "String"), ("body", "Body")),
    "KeyBlock": (("keys", TEXT),),
    "Bucket": (("first", INTEGER),),
    "Slot": (("entry", INTEGER), ("tag", INTEGER)),
    "Record": (("version", "String"), ("headers", "HeaderList"), ("fill", "String"), ("head", "Body"),
               ("entry", "Entry"), ("part", INTEGER), ("block", "Body"), ("end", "String")),
    "Page": (("url", "String"), ("time", TIME), ("title", "String"), ("text", "Body"), ("screenshot", "Body"),
             ("status", INTEGER), ("seed", INTEGER), ("depth", INTEGER)),
}
# What came with version 1.1 is listed only where it is used.
LATER_CLASSES = ("Record", "Page")
LATER_KEYS = ("version", "head", "wire", "truncated", "absent", "derived", "failure")
DEFAULTS = {("Response", "status"): 200, ("Redirect", "status"): 301}


def targets_of(kind: Any) -> tuple[str, ...]:
    return () if isinstance(kind, int) else (kind,) if isinstance(kind, str) else kind


class Row:
    """A row to be. Values are integers, bytes, other rows (references) or None. `shown` is what reading it gives."""

    def __init__(self, of: str, **values: Any) -> None:
        self.of, self.values, self.number = of, values, -1
        self.shown: dict[str, Any] = {}
        self.window = b""  # of a dictionary: its bytes
