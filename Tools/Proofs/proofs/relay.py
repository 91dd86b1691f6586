# SPDX-License-Identifier: Apache-2.0
"""A network between devices and a host, which resets some of the connections midway."""

from __future__ import annotations

import random
import socket
import struct
import threading

PIECE = 16 << 10


class Relay:
    """Accepts connections and hands their bytes on. Ends with the block."""

    def __init__(self, target: int, numbers: random.Random) -> None:
        self.target, self.random = target, numbers
        # The share of connections that are reset.
        self.resets = 0.0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self) -> Relay:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        # The list is short, and patches and archives are long: some break off early, most somewhere in the middle.
        limit = int(10 ** self.random.uniform(2, 6)) if self.random.random() < self.resets else None
        try:
            host = socket.create_connection(("127.0.0.1", self.target), timeout=60)
        except OSError:
            _reset(client)
            return
        threading.Thread(target=self._pump, args=(client, host, None), daemon=True).start()
        self._pump(host, client, limit)

    def _pump(self, source: socket.socket, target: socket.socket, limit: int | None) -> None:
        try:
            while piece := source.recv(PIECE if limit is None else min(PIECE, limit)):
                target.sendall(piece)
                if limit is not None:
                    limit -= len(piece)
                    if limit <= 0:
                        _reset(target)
                        break
        except OSError:
            _reset(target)
        finally:
            for each in (source, target):
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                each.close()


def _reset(connection: socket.socket) -> None:
    """Closes a connection by a reset."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    except OSError:
        pass
