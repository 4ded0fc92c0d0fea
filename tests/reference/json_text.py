"""JSON text and numbers as a version-1 world has them, written from the specification alone.

It states the sections "JSON text" and "Numbers" of ``proto/attest/v1/protocol-spec.md``: a
strict reader and the compact form, with numbers that keep their text. A value is a dict, a
list, a str, a bool, None, or a Number.

Standard library only.
"""

import re
from dataclasses import dataclass

MAX_LEVELS = 64
MAX_INTEGER = 2**53 - 1
MAX_EXPONENT = 400


# Values


@dataclass(frozen=True)
class Number:
    """A number as it was written ("Numbers")."""

    text: str


NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?")


def is_json_number(text):
    """Whether the text is a number of RFC 8259."""
    return NUMBER.fullmatch(text) is not None


def number_fault(text):
    """Why a JSON number may not pass the world's door, or None ("Numbers")."""
    _, whole, fraction, _, exponent = NUMBER.fullmatch(text).groups()
    if fraction is None and exponent is None:
        if len(whole) > 16 or int(whole) > MAX_INTEGER:
            return f"an integer lies beyond {MAX_INTEGER}; quote it to keep its digits as a string"
        return None
    exponent = (exponent or "").lstrip("0")
    if len(exponent) > 3 or int(exponent or "0") > MAX_EXPONENT:
        return f"the exponent of a number lies beyond {MAX_EXPONENT}"
    if abs(float(text)) == float("inf"):
        return "a number is beyond the largest double"
    return None


def exact_value(text):
    """A JSON number as (sign, digits, exponent), the same for equal values ("Numbers").

    The digits begin and end with no zero; zero is ("", "", 0). An exponent too long to be
    met by any number of a record is left as text, so that it equals none.
    """
    sign, whole, fraction, exponent_sign, exponent = NUMBER.fullmatch(text).groups()
    fraction = fraction or ""
    digits = (whole + fraction).lstrip("0")
    if digits == "":
        return ("", "", 0)
    exponent = (exponent or "0").lstrip("0") or "0"
    if len(exponent) > 20:
        return (sign, digits, exponent_sign + exponent)
    power = int((exponent_sign or "") + exponent) - len(fraction)
    stripped = digits.rstrip("0")
    return (sign, stripped, power + len(digits) - len(stripped))


def same_value(a, b):
    """Whether two values are equal as JSON ("Idempotency")."""
    if isinstance(a, Number) and isinstance(b, Number):
        return exact_value(a.text) == exact_value(b.text)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b))
    return a == b


# JSON text


class NotJson(ValueError):
    """The text is not JSON under "JSON text" and "Numbers"."""


SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*)"')
ESCAPE = re.compile(r"\\u([Dd][89ABab]..)\\u([Dd][C-Fc-f]..)|\\u(....)|\\(.)")
SHORT_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None}


def parse_json(data, levels=MAX_LEVELS):
    """The one value of a JSON text, or NotJson ("JSON text")."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8") from None
    value, at = parse_value(text, skip_space(text, 0), levels)
    if skip_space(text, at) != len(text):
        raise NotJson("text follows its one value")
    return value


def skip_space(text, at):
    return SPACE.match(text, at).end()


def parse_value(text, at, levels):
    """The value that begins at a place, and the place behind it."""
    if text.startswith(("{", "["), at) and levels == 0:
        raise NotJson(f"it nests deeper than {MAX_LEVELS} levels")
    if text.startswith("{", at):
        return parse_object(text, at, levels - 1)
    if text.startswith("[", at):
        return parse_array(text, at, levels - 1)
    if text.startswith('"', at):
        return parse_string(text, at)
    for word, value in WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    return parse_number(text, at)


def parse_object(text, at, levels):
    members = {}
    at = skip_space(text, at + 1)
    if text.startswith("}", at):
        return members, at + 1
    while True:
        key, at = parse_string(text, at)
        if key in members:
            raise NotJson(f"an object holds the key {key} twice")
        at = skip_space(text, at)
        if not text.startswith(":", at):
            raise NotJson("a colon is missing")
        members[key], at = parse_value(text, skip_space(text, at + 1), levels)
        at = skip_space(text, at)
        if text.startswith("}", at):
            return members, at + 1
        if not text.startswith(",", at):
            raise NotJson("an object does not end")
        at = skip_space(text, at + 1)


def parse_array(text, at, levels):
    items = []
    at = skip_space(text, at + 1)
    if text.startswith("]", at):
        return items, at + 1
    while True:
        item, at = parse_value(text, at, levels)
        items.append(item)
        at = skip_space(text, at)
        if text.startswith("]", at):
            return items, at + 1
        if not text.startswith(",", at):
            raise NotJson("an array does not end")
        at = skip_space(text, at + 1)


def parse_string(text, at):
    found = STRING.match(text, at)
    if found is None:
        raise NotJson("a string was expected or is broken")
    return ESCAPE.sub(unescape, found[1]), found.end()


def unescape(found):
    """The character of one escape, or of the two escapes of a surrogate pair."""
    high, low, single, short = found.groups()
    if short is not None:
        return SHORT_ESCAPES[short]
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    if 0xD800 <= int(single, 16) <= 0xDFFF:
        raise NotJson("an escape is a lone surrogate")
    return chr(int(single, 16))


def parse_number(text, at):
    found = NUMBER.match(text, at)
    if found is None:
        raise NotJson("a value was expected")
    fault = number_fault(found[0])
    if fault is not None:
        raise NotJson(fault)
    return Number(found[0]), found.end()


def compact(value):
    """The compact form ("JSON text")."""
    if isinstance(value, dict):
        return "{" + ",".join(quoted(key) + ":" + compact(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact(item) for item in value) + "]"
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    return {True: "true", False: "false", None: "null"}[value]


WRITTEN_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
TO_ESCAPE = re.compile(r'["\\\x00-\x1f]')


def quoted(text):
    """A string in the compact form."""
    return '"' + TO_ESCAPE.sub(lambda c: WRITTEN_ESCAPES.get(c[0], f"\\u{ord(c[0]):04x}"), text) + '"'


def size(value):
    """The length in bytes of a value's compact JSON ("Limits")."""
    return len(compact(value).encode("utf-8"))
