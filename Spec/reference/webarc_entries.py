# SPDX-License-Identifier: Apache-2.0
"""Sections 7 and 8 of ../webarc-1.md: what the rows of Entry mean, their keys, and lookup."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta

from webarc_format import (MAX_FIELDS, MAX_FILE, MAX_HEADER_BYTES, MAX_KEY, MAX_KEY_BLOCK, MAX_METADATA_BYTES,
                           MAX_STRING, VALUE_COST, ArchiveError, damaged)
from webarc_reader import Archive, Commit, Row

# --- Section 7 -----------------------------------------------------------------------------------------------------

EMPTY_DIGEST = "d41d8cd98f00b204e9800998ecf8427e"


def imf_fixdate(nanoseconds: int) -> bytes:
    """RFC 9110 section 5.6.7. A signed 64-bit number of nanoseconds lies in the years 1677 to 2262."""
    t = datetime(1970, 1, 1) + timedelta(seconds=nanoseconds // 10**9)
    day = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[t.weekday()]
    month = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")[t.month - 1]
    return f"{day}, {t.day:02} {month} {t.year:04} {t.hour:02}:{t.minute:02}:{t.second:02} GMT".encode()


def header_fields(owner: Row, entry: Row) -> list[tuple[bytes, bytes]]:
    """The fields of a Request, Response, Redirect or Record. Forms 2 to 5 need the answer, and the entry for its time."""
    headers = owner.ref("headers")
    count = 0 if headers is None else headers.integer("count", 0, MAX_FIELDS)
    if headers is None or count == 0:
        return []
    first, fill = headers.ref("first"), owner.ref("fill")
    fields: list[tuple[bytes, bytes]] = []
    filled = size = 0
    for i in range(count):
        if first is None:
            raise damaged("a header list that is not empty has no first field", headers.at)
        field = first.after(i)
        name, form = field.string("name"), field.integer("form")
        if name is None:
            raise damaged("a header field without a name", field.at)
        if form == 0:
            value = field.string("value") or b""
        elif form == 1:
            if fill is None:
                raise damaged("a header list with open places and nothing to fill them", owner.at)
            value = fill.after(filled).text("text", MAX_STRING)
            filled += 1
        elif owner.table.name in ("Request", "Record") or not 2 <= form <= 5:
            raise damaged(f"header form {form} in a {owner.table.name}", field.at)
        elif form == 3:
            value = imf_fixdate(owner.integer("modified"))
        elif form == 4:
            value = imf_fixdate(entry.integer("time"))
        else:
            body = owner.ref("body")
            if form == 2:
                value = b"%d" % (body.integer("length", 0, MAX_FILE) if body else 0)
            else:
                value = f'"{body.octets("digest").hex() if body else EMPTY_DIGEST}"'.encode()
        size += len(name) + len(value)
        if size > MAX_HEADER_BYTES:
            raise damaged("a header list of more than 16 MiB", headers.at)
        fields.append((name, value))
    return fields


def method_and_digest(entry: Row) -> tuple[bytes, bytes | None]:
    """The method of an entry's request and the digest of its body."""
    request = entry.ref("request")
    if request is None:
        return b"GET", None
    method, body = request.string("method"), request.ref("body")
    if method == b"":
        raise damaged("an empty method", request.at)
    return b"GET" if method is None else method, None if body is None else body.octets("digest")


def metadata(archive: Archive) -> dict[str, str | Row]:
    """Name -> text, or a row of Body."""
    found: dict[str, str | Row] = {}
    seen: set[str] = set()
    left = MAX_METADATA_BYTES
    for commit in reversed(archive.commits):
        for row in reversed(list(commit.rows("Metadata"))):
            name, body = row.string("name"), row.ref("body")
            if name is None or row.ref("value") is not None and body is not None:
                raise damaged("a row of Metadata without a name, or with text and a body", row.at)
            left -= len(name) + VALUE_COST
            key = name.decode(errors="replace")
            if left >= 0 and key not in seen:
                seen.add(key)
                value = row.string("value")
                if value is not None:
                    left -= len(value) + VALUE_COST
                    found[key] = value.decode(errors="replace")
                elif body is not None:
                    found[key] = body
            if left < 0:
                raise ArchiveError("limitExceeded", "metadata of more than 16 MiB is not read")
    return found


