#!/usr/bin/env python3
"""The model against the vectors: every case of ``tests/v1/worlds``, every draw of ``tests/v1/generator``.

    python3 tests/reference/test_model.py            all cases
    python3 tests/reference/test_model.py TEXT...    the cases whose file or description holds one of the texts

How a case is run says ``tests/README.md`` ("A runner for `v1/worlds`"). A definition is read as
JSON, or as YAML by the tiny reader below, which knows what the vectors use and refuses the rest.
What it cannot read is counted and named, and must be less than a tenth of all cases.

The last line is `N passed, N failed`; the exit status is 1 when anything failed.
Standard library only.
"""

import hashlib
import json
import pathlib
import re
import sys

import json_text
import model

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "v1"
DEFINITION_LEVELS = 80
ALWAYS = {"Content-Type": "application/json", "Cache-Control": "no-store"}


def main(wanted):
    passed, failed, unread = 0, 0, 0
    for name, run in world_cases() + generator_cases():
        if wanted and not any(text in name for text in wanted):
            continue
        try:
            faults = list(run())
        except NotRead as reason:
            unread += 1
            print(f"not read: {name}: {reason}")
            continue
        passed += not faults
        failed += bool(faults)
        for fault in faults:
            print(f"{name}: {fault}")
    if unread:
        print(f"{unread} not read")
    too_many = unread * 10 >= passed + failed + unread
    if too_many:
        print("a tenth or more was not read")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or too_many or not passed else 0


def cases_of(kind):
    """A name and a case for each case of a folder."""
    for path in sorted((VECTORS / kind).rglob("*.json")):
        for case in json.loads(path.read_text("utf-8"))["cases"]:
            yield f"{path.relative_to(VECTORS)}: {case['description']}", case


def world_cases():
    return [(name, lambda case=case: world_faults(case)) for name, case in cases_of("worlds")]


def generator_cases():
    return [(name, lambda case=case: generator_faults(case)) for name, case in cases_of("generator")]


# Cases


def text_bytes(text):
    """The bytes of a TEXT."""
    pieces = text if isinstance(text, list) else [text]
    return b"".join(piece_bytes(piece) for piece in pieces)


def piece_bytes(piece):
    if isinstance(piece, str):
        return piece.encode("utf-8")
    if "repeat" in piece:
        return (piece["repeat"] * piece["times"]).encode("utf-8")
    if "each" in piece:
        counters = range(piece["from"], piece["to"] + 1)
        return "".join(piece["each"].replace("%d", str(counter)) for counter in counters).encode("utf-8")
    return bytes.fromhex(piece["hex"])


def world_faults(case):
    """What is wrong with a world's answers, as lines of text."""
    data = text_bytes(case["definition"])
    world = model.World(read_definition(data), hashlib.sha256(data).hexdigest())
    faults = []
    for number, step in enumerate(case["steps"], 1):
        for _ in range(step.get("times", 1)):
            reply = make_request(world, step["request"])
            faults += [f"step {number}: {fault}" for fault in reply_faults(reply, step["reply"])]
    if "snapshot" in case:
        faults += snapshot_faults(world.snapshot().encode("utf-8"), case)
    return faults


def make_request(world, request):
    """The reply to a request as it is sent: a HEAD has no body, a held answer keeps its own."""
    body = None if "too_large" in request else text_bytes(request.get("body", ""))
    headers = [(text_bytes(name).decode("utf-8"), text_bytes(value)) for name, value in request.get("headers", [])]
    reply = world.handle(request["method"], request["path"], request.get("query", ""), headers, body)
    if request["method"] == "HEAD":
        reply.body = b""
    return reply


def reply_faults(reply, expected):
    if reply.status != expected["status"]:
        yield f"status {reply.status}, not {expected['status']}: {reply.body[:300]}"
    if reply.held != expected.get("held", False):
        yield f"held: {reply.held}"
    sent = {name.lower(): value for name, value in reply.headers}
    for name, value in {**ALWAYS, **expected.get("headers", {})}.items():
        if sent.get(name.lower()) != value:
            yield f"header {name}: {sent.get(name.lower())!r}, not {value!r}"
    if "body" in expected:
        yield from text_faults("body", reply.body, text_bytes(expected["body"]))
    if "error" in expected:
        yield from error_faults(reply.body, expected["error"], expected.get("mentions", []))


def error_faults(body, code, mentions):
    try:
        error = json.loads(body)["error"]
        message = error["message"]
    except (ValueError, KeyError, TypeError):
        yield f"no error: {body[:300]}"
        return
    exact = {"error": {"code": code, "message": message}}
    if not message or body != json_text.compact(exact).encode("utf-8"):
        yield f"error {body[:300]}, not {code}"
    for text in mentions:
        if text not in message:
            yield f"message {message!r} does not hold {text!r}"


def snapshot_faults(snapshot, case):
    yield from text_faults("snapshot", snapshot, text_bytes(case["snapshot"]))
    if "snapshot_sha256" in case and hashlib.sha256(snapshot).hexdigest() != case["snapshot_sha256"]:
        yield "the snapshot's SHA-256 is another"


def text_faults(what, found, expected):
    if found != expected:
        at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
        near = slice(max(0, at - 60), at + 60)
        yield f"{what} of {len(found)} bytes, not {len(expected)}: at {at} {found[near]} for {expected[near]}"


def generator_faults(case):
    """What is wrong with the draws of one seed and fault."""
    draws = [model.draw(case["seed"], case["fault_id"], ordinal) for ordinal in range(1, 65)]
    for row in case["due"]:
        due = [ordinal for ordinal, drawn in enumerate(draws, 1) if drawn < float(row["probability"])]
        if due != row["ordinals"]:
            yield f"probability {row['probability']}: {due}, not {row['ordinals']}"


