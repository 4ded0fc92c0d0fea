#!/usr/bin/env python3
"""Sanity of the vector files: what can be wrong with them whatever an engine does.

    python3 tests/reference/check_vectors.py

It takes files that keep to vector.schema.json, which the Rust tests check, computes the hashes
again, and looks for expectations that contradict each other: fired faults that no reply shows, a created record
that the snapshot lacks, a snapshot past the limits. It never asks an engine.

The last line is `N passed, N failed`; the exit status is 1 when anything failed.
Standard library only.
"""

import hashlib
import json
import pathlib
import re
import sys

import fault_draw

TESTS = pathlib.Path(__file__).resolve().parent.parent
MEBIBYTE = 1024 * 1024
MAX_RECORDS = 10_000
MAX_LISTED = 1_000
STATUS_OF = {
    "invalid_body": 400, "invalid_query": 400, "id_field_set": 400, "idempotency_field_set": 400,
    "invalid_idempotency_key": 400, "not_found": 404, "method_not_allowed": 405, "body_too_large": 413,
    "unsupported_media_type": 415, "idempotency_key_reused": 422, "too_many_requests": 429,
    "internal_error": 500, "world_full": 507,
}  # fmt: skip
SNAPSHOT_FORM = re.compile(
    rb'\{"world_version":1,"definition_sha256":"([0-9a-f]{64})","state":(\{.*\}),'
    rb'"faults_fired":(\[.*\]),"faults_fired_count":(0|[1-9][0-9]*)\}',
    re.DOTALL,
)
ENTRY_MEMBERS = ["id", "resource", "route", "fault", "request"]


