# SPDX-License-Identifier: Apache-2.0
"""Entries in the form in which `list --json` and the vectors show them."""

from __future__ import annotations

from typing import Any

from webarc_entries import InvalidURL, canonical, entry_key, header_fields, method_and_digest
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
        if answer.string("absent") is not None and (out["body"] is not None or out["role"] != 3):
            raise damaged("a response has and lacks a body, or is served without it", answer.at)
        out |= later(answer, ("version", "truncated", "absent"), ("head", "wire")) \
            | ({"derived": 1} if answer.integer("derived") else {})
    if entry.string("failure") is not None and answer is not None:
        raise damaged("an entry with a failure and an answer", entry.at)
    if request is not None:
        out |= {"request" + name.capitalize(): value
                for name, value in later(request, ("version",), ("head", "wire")).items()}
    return out | later(entry, ("failure",), ())


def later(row: Row, texts: tuple[str, ...], bodies: tuple[str, ...]) -> dict[str, Any]:
    """The keys of version 1.1 that are not null."""
    found = {name: decoded(row.string(name)) for name in texts} | {name: described_body(row.ref(name)) for name in bodies}
    return {name: value for name, value in found.items() if value is not None}


def described_record(record: Row) -> dict[str, Any]:
    """A row of Record. Its exchange is shown as the key of the entry and its time."""
    entry, block = record.ref("entry"), described_body(record.ref("block"))
    if entry is not None and block is not None:
        raise damaged("a record with an exchange and a block", record.at)
    end = record.string("end")
    exchange = None if entry is None else {"key": decoded(entry_key(entry.commit, entry.local)),
                                           "time": entry.integer("time"), "part": record.integer("part")}
    return {"version": decoded(record.string("version")) or "WARC/1.1", "headers": fields(record, record),
            "head": described_body(record.ref("head")), "exchange": exchange, "block": block,
            "end": "\r\n\r\n" if end is None else end.decode("latin-1")}


def described_page(page: Row) -> dict[str, Any]:
    """A row of Page."""
    url = page.string("url")
    if url is None:
        raise damaged("a page without a URL", page.at)
    try:
        canonical(url)
    except InvalidURL:
        raise damaged("a page whose URL is not absolute", page.at) from None
    return {"url": decoded(url), "time": page.integer("time"), "title": decoded(page.string("title")),
            "text": described_body(page.ref("text")), "screenshot": described_body(page.ref("screenshot")),
            "status": page.integer("status", 0, 999), "seed": page.integer("seed"),
            "depth": page.integer("depth", 0, 2**32 - 1)}
