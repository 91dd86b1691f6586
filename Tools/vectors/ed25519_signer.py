# SPDX-License-Identifier: Apache-2.0
"""Ed25519 signatures as RFC 8032 section 5.1.6 makes them, in affine coordinates. Slow, and not for secrets."""

from __future__ import annotations

import hashlib

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493


def inverse(number: int) -> int:
    return pow(number, -1, PRIME)


D = -121665 * inverse(121666) % PRIME
Y = 4 * inverse(5) % PRIME
_X = pow((Y * Y - 1) * inverse(D * Y * Y + 1), (PRIME + 3) // 8, PRIME)
if (_X * _X - (Y * Y - 1) * inverse(D * Y * Y + 1)) % PRIME:
    _X = _X * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
BASE = (_X if _X % 2 == 0 else PRIME - _X, Y)


def plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    product = D * a[0] * b[0] * a[1] * b[1] % PRIME
    return ((a[0] * b[1] + b[0] * a[1]) * inverse(1 + product) % PRIME,
            (a[1] * b[1] + a[0] * b[0]) * inverse(1 - product) % PRIME)


def times(scalar: int) -> bytes:
    """A multiple of the base point, encoded."""
    result, point = (0, 1), BASE
    for bit in range(256):
        if scalar >> bit & 1:
            result = plus(result, point)
        point = plus(point, point)
    return (result[1] | result[0] % 2 << 255).to_bytes(32, "little")


class Signer:
    def __init__(self, seed: str) -> None:
        digest = hashlib.sha512(bytes.fromhex(seed)).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
        self.prefix = digest[32:]
        self.key = times(self.scalar)

    def sign(self, message: bytes) -> bytes:
        def number(*parts: bytes) -> int:
            return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER
        nonce = number(self.prefix, message)
        point = times(nonce)
        scalar = (nonce + number(point, self.key, message) * self.scalar) % ORDER
        return point + scalar.to_bytes(32, "little")


# The secret keys of the first three examples of RFC 8032 section 7.1.
ALICE = Signer("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
BOB = Signer("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
CAROL = Signer("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
DAVE = Signer("833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42")  # of the example with SHA(abc)
assert ALICE.key.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
assert BOB.sign(b"\x72")[:8].hex() == "92a009a9f0d4cab8"