# --- Section 8.1: canonical URL ------------------------------------------------------------------------------------

DEFAULT_PORTS = {b"http": 80, b"https": 443, b"ws": 80, b"wss": 443, b"ftp": 21}
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
ENCODED = frozenset(range(0x21)) | frozenset(range(0x7F, 0x100)) | frozenset(b'%"<>[\\]^`{|}')
NOT_IN_HOST = frozenset(range(0x21)) | frozenset(range(0x7F, 0x100)) | frozenset(b"#/:<>?@[\\]^|")
IN_BRACKETS = UNRESERVED | frozenset(b"!$&'()*+,;=:")


class InvalidURL(ValueError):
    pass


def _normalised(part: bytes) -> bytes:
    """Percent-normalisation."""
    def one(match: re.Match[bytes]) -> bytes:
        found = match[0]
        if len(found) == 3:
            octet = int(found[1:], 16)
            return bytes([octet]) if octet in UNRESERVED else found.upper()                # N1, N2
        return b"%%%02X" % found[0] if found[0] in ENCODED else found                      # N3, N4
    return re.sub(rb"(?s)%[0-9A-Fa-f]{2}|.", one, part)


def _authority(scheme: bytes, authority: bytes) -> bytes:
    """Step 7."""
    userinfo, at, rest = authority.rpartition(b"@")
    if rest.startswith(b"["):
        address, bracket, port = rest[1:].partition(b"]")
        if not bracket or not address or any(b not in IN_BRACKETS for b in address):
            raise InvalidURL("an address in brackets")
        if port and not port.startswith(b":"):
            raise InvalidURL("something between an address and the port")
        host, port = b"[" + address.lower() + b"]", port[1:]
    else:
        host, _, port = rest.partition(b":")
        if scheme in DEFAULT_PORTS and not host:
            raise InvalidURL("the host is empty")
        if any(b in NOT_IN_HOST for b in host):
            raise InvalidURL("a byte that a host must not have")
        host = re.sub(rb"%..|[A-Z]", lambda m: m[0] if len(m[0]) == 3 else m[0].lower(), _normalised(host))
    if port:
        if not port.isdigit() or int(port.lstrip(b"0")[:6] or b"0") > 65535:
            raise InvalidURL("the port")
        port = port.lstrip(b"0") or b"0"
        port = b"" if DEFAULT_PORTS.get(scheme) == int(port) else b":" + port
    return _normalised(userinfo) + at + host + port


def _without_dot_segments(path: bytes) -> bytes:
    """Of a path that is empty or begins with a slash."""
    if not path:
        return path
    out: list[bytes] = []
    segments = path[1:].split(b"/")
    for i, segment in enumerate(segments):
        if segment not in (b".", b".."):
            out.append(segment)
            continue
        if segment == b".." and out:
            out.pop()
        if i == len(segments) - 1:
            out.append(b"")
    return b"/" + b"/".join(out)


def canonical(url: bytes) -> bytes:
    if len(url) > MAX_KEY:                                                             # 1
        raise InvalidURL("too long")
    url = re.sub(rb"[\t\n\r]", b"", url.strip(bytes(range(0x21)))).partition(b"#")[0]  # 2, 3
    match = re.match(rb"([A-Za-z][A-Za-z0-9+.-]*):", url)                              # 4
    if match is None:
        raise InvalidURL("no scheme")
    scheme, rest = match[1].lower(), url[match.end():]
    special, hierarchical = scheme in DEFAULT_PORTS, rest.startswith(b"//")            # 5
    if special and not hierarchical:
        raise InvalidURL("no // after the scheme")
    authority = b""
    if hierarchical:
        given = re.split(rb"[/?]", rest[2:], maxsplit=1)[0]
        rest = rest[2 + len(given):]
        authority = b"//" + _authority(scheme, given)                                  # 7
    path, question, query = rest.partition(b"?")                                       # 6
    path = _normalised(path)                                                           # 8
    if hierarchical:
        path = _without_dot_segments(path)
    if special and not path:
        path = b"/"
    result = scheme + b":" + authority + path + question + _normalised(query)          # 9, 10
    if len(result) > MAX_KEY:                                                          # 11
        raise InvalidURL("too long")
    return result