def main():
    fault_draw.self_check()
    passed = failed = 0
    for path in sorted((TESTS / "v1").rglob("*.json")):
        name = path.relative_to(TESTS / "v1")
        for description, faults in check_file(path, name.parts[0]):
            passed += not faults
            failed += bool(faults)
            for fault in faults:
                print(f"{name}: {description}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def check_file(path, kind):
    """One pair of description and faults for the file, and one for each of its cases."""
    try:
        file = json.loads(path.read_text("utf-8"), object_pairs_hook=without_repeats)
    except ValueError as reason:
        return [("(file)", [str(reason)])]
    results = [("(file)", file_faults(file, path, kind))]
    check = {"worlds": world_faults, "definitions": definition_faults, "generator": generator_faults}[kind]
    return results + [(case["description"], check(case, path)) for case in file["cases"]]


def file_faults(file, path, kind):
    faults = []
    descriptions = [case["description"] for case in file["cases"]]
    faults += [f"two cases are called {each!r}" for each in sorted({d for d in descriptions if descriptions.count(d) > 1})]
    faults += [f"{each!r} says what should be, not what is" for each in descriptions if re.search(r"\bshould\b", each, re.I)]
    if kind == "worlds" and file["suite"] != path.stem:
        faults.append(f"the suite {file['suite']!r} is not named as its file")
    return faults


def world_faults(case, _path):
    faults = [f"step {n}: {fault}" for n, step in enumerate(case["steps"], 1) for fault in step_faults(step)]
    if ("only" in case) != ("reason" in case):
        faults.append("`only` and `reason` come together")
    if ("snapshot" in case) != ("snapshot_sha256" in case):
        faults.append("`snapshot` and `snapshot_sha256` come together")
    elif "snapshot" in case:
        faults += snapshot_faults(case, expand(case["snapshot"]))
    elif any(committed(step) or fired(step) for step in case["steps"]):
        faults.append("it changes the state or fires a fault, but ends without a snapshot")
    return faults


def step_faults(step):
    request, reply = step["request"], step["reply"]
    said = [member for member in ("held", "error", "body") if member in reply]
    if len(said) != 1:
        return [f"the reply needs one of held, error and body, it has {', '.join(said) or 'none'}"]
    faults = []
    if "held" in reply and reply["status"] not in (200, 201):
        faults.append("only a 200 or 201 is ever held")
    if "error" in reply and STATUS_OF.get(reply["error"]) != reply["status"]:
        faults.append(f"the code {reply['error']} does not go with status {reply['status']}")
    if "mentions" in reply and "error" not in reply:
        faults.append("only an error has a message")
    if request["method"] == "HEAD" and reply.get("body") != "":
        faults.append("the reply to a HEAD has an empty body")
    elif request["method"] != "HEAD" and "body" in reply:
        if reply["status"] not in (200, 201):
            faults.append("a refusal is given by its code")
        faults += compact_faults(expand(reply["body"]), "the reply's body")
    return faults


def snapshot_faults(case, snapshot):
    faults = []
    digest = hashlib.sha256(snapshot).hexdigest()
    if digest != case["snapshot_sha256"]:
        faults.append(f"the snapshot's SHA-256 is {digest}")
    form = SNAPSHOT_FORM.fullmatch(snapshot)
    if not form:
        return faults + ["the snapshot is not made of its five members in their order"]
    definition = hashlib.sha256(expand(case["definition"])).hexdigest()
    if form[1].decode() != definition:
        faults.append(f"the definition's SHA-256 is {definition}")
    faults += compact_faults(snapshot, "the snapshot")
    if len(form[2]) + len(form[3]) > MEBIBYTE:
        faults.append(f"state and faults_fired have {len(form[2]) + len(form[3])} bytes")
    try:
        state, listed = (json.loads(part, object_pairs_hook=without_repeats) for part in form.group(2, 3))
    except ValueError as reason:
        return faults + [f"the snapshot: {reason}"]
    if sum(map(len, state.values())) > MAX_RECORDS:
        faults.append(f"the state has {sum(map(len, state.values()))} records")
    faults += fired_faults(case, listed, int(form[4]))
    for step in case["steps"]:
        if committed(step) and "body" in step["reply"] and expand(step["reply"]["body"]) not in form[2]:
            faults.append(f"the state lacks the created record {expand(step['reply']['body'])[:80].decode()}")
    return faults


def fired_faults(case, listed, count):
    """The fired faults of the snapshot against the replies that show them."""
    faults = []
    seen = sum(step.get("times", 1) for step in case["steps"] if fired(step))
    if seen != count:
        faults.append(f"faults_fired_count is {count}, but the replies show {seen}")
    if len(listed) != min(count, MAX_LISTED):
        faults.append(f"faults_fired lists {len(listed)} of {count}")
    for entry in listed:
        if list(entry) != ENTRY_MEMBERS or entry["fault"] not in ("timeout_after_commit", "429", "500"):
            faults.append(f"{json.dumps(entry)} is no entry of faults_fired")
    keys = [(entry.get("resource"), entry.get("route"), entry.get("request")) for entry in listed]
    if len(set(keys)) != len(keys):
        faults.append("two faults fired on one request")
    return faults


def committed(step):
    return step["reply"]["status"] == 201


def fired(step):
    return step["reply"]["status"] in (429, 500) or "held" in step["reply"]


def definition_faults(case, path):
    listed = case.get("faults", [])
    # The syntax fault that ends a list has the text's last word, wherever it stands.
    places = [(fault["line"], fault["column"]) for fault in listed[:-1]]
    faults = [] if places == sorted(places) else ["its faults are not sorted by line and column"]
    if path.stem != "several-faults" and len(listed) > 1:
        faults.append("only a case of several-faults.json has more than one fault")
    last_line = len(re.findall(rb"\r\n|\r|\n", expand(case["definition"]))) + 1
    faults += [f"line {fault['line']} lies behind the text" for fault in listed if fault["line"] > last_line]
    for resource in case.get("expect", {}).get("resources", []):
        faults += compact_faults(expand(resource.get("seed", "[]")), f"the seed of {resource['name']}")
    return faults


def generator_faults(case, _path):
    expected = fault_draw.computed(case)
    return [] if case == expected else [f"the reference has {json.dumps(expected)}"]


def compact_faults(data, what):
    """Whether `data` is JSON in its compact form: no whitespace, and only the escapes that it needs."""
    try:
        text = data.decode()
        json.loads(text, object_pairs_hook=without_repeats)
    except ValueError as reason:
        return [f"{what} is not JSON: {reason}"]
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    faults = [f"{what} has whitespace between its tokens"] if re.search(r"\s", outside) else []
    escapes = set(re.findall(r"\\(?:u....|.)", text))
    needed = {r"\"", r"\\", r"\b", r"\f", r"\n", r"\r", r"\t"}
    needed |= {f"\\u{code:04x}" for code in range(0x20) if chr(code) not in "\b\f\n\r\t"}
    return faults + [f"{what} has the escape {each}" for each in sorted(escapes - needed)]


def without_repeats(pairs):
    """An object of JSON as a dict, refusing a repeated key."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError(f"a key is repeated among {', '.join(key for key, _ in pairs)}")
    return value


def expand(text):
    """The bytes of a TEXT: a string, or pieces put one behind the other."""
    return text.encode() if isinstance(text, str) else b"".join(map(expand_piece, text))


def expand_piece(piece):
    if isinstance(piece, str):
        return piece.encode()
    if "repeat" in piece:
        return piece["repeat"].encode() * piece["times"]
    if "each" in piece:
        counters = range(piece["from"], piece["to"] + 1)
        return "".join(piece["each"].replace("%d", str(counter)) for counter in counters).encode()
    return bytes.fromhex(piece["hex"])


if __name__ == "__main__":
    sys.exit(main())
