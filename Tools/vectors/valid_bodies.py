# SPDX-License-Identifier: Apache-2.0
"""Right archives about dictionaries, blocks and bodies."""

from __future__ import annotations

import hashlib

from .archive_builder import Archive
from .expectations import valid
from .lz4_encoder import lz4_sequence
from .samples import with_dictionary

# Two texts with the MD5 79054025255fb1a26e4bc422aef54eb4 (X. Wang, H. Yu, 2004).
COLLISION = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a"
    "085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70")
COLLIDING = bytes(b ^ (0x80 if i in (19, 45, 59, 83, 109, 123) else 0) for i, b in enumerate(COLLISION))
assert COLLISION != COLLIDING
assert {hashlib.md5(t).hexdigest() for t in (COLLISION, COLLIDING)} == {"79054025255fb1a26e4bc422aef54eb4"}


def dictionaries() -> None:
    a, c = with_dictionary()
    valid("dictionary", a.add(c))
    # The longest dictionary, which is an entry's body as well.
    a = Archive(exponent=17)
    c = a.commit()
    text = b"".join(b"<li>%d</li>\n" % (i * i * i) for i in range(200)) * 31
    longest = c.body(text[500:66_036])
    d = c.dictionary(text[500:66_036], body=longest)
    near, far = text[66_000:66_036], text[500:540]
    assert len(text) > 66_036
    c.entry("http://example.org/first", c.response(body=longest))
    c.entry("http://example.org/near", c.response(body=c.body(near + b"!" + far * 3, dictionary=d)))
    # Only from the dictionary's first bytes: 65,535 bytes back is as far as LZ4 reaches.
    stored = lz4_sequence(b"x", 65_535, 40) + lz4_sequence(b"12345")
    data = b"x" + text[502:542] + b"12345"
    block = c.block(data, dictionary=d, stored=stored)
    c.entry("http://example.org/far", c.response(body=c.body(data, block)))
    valid("dictionary-longest", a.add(c))


def equal_digests() -> None:
    a = Archive()
    c = a.commit()
    for i, text in enumerate((COLLISION, COLLIDING)):
        c.entry(f"http://example.org/{i}", c.response(body=c.body(text, raw=True)))
    valid("same-digest", a.add(c))
    a = Archive()
    for i, text in enumerate((COLLISION, COLLIDING)):
        c = a.commit()
        c.entry("http://example.org/", c.response(body=c.body(text, raw=True)), time=i)
        c.entry("http://example.org/post", c.response(200 + i),
                c.request("POST", body=c.body(text, raw=True)), time=i)
        a.add(c)
    e = a.entries
    found = [("http://example.org/", [e[2], e[0]]),
             ("http://example.org/post", [e[3], e[1]], "POST", "79054025255fb1a26e4bc422aef54eb4")]
    valid("same-digest-in-two-commits", a, lookups=found)


def block_lengths() -> None:
    a = Archive()
    c = a.commit()
    text = b"".join(b"%d bottles of beer\n" % (i * i) for i in range(40)) * 30
    for i, length in enumerate((0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 12_288)):
        raw = length == 1
        data = text[i:i + length - 1] + b"x" if length else b""
        if length % 4096 == 1 and not raw:  # a last block of one byte has to be raw
            blocks = [c.block(data[at:at + 4096], raw=len(data[at:at + 4096]) == 1) for at in range(0, length, 4096)]
            body = c.body(data, blocks[0])
        else:
            body = c.body(data, raw=raw)
        c.entry(f"http://example.org/{length}", c.response(body=body))
    # The last block of a body may go on: the rest of it belongs to others.
    data = text[:4096] + b"the end" + b"and another body"
    blocks = [c.block(data[:4096]), c.block(data[4096:], raw=True)]
    c.entry("http://example.org/shared-end", c.response(body=c.body(data[:4103], blocks[0])))
    c.entry("http://example.org/after-it", c.response(body=c.body(b"and another body", blocks[1], 7)))
    valid("block-lengths", a.add(c))
    a = Archive(exponent=20)
    c = a.commit()
    data = b"".join(b"%08d\n" % (i // 50_000) for i in range(120_000))
    body = c.body(data[:2**20] + data[:99])
    c.entry("http://example.org/", c.response(body=body))
    valid("block-exponent-20", a.add(c))
