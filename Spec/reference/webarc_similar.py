# SPDX-License-Identifier: Apache-2.0
"""Section 8.5 of ../webarc-1.md, rule 13: the stored request whose content is most alike."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote_to_bytes

from webarc_entries import (NUMBER, canonical, contents, entries, equal_keys, header_fields, is_cache_buster, is_session_id,
                            lookup, method_and_digest, other_paths, other_scheme)
from webarc_reader import Archive, Row

MAX_LENGTH, MAX_VALUES, MAX_DEPTH = 65_536, 4_096, 64
SELECTING = {b"query", b"operationName", b"extensions", b"doc_id"}
PARTS_OF_NAMES = (b"nonce", b"csrf", b"xsrf", b"timestamp")
NAMES = {b"accesstoken", b"authenticitytoken", b"clientmutationid", b"correlationid", b"rand", b"random", b"requestid",
         b"sessiontoken", b"spanid", b"token", b"traceid", b"visitorid"}
NAMES_OF_TIMES = {b"now", b"t", b"time"}


class NotInForm(ValueError):
    pass


# A tree is a dict, a list, or a leaf: a pair of a type and a value.


def media_type(content_type: bytes) -> bytes:
    return content_type.partition(b";")[0].strip(b" \t").lower()


def tree(content: bytes, content_type: bytes) -> object:
    kind = media_type(content_type)
    if len(content) > MAX_LENGTH:
        raise NotInForm("the length")
    if kind == b"application/x-www-form-urlencoded":
        return form(map(form_text, one.partition(b"=")[::2]) for one in content.split(b"&") if one)
    if kind == b"multipart/form-data":
        return form(parts(content, content_type))
    if kind in (b"application/json", b"text/json", b"text/plain") or kind.endswith(b"+json"):
        return json_tree(content)
    raise NotInForm("the type")


def form_text(text: bytes) -> bytes:
    return unquote_to_bytes(text.replace(b"+", b" "))


def form(fields) -> dict:
    found: dict[bytes, list] = {}
    count = 0
    for name, value in fields:
        found.setdefault(name, []).append(("string", value))
        count += 1
    if 1 + len(found) + count > MAX_VALUES:
        raise NotInForm("the number of values")
    return found


def parts(content: bytes, content_type: bytes):
    boundary = re.search(rb';[ \t]*boundary=(?:"([^"\\]*)"|([^";, \t]+))', content_type, re.IGNORECASE)
    if not boundary or not (mark := boundary[1] or boundary[2]):
        raise NotInForm("no boundary")
    _, *found = (b"\r\n" + content).split(b"\r\n--" + mark)
    for part in found:
        if part.startswith(b"--"):
            return
        head, end, body = part.lstrip(b" \t").partition(b"\r\n\r\n")
        line = re.search(rb"(?im)^content-disposition:.*", head)
        name = re.search(rb'(?i)[; \t]name="([^"]*)"', line[0]) if line else None
        if not end or not head.startswith(b"\r\n") or not name:
            raise NotInForm("a part")
        yield name[1], body
    raise NotInForm("no end")


def json_tree(content: bytes) -> object:
    def refuse(text: str):
        raise NotInForm(text)

    def members(pairs: list) -> dict:
        if len({name for name, _ in pairs}) < len(pairs):
            raise NotInForm("two members of one name")
        return dict(pairs)

    try:
        value = json.loads(content.decode("utf-8-sig"), parse_constant=refuse, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise NotInForm("JSON") from error
    if not isinstance(value, (dict, list)):
        raise NotInForm("neither an object nor an array")
    left = [MAX_VALUES]
    return converted(value, 0, left)


def text_bytes(text: str) -> bytes:
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def converted(value: object, depth: int, left: list[int]) -> object:
    left[0] -= 1
    if left[0] < 0 or depth > MAX_DEPTH or isinstance(value, (dict, list)) and depth == MAX_DEPTH:
        raise NotInForm("a limit")
    if isinstance(value, dict):
        found = {text_bytes(name): converted(member, depth + 1, left) for name, member in value.items()}
        if len(found) < len(value):
            raise NotInForm("two members of one name")
        return found
    if isinstance(value, list):
        return [converted(item, depth + 1, left) for item in value]
    if isinstance(value, str):
        return "string", text_bytes(value)
    if value is None or isinstance(value, bool):
        return "word", {None: b"null", True: b"true", False: b"false"}[value]
    try:
        number = value if isinstance(value, int) and -2**63 <= value < 2**63 else float(value)
    except OverflowError as error:
        raise NotInForm("a number") from error
    if number in (float("inf"), float("-inf")):
        raise NotInForm("a number")
    if isinstance(number, float) and number.is_integer() and -2**63 <= number < 2**63:
        number = int(number)
    return "number", number


def is_made_up(name: bytes, leaf: tuple) -> bool:
    if len(name) > 128:
        return False
    kind, value = leaf
    text = value if kind != "number" else b"%d" % value if isinstance(value, int) else b"0.5"
    # The parameter of a query that has others.
    parameter = name + b"=" + text
    if is_cache_buster(parameter, b"") or is_session_id(parameter):
        return True
    plain = name.lower().replace(b"-", b"").replace(b"_", b"")
    return (any(part in plain for part in PARTS_OF_NAMES) or plain in NAMES
            or plain in NAMES_OF_TIMES and 13 <= len(text) <= 16 and NUMBER.fullmatch(text) is not None)


class Comparison:
    """Raises NotInForm if the trees are not of the same shape, or differ in what selects."""

    def __init__(self, left: object, right: object) -> None:
        self.equal = self.count = self.equal_made_up = 0
        self.top(left, right)

    @property
    def is_alike(self) -> bool:
        return 4 * self.equal >= 3 * self.count

    def is_better(self, other: Comparison) -> bool:
        own, others = (self.equal, self.count) if self.count else (1, 1), (other.equal, other.count) if other.count else (1, 1)
        left, right = own[0] * others[1], others[0] * own[1]
        return left > right or left == right and self.equal_made_up > other.equal_made_up

    def top(self, left: object, right: object) -> None:
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            for name in left:
                self.compare(left[name], right[name], name, name in SELECTING, name == b"query")
        elif isinstance(left, list) and isinstance(right, list):
            self.count += abs(len(left) - len(right))
            for one, other in zip(left, right):
                if isinstance(one, dict) and isinstance(other, dict):
                    self.top(one, other)
                else:
                    self.compare(one, other, b"", False, False)
        else:
            raise NotInForm("the shape")

    def compare(self, left: object, right: object, name: bytes, selects: bool, is_query: bool) -> None:
        if isinstance(left, tuple) and isinstance(right, tuple):
            if selects:
                if left != right and not (is_query and without_blanks(left) == without_blanks(right)):
                    raise NotInForm("what selects")
            elif is_made_up(name, left) and is_made_up(name, right):
                self.equal_made_up += left == right
            else:
                self.count += 1
                self.equal += left == right
        elif isinstance(left, list) and isinstance(right, list):
            if selects and len(left) != len(right):
                raise NotInForm("what selects")
            self.count += abs(len(left) - len(right))
            for one, other in zip(left, right):
                self.compare(one, other, name, selects, is_query)
        elif isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            for member in left:
                self.compare(left[member], right[member], member, selects, is_query)
        else:
            raise NotInForm("the shape")


def without_blanks(leaf: tuple) -> tuple:
    return (leaf[0], b" ".join(re.findall(rb"[^ \t\n\r]+", leaf[1]))) if leaf[0] == "string" else leaf


# --- Rule 13 -------------------------------------------------------------------------------------------------------


def requests(archive: Archive, keys: list[bytes]) -> list[list[Row]]:
    """The candidates of POST requests with content, for each URL and content, newest first."""
    found = []
    for key in keys:
        digests = {digest for row, own in entries(archive) if own == key
                   for method, digest in [method_and_digest(row)] if method == b"POST" and digest is not None}
        for digest in sorted(digests):
            if rows := contents(lookup(archive, key, b"POST", digest)):
                found.append(rows)
    return sorted(found, key=lambda rows: -rows[0].integer("time"))


def most_alike(archive: Archive, keys: list[bytes], wanted: object, content_type: bytes) -> list[Row]:
    best, found = None, []
    for rows in requests(archive, keys)[:100]:
        request = rows[0].ref("request")
        own_type = next((value for name, value in header_fields(request, rows[0]) if name.lower() == b"content-type"), None)
        body = request.ref("body")
        if own_type is None or media_type(own_type) != media_type(content_type) or body.integer("length") > MAX_LENGTH:
            continue
        try:
            comparison = Comparison(wanted, tree(b"".join(archive.body_chunks(body)), own_type))
        except NotInForm:
            continue
        if comparison.is_alike and (best is None or comparison.is_better(best)):
            best, found = comparison, rows
    return found


def lookup_similar(archive: Archive, url: bytes, content: bytes, content_type: bytes) -> list[Row]:
    """By rule 13 of section 8.5, with rules 3 to 6 and 8 to 10: the candidates of the first URL that has some."""
    key = canonical(url)
    try:
        wanted = tree(content, content_type)
    except NotInForm:
        return []
    paths = []
    for scheme in [key, *other_scheme(key)]:
        match = re.match(rb"([^:]*://[^/?]*)([^?]*)(.*)", scheme, re.DOTALL)
        paths += [scheme, *([match[1] + path + match[3] for path in other_paths(match[2])] if match else [])]
    for one in paths:
        if found := most_alike(archive, [one], wanted, content_type):
            return found
    for sessions in (False, True):
        for one in paths:
            if found := most_alike(archive, equal_keys(archive, one, sessions), wanted, content_type):
                return found
    return []