# --- Section 8.2: order of entries ---------------------------------------------------------------------------------


def sort_key(entry: Row, key: bytes) -> tuple[bytes, bytes, bytes, int]:
    """None sorts first among the digests; the last item puts the newest first."""
    method, digest = method_and_digest(entry)
    return key, method, digest or b"", -entry.integer("time")


def entries(archive: Archive) -> Iterator[tuple[Row, bytes]]:
    """All entries with their keys: commit by commit, the oldest first, and in each in the order of the rows."""
    for commit in archive.commits:
        for row in commit.rows("Entry"):
            yield row, entry_key(commit, row.local)


# --- Section 8.3: key text -----------------------------------------------------------------------------------------


def _varint(data: bytes, position: int, at: int | None) -> tuple[int, int]:
    value = 0
    for i in range(3):
        if position + i >= len(data):
            break
        value |= (data[position + i] & 0x7F) << (7 * i)
        if data[position + i] < 0x80:
            return value, position + i + 1
    raise damaged("a varint in a key block", at)


class KeyBlock:
    """The keys of up to 16 entries, as far as they are right, and why they are not."""

    def __init__(self, data: bytes, items: int, at: int | None) -> None:
        self.keys: list[bytes] = []
        self.error: ArchiveError | None = None
        key, position = b"", 0
        try:
            for _ in range(items):
                shared, position = _varint(data, position, at)
                rest, position = _varint(data, position, at)
                if shared > len(key) or rest > len(data) - position or shared + rest > MAX_KEY:
                    raise damaged("an item of a key block", at)
                key = key[:shared] + data[position:position + rest]
                position += rest
                self.keys.append(key)
        except ArchiveError as error:
            self.error = error
        self.left_over = len(data) - position


def key_block(commit: Commit, number: int) -> KeyBlock:
    block = commit.key_blocks.get(number)
    if block is None:
        row = commit.row("KeyBlock", number)
        block = KeyBlock(row.text("keys", MAX_KEY_BLOCK), min(16, commit.count("Entry") - 16 * number), row.at)
        commit.key_blocks[number] = block
        if len(commit.key_blocks) > 64:
            commit.key_blocks.popitem(last=False)
    return block


