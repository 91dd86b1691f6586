# SPDX-License-Identifier: Apache-2.0
"""Entries in the form in which `list --json` and the vectors show them."""

from __future__ import annotations

from typing import Any

from webarc_entries import header_fields, method_and_digest
from webarc_format import damaged
from webarc_reader import Row


def decoded(data: bytes | None) -> str | None:
    """UTF-8, repaired where it is not. (Header fields and reason phrases are bytes, and shown as Latin-1.)"""
    return None if data is None else data.decode(errors="replace")


def described_body(body: Row | None) -> dict[str, Any] | None:
    return None if body is None else {"digest": body.octets("digest").hex(), "length": body.integer("length", 0)}


def fields(owner: Row | None, entry: Row) -> list[list[str]]:
    if owner is None:
        return []
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in header_fields(owner, entry)]


def described(entry: Row, key: bytes) -> dict[str, Any]:
    request, answer, url = entry.ref("request"), entry.ref("answer"), entry.string("url")
    out: dict[str, Any] = {
        "commit": entry.commit.number, "url": decoded(key if url is None else url), "key": decoded(key),
        "method": decoded(method_and_digest(entry)[0]), "role": entry.integer("role"),
        "kind": None if answer is None else answer.table.name.lower(),
        "status": None, "reason": None, "headers": fields(answer, entry), "mediaType": None, "charset": None,
        "target": None, "modified": 0, "time": entry.integer("time"), "codings": None, "address": None, "body": None,
        "requestHeaders": fields(request, entry),
        "requestBody": None if request is None else described_body(request.ref("body"))}
    if answer is not None:
        reason = answer.string("reason")
        out |= {name: decoded(answer.string(name)) for name in ("mediaType", "charset", "codings", "address")}
        out |= {"status": answer.integer("status", 100, 999), "modified": answer.integer("modified"),
                "reason": None if reason is None else reason.decode("latin-1"),
                "body": described_body(answer.ref("body"))}
        if answer.table.name == "Redirect":
            target = answer.string("target")
            if target is None:
                raise damaged("a redirect without a target", answer.at)
            out["target"] = decoded(target)
    return out
