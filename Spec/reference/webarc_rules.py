# SPDX-License-Identifier: Apache-2.0
"""Section 8.7 of ../webarc-1.md: the redirect rules of a site."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from webarc_entries import (InvalidURL, canonical, first_entry, entry_key, lookup_for_a_person, metadata,
                            method_and_digest)
from webarc_format import ArchiveError
from webarc_reader import Archive, Row

MAX_FILES, MAX_TEXT, MAX_RULES = 16, 1 << 20, 10_000
MAX_LINE, MAX_PATTERN, MAX_CAPTURES, MAX_PATH = 16_384, 2_048, 64, 16_384
STATUSES = {200, 301, 302, 303, 307, 308, *range(400, 600)}
NAME = rb"[A-Za-z][A-Za-z0-9_]*"
LANGUAGE = re.compile(rb"[ \t]*([a-z0-9-]{1,100})[ \t]*(?:;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*)?")
SCHEME = re.compile(rb"https?://", re.IGNORECASE)


Part = bytes | tuple[bytes | None]


class Skipped(ValueError):
    """A line that is not a rule, or one that is not followed."""


@dataclass(frozen=True)
class Client:
    """The facts about a client on which conditions depend."""
    languages: bytes = b""
    cookies: dict[bytes, bytes] = field(default_factory=dict)
    country: bytes | None = None

    def language(self) -> bytes | None:
        if b"nf_lang" in self.cookies:
            return self.cookies[b"nf_lang"].lower()
        best: tuple[float, bytes] | None = None
        for item in [item for item in self.languages.lower().split(b",") if item][:50]:
            found = LANGUAGE.fullmatch(item)
            weight = float(found[2] or b"1") if found else 0.0
            if found and weight > 0 and (best is None or weight > best[0]):
                best = (weight, found[1])
        return best[1] if best else None


@dataclass(frozen=True)
class Rule:
    line: int
    host: list[Part] | None
    path: list[Part]
    names: list[bytes]
    parameters: list[tuple[bytes, bytes]]
    target: bytes
    status: int
    forced: bool
    conditions: list[tuple[bytes, list[bytes]]]


@dataclass(frozen=True)
class Answer:
    """A status, and a Location or a row of Entry; the line of the rule that decided, if one did."""
    status: int
    location: bytes | None = None
    entry: Row | None = None
    line: int | None = None
    forced: bool = False


def encoded(text: bytes, also: bytes = b"") -> bytes:
    """The one form in which sources, paths and results are compared."""
    text = re.sub(rb"%[0-9a-fA-F]{2}", lambda m: m[0].upper(), text)
    return re.sub(rb"[\x00-\x20\x7f-\xff\"<>^`{}" + re.escape(also) + rb"]", lambda m: b"%%%02X" % m[0][0], text)


def pattern(text: bytes, names: list[bytes], ends: bytes) -> list[Part]:
    """Literals, and for each "*" and name the bytes that end what it stands for; None for "*"."""
    parts: list[Part] = []
    for literal, star, name in re.findall(rb"(?s)((?:(?!\*|:" + NAME + rb").)+)|(\*)|:(" + NAME + rb")", text):
        if literal:
            parts.append(literal)
        else:
            names.append(b"splat" if star else name)
            parts.append((None if star else ends,))
    return parts


def matched(parts: list[Part], text: bytes) -> list[bytes] | None:
    """The texts that the places stand for, each as long as can be, the first ones first; None without a match."""
    failed: set[tuple[int, int]] = set()
    taken: list[tuple[int, int, int]] = []  # place in `parts`, start, end
    number, position = 0, 0
    while True:
        end = None
        if number == len(parts):
            if position == len(text):
                return [text[start:end] for _, start, end in taken]
        elif (number, position) not in failed:
            part = parts[number]
            if isinstance(part, bytes):
                if text.startswith(part, position):
                    number, position = number + 1, position + len(part)
                    continue
            else:
                ends = part[0]
                end = len(text)
                if ends is not None:
                    end = next((i for i in range(position, len(text)) if text[i] in ends), len(text))
                if ends is None or end > position:
                    taken.append((number, position, end))
                    number, position = number + 1, end
                    continue
        failed.add((number, position))
        while taken:  # one byte less
            place, start, end = taken.pop()
            if end - 1 >= start + (parts[place][0] is not None):
                taken.append((place, start, end - 1))
                number, position = place + 1, end - 1
                break
            failed.add((place, start))
        else:
            return None


def rule(line: bytes, number: int) -> Rule:
    if len(line) > MAX_LINE or re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", line):
        raise Skipped("no text of a rule")
    words = re.split(rb"[ \t]+", line)
    words = words[:next((i for i, word in enumerate(words) if word.startswith(b"#")), len(words))]
    source = words.pop(0).partition(b"#")[0]
    if len(source) > MAX_PATTERN:
        raise Skipped("a long source")
    names: list[bytes] = []
    host, path = None, source
    if not source.startswith(b"/"):
        scheme = SCHEME.match(source)
        if scheme is None:
            raise Skipped("a source that is neither a path nor a URL")
        name, slash, path = source[scheme.end():].partition(b"/")
        path = slash + path or b"/"
        if not name or b":" in re.sub(rb":" + NAME, b"", name):
            raise Skipped("no host, or one with a port")
        # Names keep their case; the host's own letters do not.
        name = re.sub(rb"(:" + NAME + rb")|.", lambda m: m[1] or m[0].lower(), name)
        host = pattern(name, names, rb"/.")
    if b"?" in path:
        raise Skipped("a query in a source")
    plain = path
    path_pattern = pattern(encoded(path), names, rb"/")
    if len(names) > MAX_CAPTURES or any(names.count(n) > 1 for n in names if n != b"splat"):
        raise Skipped("too many names, or one twice")

    def status(word: bytes) -> tuple[int, bool] | None:
        found = re.fullmatch(rb"([0-9]{3})(!?)", word)
        if found is None:
            return None
        if int(found[1]) not in STATUSES:
            raise Skipped("no such status")
        return int(found[1]), found[2] == b"!"

    parameters: list[tuple[bytes, bytes]] = []
    target, decided = plain.replace(b"*", b":splat"), status(words[0]) if words else None
    if decided:
        words.pop(0)
    else:
        while words and not (words[0].startswith(b"/") or SCHEME.match(words[0])):
            name, equals, value = words.pop(0).partition(b"=")
            if not name or not equals:
                raise Skipped("no parameter")
            parameters.append((name, value))
        if not words:
            raise Skipped("no target")
        target = words.pop(0)
        if target.startswith(b"//"):
            raise Skipped("a target without a scheme")
        if words and b"=" not in words[0]:
            decided = status(words.pop(0))
            if decided is None:
                raise Skipped("no status")
    conditions = []
    for word in words:
        name, equals, value = word.partition(b"=")
        if not name or not equals:
            raise Skipped("no condition")
        conditions.append((name.lower(), [v for v in value.lower().split(b",") if v]))
    if any(name not in (b"country", b"language", b"cookie") for name, _ in conditions):
        raise Skipped("a condition that needs a server")
    code, forced = decided or (301, False)
    if not target.startswith(b"/") and not 300 <= code < 400:
        raise Skipped("content of another host")
    return Rule(number, host, path_pattern, names, parameters, target, code, forced, conditions)


def rules(text: bytes, limit: int) -> list[Rule]:
    found: list[Rule] = []
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        line = line.strip(b" \t\r")
        if not line or line.startswith(b"#"):
            continue
        if len(found) == limit:
            break
        try:
            found.append(rule(line, number))
        except Skipped:
            pass
    return found


def result(rule: Rule, host: bytes, path: bytes, query: bytes | None, client: Client) -> bytes | None:
    """The result of a rule; nil if it does not match."""
    path = encoded(path)
    if len(path) > MAX_PATH or len(query or b"") > MAX_PATH:
        return None
    captures: list[tuple[bytes, bytes]] = []
    names = rule.names
    if rule.host is not None:
        match = matched(rule.host, host.partition(b":")[0].lower())
        if match is None:
            return None
        captures = list(zip(names, match))
        names = names[len(captures):]
    other = path[:-1] if path.endswith(b"/") else path + b"/"
    match = matched(rule.path, path)
    if match is None and path != b"/":
        match = matched(rule.path, other)
    if match is None:
        return None
    captures += zip(names, match)
    if rule.parameters:
        pairs = [pair.partition(b"=") for pair in (query or b"").split(b"&") if pair]
        given = {encoded(name): value for name, _, value in pairs}
        if len(pairs) != len(rule.parameters):
            return None
        for name, wanted in rule.parameters:
            value = given.get(encoded(name))
            if value is None:
                return None
            if re.fullmatch(rb":" + NAME, wanted):
                captures.append((wanted[1:], encoded(value.replace(b"+", b" "), b"?#")))
            elif encoded(wanted) != encoded(value):
                return None
    for name, values in rule.conditions:
        if name == b"cookie":
            holds = any(value in client.cookies for value in values)
        elif name == b"country":
            country = client.cookies.get(b"nf_country", client.country or b"").lower()
            holds = country in values
        else:
            language = client.language() or b""
            holds = language in values or language.partition(b"-")[0] in values
        if not holds:
            return None

    def fill(found: re.Match[bytes]) -> bytes:
        best = max((c for c in captures if found[1].startswith(c[0])), key=lambda c: len(c[0]), default=None)
        return found[0] if best is None else best[1] + found[1][len(best[0]):]
    filled = encoded(re.sub(rb":(" + NAME + rb")", fill, rule.target))
    if rule.target.startswith(b"/"):
        filled = b"/" + filled.lstrip(b"/\\")
    if 300 <= rule.status < 400 and filled == path:
        return None
    if 300 <= rule.status < 400 and query:
        start, mark, fragment = filled.partition(b"#")
        if b"?" not in start:
            filled = start + b"?" + encoded(query, b"#") + mark + fragment
    return filled if len(filled) <= 65_536 else None


def rule_file(archive: Archive, url: bytes, limit: int) -> list[Rule]:
    """The rules of a file, whatever the role of its entry."""
    newest: Row | None = None
    for commit in archive.commits:
        local = first_entry(commit, url)
        while local is not None and local < commit.count("Entry") and entry_key(commit, local) == url:
            row = commit.row("Entry", local)
            if method_and_digest(row) == (b"GET", None):
                newest = row if newest is None or row.integer("time") > newest.integer("time") \
                    or newest.table is not row.table and row.integer("time") == newest.integer("time") else newest
            local += 1
    response = newest and newest.ref("answer")
    body = response and response.ref("body")
    if not body or body.integer("length") > MAX_TEXT:
        return []
    text = archive.body(body)
    try:
        text.decode()
    except UnicodeDecodeError:
        return []
    return rules(text, limit)


def resolved(base: bytes, target: bytes) -> bytes:
    root = re.match(rb"[^:]*://[^/?]*", base)[0]
    return canonical(root + target if target.startswith(b"/") else target)


def answer(archive: Archive, url: bytes, method: bytes = b"GET", client: Client = Client()) -> Answer | None:
    """The answer to a request by sections 8.5, rules 2 to 6, 8 and 12, and 8.7."""
    key = canonical(url)
    root, path, query = re.match(rb"(?s)([^:]*:(?://[^/?]*)?)([^?]*)(\?.*)?", key).groups()
    authority = root.partition(b"://")[2]
    host = authority.rpartition(b"@")[2]
    named = metadata(archive).get("redirectRules", "")
    files = named.split(" ")[:MAX_FILES] if isinstance(named, str) else []
    found: list[tuple[bytes, list[Rule]]] = []
    if method in (b"GET", b"HEAD"):
        for name in filter(None, files):
            try:
                file = canonical(name.encode())
            except InvalidURL:
                continue
            place = re.match(rb"[^:]*://([^/?]*)", file)
            if place and place[1] == authority and all(file != known for known, _ in found):
                found.append((file, rule_file(archive, file, MAX_RULES - sum(len(known) for _, known in found))))

    def by_rules(forced: bool) -> Answer | None:
        for file, known in found:
            for rule in known:
                if forced and not rule.forced:
                    continue
                target = result(rule, host, path, query[1:] if query else None, client)
                if target is None:
                    continue
                try:
                    leads = resolved(file, target)
                except InvalidURL:
                    break
                if 300 <= rule.status < 400:
                    return Answer(rule.status, target, None, rule.line, rule.forced)
                rows = lookup_for_a_person(archive, leads)
                led = rows[0].ref("answer") if rows and rows[0].integer("role") == 1 else None
                if led is not None and led.table.name == "Redirect" and (text := led.string("target")):
                    rows = lookup_for_a_person(archive, text)
                return Answer(rule.status, None, rows[0] if rows else None, rule.line, rule.forced)
        return None

    decided = by_rules(False)
    rows = lookup_for_a_person(archive, url, method)
    if not rows and method == b"HEAD":
        rows = lookup_for_a_person(archive, url)
    if rows and not (decided and decided.forced):
        forced = by_rules(True) if rows[0].integer("role") == 0 else None
        decided = forced or Answer(200, None, rows[0])
    return decided if decided and (decided.location or decided.entry) else None