# Definitions: JSON, and the little YAML of the vectors


class NotRead(Exception):
    """The definition says something that the tiny reader does not know."""


def read_definition(data):
    """A definition's data as the model takes it."""
    text = data.decode("utf-8").removeprefix("\ufeff")
    try:
        return json_text.parse_json(text.encode("utf-8"), DEFINITION_LEVELS)
    except json_text.NotJson:
        lines = [without_comment(line.rstrip("\r")) for line in text.split("\n")]
        lines = [line for line in lines if line.strip() and line != "---"]
        value, rest = block(lines, indent_of(lines[0]))
        if rest:
            raise NotRead(rest[0])
        return value


def without_comment(line):
    """The line up to a `#` that stands at its start or behind a space, and in no quotes."""
    return COMMENTLESS.match(line)[0].rstrip(" ")


COMMENTLESS = re.compile(r"""(?:(?<![^ \[{,])"(?:[^"\\]|\\.)*"|(?<![^ \[{,])'[^']*'|(?<=[^ ])#|[^#])*""")


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def block(lines, indent):
    """The block value whose lines begin at an indent, and the lines behind it."""
    if lines[0].lstrip(" ").startswith("- "):
        return block_list(lines, indent)
    return block_mapping(lines, indent)


def block_list(lines, indent):
    items = []
    while lines and indent_of(lines[0]) == indent and lines[0].lstrip(" ").startswith("- "):
        item = lines[0][indent + 2 :]
        if KEY.match(item):
            value, lines = block_mapping([" " * (indent + 2) + item] + lines[1:], indent + 2)
        else:
            value, lines = scalar_or_flow(item), lines[1:]
        items.append(value)
    return items, lines


KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^-\s\[\]{}"',#&*!|>%@`?:][^:"{}\[\],#]*):(?: +|$)""")


def block_mapping(lines, indent):
    members = {}
    while lines and indent_of(lines[0]) == indent and not lines[0].lstrip(" ").startswith("- "):
        found = KEY.match(lines[0], indent)
        if found is None:
            raise NotRead(lines[0])
        key, rest = key_text(found[1]), lines[0][found.end() :]
        if key in members:
            raise NotRead(f"the key {key} twice")
        if rest:
            members[key], lines = scalar_or_flow(rest), lines[1:]
        else:
            members[key], lines = block_or_null(lines[1:], indent)
    return members, lines


def block_or_null(lines, indent):
    """What stands below a key: a block further in, a list at the key's own indent, or nothing."""
    if lines and indent_of(lines[0]) > indent:
        return block(lines, indent_of(lines[0]))
    if lines and indent_of(lines[0]) == indent and lines[0].lstrip(" ").startswith("- "):
        return block_list(lines, indent)
    return None, lines


def key_text(text):
    key = scalar(text)
    if not isinstance(key, str):
        raise NotRead(f"a key that is no string: {text}")
    return key


def scalar_or_flow(text):
    """The one value that stands on the rest of a line."""
    value, at = flow(text, 0) if text[0] in "[{\"'" else (plain(text), len(text))
    if text[at:].strip(" "):
        raise NotRead(text)
    return value


FLOW_SCALAR = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?:[^,:\[\]{}"']|:(?! ))(?:[^,:\[\]{}]|:(?! ))*|)""")


def flow(text, at):
    """A value inside a flow collection, and the place behind it."""
    at = behind_spaces(text, at)
    if text.startswith("{", at):
        return flow_mapping(text, at + 1)
    if text.startswith("[", at):
        return flow_list(text, at + 1)
    found = FLOW_SCALAR.match(text, at)
    return scalar(found[0].strip(" ")), behind_spaces(text, found.end())


def flow_list(text, at):
    items = []
    at = behind_spaces(text, at)
    while not text.startswith("]", at):
        item, at = flow(text, at)
        items.append(item)
        at = behind_comma(text, at, "]")
    return items, behind_spaces(text, at + 1)


def flow_mapping(text, at):
    members = {}
    at = behind_spaces(text, at)
    while not text.startswith("}", at):
        key, at = flow(text, at)
        if not isinstance(key, str) or key in members or not text.startswith(":", at):
            raise NotRead(text)
        members[key], at = flow(text, at + 1)
        at = behind_comma(text, at, "}")
    return members, behind_spaces(text, at + 1)


def behind_comma(text, at, end):
    if text.startswith(",", at):
        return behind_spaces(text, at + 1)
    if not text.startswith(end, at):
        raise NotRead(text)
    return at


def behind_spaces(text, at):
    while text.startswith(" ", at):
        at += 1
    return at


def scalar(text):
    if text.startswith('"'):
        return re.sub(r"\\(x..|u.{4}|U.{8}|.)", unescape, text[1:-1])
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return plain(text)


ESCAPES = {
    **{"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"},
    **{" ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"},
}


def unescape(found):
    if found[1][0] in "xuU" and len(found[1]) > 1:
        return chr(int(found[1][1:], 16))
    if found[1] not in ESCAPES:
        raise NotRead(found[0])
    return ESCAPES[found[1]]


WORDS = {"null": None, "true": True, "false": False}
PLAIN = {cased: value for word, value in WORDS.items() for cased in (word, word.capitalize(), word.upper())}


def plain(text):
    """A plain scalar ("The definition file", "Text"); what could be more than a scalar is not read."""
    if text in ("", "~"):
        return None
    if text in PLAIN:
        return PLAIN[text]
    if json_text.is_json_number(text):
        return json_text.Number(text)
    if text[0] in "&*!|>%@`" or re.match(r"[-?] |[-+]?\.?[0-9]+(_|\.?$)|.*: |0[xo]", text):
        raise NotRead(text)
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
