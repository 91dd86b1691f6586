# SPDX-License-Identifier: Apache-2.0
"""The keys of the publisher over the releases, and what each device may therefore show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .device import Trust
from .publisher import Key, Publisher


@dataclass
class Signers:
    """Those who sign from now on."""

    keys: list[Key]
    # Which key speaks for which older one.
    endorsed: dict[Key, Key]
    endorsements: list[Path]
    revoked: tuple[Key, ...] = ()
    revocations: tuple[Path, ...] = ()

    def satisfy(self, trust: Trust) -> bool:
        """Returns whether they are enough for a device: keys that it knows, and others that these endorse. Each signer counts once."""
        trusted = set(trust.keys) - set(self.revoked)
        known = [key for key in self.keys if key in trusted or self.endorsed.get(key) in trusted]
        return len(known) >= trust.signatures


class Plan:
    """A main key that is replaced by another at half of the releases, and a second signer who is missing in the end."""

    def __init__(self, publisher: Publisher, releases: int) -> None:
        self.publisher, self.releases = publisher, releases
        self.old, self.new, self.second = (publisher.key(name) for name in ("old", "new", "second"))
        self.signers = Signers([self.old, self.second], {}, [])
        self.trusts = [
            Trust("the old key", (self.old,)),
            Trust("both keys", (self.old, self.new)),
            Trust("the new key", (self.new,)),
            Trust("two signers", (self.old, self.new, self.second), signatures=2),
        ]

    def prepare(self, release: int) -> bool:
        """Changes who signs. Returns whether some devices will not follow, and so have to have the release before."""
        if release == self.releases // 2:
            return self.endorse()
        if release == self.releases - 2:
            return self.revoke()
        if release == self.releases:
            self.signers.keys.remove(self.second)
            return True
        return False

    def endorse(self) -> bool:
        """The new key signs, and the old one vouches for it."""
        endorsement = self.publisher.endorse(self.new, self.old)
        self.signers = Signers([self.new, self.second], {self.new: self.old}, [endorsement])
        return False

    def revoke(self) -> bool:
        """The old key was stolen and counts no more, and its word for the new one neither. Devices that have no other key stay as they are."""
        self.signers.revoked, self.signers.revocations = (self.old,), (self.publisher.revoke(self.old),)
        return True