def entry_key(commit: Commit, local: int) -> bytes:
    block = key_block(commit, local // 16)
    if local % 16 >= len(block.keys) and block.error is not None:
        raise block.error
    return block.keys[local % 16]


# --- Section 8.4: hash table ---------------------------------------------------------------------------------------


def bucket_range(commit: Commit, number: int) -> tuple[int, int]:
    """The rows of Slot, from and to, of a bucket."""
    slots, row = commit.count("Slot"), commit.row("Bucket", number)
    first = row.integer("first", 0, slots)
    end = row.after(1).integer("first", 0, slots) if number + 1 < row.table.rows else slots
    if end < first:
        raise damaged(f"bucket {number} ends before it begins", row.at)
    return first, end


def search(commit: Commit, key: bytes) -> int | None:
    """The same as `first_entry`, from the sorted keys."""
    low, high = 0, commit.count("Entry")
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if entry_key(commit, middle) < key else (low, middle)
    return low if low < commit.count("Entry") and entry_key(commit, low) == key else None


def first_entry(commit: Commit, key: bytes) -> int | None:
    """The first row of Entry (counted within the commit) with this key."""
    buckets = commit.count("Bucket")
    if buckets == 0 or buckets & (buckets - 1):
        return search(commit, key)
    h = zlib.crc32(key)
    first, end = bucket_range(commit, h % buckets)
    if end - first > 64:
        return search(commit, key)
    for i in range(first, end):
        slot = commit.row("Slot", i)
        if slot.integer("tag") == h >> 24:
            local = slot.integer("entry", 0, commit.count("Entry") - 1)
            if entry_key(commit, local) == key:
                return local
    return None


# --- Section 8.5: lookup -------------------------------------------------------------------------------------------


def lookup(archive: Archive, url: bytes, method: bytes = b"GET", digest: bytes | None = None,
           time: int | None = None) -> list[Row]:
    """The candidates, newest first, or nearest to a time. Which of them fits Vary is left to the caller."""
    key = canonical(url)
    found: list[Row] = []
    for commit in reversed(archive.commits):
        local = first_entry(commit, key)
        while local is not None and local < commit.count("Entry") and entry_key(commit, local) == key:
            row = commit.row("Entry", local)
            if row.integer("role") in (0, 1) and method_and_digest(row) == (method, digest):
                found.append(row)
            local += 1
    if len(archive.commits) > 1:
        found.sort(key=lambda row: -row.integer("time"))  # stable: the later commit stays first
    if time is not None:
        found.sort(key=lambda row: (abs(row.integer("time") - time), row.integer("time")))
    return found


RESERVED = b"!$&'()*+,;=:@"


def spellings(path: bytes) -> list[bytes]:
    """Rule *reserved characters*: all of them as themselves, and all as triplets, without the path itself."""
    decoded = re.sub(rb"%([0-9A-F]{2})", lambda m: c if (c := bytes.fromhex(m[1].decode())) in RESERVED else m[0], path)
    encoded = re.sub(b"[" + re.escape(RESERVED) + b"]", lambda m: b"%%%02X" % m[0][0], decoded)
    return [other for other in (decoded, encoded) if other != path]


def merged(path: bytes) -> list[bytes]:
    """Rule *empty segments*."""
    other = re.sub(b"/+", b"/", path)
    return [other] if other != path else []


def indexes(path: bytes) -> list[bytes]:
    """Rule *directory index*, with one name for the index."""
    folder, _, name = path.rpartition(b"/")
    if name == b"":
        return [path + b"index.html"]
    return [folder + b"/"] if name == b"index.html" else [path + b"/", path + b"/index.html"]


def html(path: bytes) -> list[bytes]:
    """Rule *HTML extension*."""
    return [] if path.endswith((b"/", b".html")) else [path + b".html"]


def other_paths(path: bytes) -> list[bytes]:
    """The paths by which the rules of section 8.5 that change a path may answer, in their order."""
    files = [path]
    for rule in (spellings, merged):
        files += [other for one in files for other in rule(one)]
    return files[1:] + [other for rule in (indexes, html) for one in files for other in rule(one)]


def other_scheme(key: bytes) -> list[bytes]:
    """Rule *other scheme*."""
    match = re.match(rb"http(s?)(://[^/?]*)", key)
    if match is None or re.search(rb":\d+\Z", match[2].rpartition(b"@")[2]):
        return []
    return [b"http" + (b"" if match[1] else b"s") + key[match.start(2):]]


NUMBER = re.compile(rb"(?=.*[0-9])[0-9]*\.?[0-9]*", re.DOTALL)
OF_TIME = re.compile(rb"Ts\Z|(?i:(?:\A|[^0-9a-z])ts\Z|\Atimestamp\Z)")
SESSIONS = {b"jsessionid", b"phpsessid", b"sessionid", b"session_id", b"sid"}
FUNCTIONS = {b"callback", b"jsonp", b"jsoncallback", b"jsonpcallback"}
FILE = re.compile(rb"/[^/?]*\.(js|css|json|png|jpg|gif|mp4|webm|m3u8)(\?.*)?\Z", re.DOTALL | re.IGNORECASE)


def is_cache_buster(parameter: bytes, query: bytes) -> bool:
    name, equals, value = parameter.partition(b"=")
    name, number = name.lower(), NUMBER.fullmatch(value) is not None
    if not equals:
        return parameter == query and NUMBER.fullmatch(parameter) is not None
    return (name in (b"uncache", b"fbclid", b"_ga") or name.startswith(b"utm_") or name == b"_" and (number or not value)
            or (name == b"cb" or b"cache" in name) and number
            or (b"bust" in name or OF_TIME.search(parameter[:len(name)])) and number and 13 <= len(value) <= 16)


def is_session_id(parameter: bytes) -> bool:
    name, _, value = parameter.partition(b"=")
    name = name.lower()
    return re.fullmatch(rb"[A-Za-z0-9.\-_!,~]*", value) is not None and (
        name in (b"cfid", b"cftoken") or (name in SESSIONS or name.startswith(b"aspsessionid")) and len(value) >= 16)


def kept_parameters(key: bytes, sessions: bool) -> list[bytes]:
    """The parameters that rule 9 compares, or with `sessions` those of rule 10."""
    query = key.partition(b"?")[2]
    kept = [one for one in query.split(b"&") if not is_cache_buster(one, query) and not (sessions and is_session_id(one))]
    return [] if kept == [b""] else kept


def without_session_id(key: bytes) -> bytes:
    """The path, as rule 10 compares it."""
    return re.sub(rb"(?i);jsessionid=[A-Za-z0-9.\-_!,~]{16,}\Z", b"", key.partition(b"?")[0])


def equal_keys(archive: Archive, key: bytes, sessions: bool) -> list[bytes]:
    """The stored URLs that are the same by rule 9, or with `sessions` by rule 10."""
    def path(one: bytes) -> bytes:
        return without_session_id(one) if sessions else one.partition(b"?")[0]
    return sorted({other for _, other in entries(archive) if path(other) == path(key)
                   and kept_parameters(other, sessions) == kept_parameters(key, sessions)})


def function_names(key: bytes) -> list[bytes]:
    return [one for one in key.partition(b"?")[2].split(b"&")
            if one.partition(b"=")[0].lower() in FUNCTIONS or one.partition(b"=")[2].startswith(b"jQuery")]


def lookup_in_recording(archive: Archive, url: bytes, method: bytes = b"GET") -> list[Row]:
    """As `lookup`, and by rules 9 to 11 of section 8.5: the candidates of the first rule that has some, newest first."""
    key = canonical(url)
    if (found := lookup(archive, key, method)) or method not in (b"GET", b"HEAD", b"POST"):
        return found
    others = sorted({other for _, other in entries(archive) if other.partition(b"?")[0] == key.partition(b"?")[0]})
    rules = [equal_keys(archive, key, sessions) for sessions in (False, True)]
    if method != b"POST" and FILE.search(key) and len(others) <= 2:
        rules.append([other for other in others if function_names(other) == function_names(key)])
    for rule in rules:
        rows = [row for other in rule for row in contents(lookup(archive, other, method))]
        if rows:
            return sorted(rows, key=lambda row: -row.integer("time"))
    return []


def contents(candidates: list[Row]) -> list[Row]:
    """Those that have a response; none if the first of them states that there is none."""
    return [row for row in candidates if candidates[0].ref("answer") is not None and is_content(row)]


def is_content(row: Row) -> bool:
    answer = row.ref("answer")
    status = 0 if answer is None else answer.integer("status", 301 if answer.table.name == "Redirect" else 200)
    return answer is not None and status != 304 and status < 500


def lookup_for_a_person(archive: Archive, url: bytes, method: bytes = b"GET", digest: bytes | None = None,
                        time: int | None = None) -> list[Row]:
    """As `lookup`, and by rules 3 to 6, 8 and 12 of section 8.5: the candidates of the first URL that has some."""
    key = canonical(url)
    bare = key.partition(b"?")[0]
    for start in [key, bare] if key != bare and method in (b"GET", b"HEAD") else [key]:
        for scheme in [start, *other_scheme(start)]:
            match = re.match(rb"([^:]*://[^/?]*)([^?]*)(.*)", scheme, re.DOTALL)
            others = [match[1] + path + match[3] for path in other_paths(match[2])] if match else []
            for other in [scheme, *others]:
                if found := lookup(archive, other, method, digest, time):
                    return found
    return []
