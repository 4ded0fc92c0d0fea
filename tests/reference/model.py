"""A version-1 world, written from the specification alone.

The model is the slow, plain twin of the engine: every rule is one small function whose
docstring names the section of ``proto/attest/v1/protocol-spec.md`` that it states. It holds
no index, no running total and no cache, so that what it says can be read off the page.

A world is made of an already-read, valid definition:

    mapping -> dict (in the order of the file)      string  -> str
    list    -> list                                 boolean -> bool
    number  -> Number(text)                         null    -> None

Number, of json_text, keeps a number's text; no number in this file ever becomes a float but the
probability of a fault. Validation of definitions is no part of the model.

    world = World(definition, sha256)
    reply = world.handle("POST", "/refunds", "", [("content-type", b"application/json")], b"{}")
    reply.status, reply.headers, reply.body, reply.held
    world.snapshot()

Paths begin behind the path part of the base URL, and so does ``Location``. The reply to a
HEAD has the body of its GET; whoever sends it leaves the body out.

Standard library only.
"""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import quote

import fault_draw
from json_text import (
    MAX_INTEGER, NotJson, Number, compact, exact_value, is_json_number, parse_json, same_value, size,
)

MAX_RECORDS = 10_000
MAX_STATE = 1_048_576
MAX_BODY = 1_048_576
MAX_LISTED = 1_000
MAX_KEY = 255


# Replies


@dataclass
class Reply:
    """What a client receives; `held` says that it is never sent ("Replies", "Faults")."""

    status: int
    headers: list
    body: bytes
    held: bool = False


def answer(status, value, *headers):
    """A reply with a JSON body ("Replies")."""
    return sent(status, compact(value), *headers)


def sent(status, text, *headers):
    """A reply with the headers that every reply has ("Replies")."""
    body = text.encode("utf-8")
    always = [
        ("Content-Type", "application/json"),
        ("Cache-Control", "no-store"),
        ("Content-Length", str(len(body))),
    ]
    return Reply(status, always + list(headers), body)


class Refused(Exception):
    """A request that is not carried out ("Refusals").

    A message's wording is free but for what "Refusals" and the `mentions` of a vector ask of it.
    """

    def __init__(self, status, code, message, *headers):
        self.reply = answer(status, {"error": {"code": code, "message": message}}, *headers)


# Definition


@dataclass
class Resource:
    """A resource with its defaults filled in, its records and its counts ("Keys")."""

    name: str
    path: str
    routes: list
    id_field: str
    id_format: str
    filters: list
    key_header: str
    key_field: str
    records: list
    created: int
    requests: dict  # route -> requests that took an ordinal


def make_resource(name, keys):
    id_field = keys.get("id_field", "id")
    idempotency = keys.get("idempotency", {"header": None, "field": None})
    return Resource(
        name=name,
        path=keys["path"],
        routes=keys["routes"],
        id_field=id_field,
        id_format=keys.get("id_format", "%d"),
        filters=keys.get("filters", []),
        key_header=idempotency["header"],
        key_field=idempotency["field"],
        records=[with_id_first(record, id_field) for record in keys.get("seed", [])],
        created=0,
        requests={route: 0 for route in keys["routes"]},
    )


def with_id_first(record, id_field):
    """A seed record as it stands in the world ("Keys")."""
    return {id_field: record[id_field], **record}


@dataclass
class Fault:
    """An entry of the fault script ("Keys")."""

    id: str
    resource: str
    route: str
    fault: str
    on_requests: list  # ordinals, or None
    probability: str  # a number's text, or None


def make_fault(keys):
    on_requests = keys.get("on_requests")
    return Fault(
        id=keys["id"],
        resource=keys["resource"],
        route=keys["route"],
        fault=text_of(keys["fault"]),
        on_requests=None if on_requests is None else [int(ordinal.text) for ordinal in on_requests],
        probability=None if on_requests is not None else keys["probability"].text,
    )


def text_of(value):
    """The text of a string or a number: of an id, or of a fault's kind."""
    return value.text if isinstance(value, Number) else value


# World


class World:
    """A world: a function of its definition and the requests that reached it, in order."""

    def __init__(self, definition, sha256):
        self.sha256 = sha256
        self.seed = int(definition.get("seed", Number("0")).text)
        self.resources = [make_resource(name, keys) for name, keys in definition["resources"].items()]
        self.faults = [make_fault(keys) for keys in definition.get("faults", [])]
        self.entries = []
        self.fired = 0

    def snapshot(self):
        """The world's state as a text ("Snapshot")."""
        return compact(
            {
                "world_version": Number("1"),
                "definition_sha256": self.sha256,
                "state": self.state(),
                "faults_fired": self.entries,
                "faults_fired_count": Number(str(self.fired)),
            }
        )

    def state(self):
        return {resource.name: resource.records for resource in self.resources}

    # Requests

    def handle(self, method, path, query, headers, body):
        """The reply to one request; a body of None is too large ("Requests")."""
        try:
            return self.answer_at(method, split_path(path), query, headers, body)
        except Refused as refusal:
            return refusal.reply

    def answer_at(self, method, segments, query, headers, body):
        if segments == ["_attest", "state"]:
            check_method(method, ["GET", "HEAD"])
            return sent(200, self.snapshot())
        resource, routes, id_text = self.find(segments)
        check_method(method, methods_of(routes))
        route = {"POST": "create"}.get(method, "list" if id_text is None else "get")
        return self.answer_route(resource, route, id_text, query, headers, body)

    def find(self, segments):
        """The resource of a path, the routes that are declared there, and the id of a get."""
        for resource in self.resources:
            collection = resource.path.split("/")[1:]
            here = [route for route in resource.routes if route != "get"]
            if segments == collection and here:
                return resource, here, None
            if segments[:-1] == collection and "get" in resource.routes:
                return resource, ["get"], segments[-1]
        raise nothing_served()

    def answer_route(self, resource, route, id_text, query, headers, body):
        """The three steps of a request that matches a route ("Requests", "Faults")."""
        resource.requests[route] += 1
        ordinal = resource.requests[route]
        fault = self.picked_fault(resource, route, ordinal)
        if fault is not None and fault.fault != "timeout_after_commit":
            self.fire(fault, ordinal)
            raise scripted(fault)
        reply = self.carry_out(resource, route, id_text, query, headers, body)
        if fault is not None:
            self.fire(fault, ordinal)
            reply.held = True
        return reply

    def carry_out(self, resource, route, id_text, query, headers, body):
        if route == "create":
            return self.create(resource, headers, body)
        if route == "list":
            return answer(200, listed(resource, query))
        return answer(200, record_with_id(resource, id_text))

    # Faults

    def picked_fault(self, resource, route, ordinal):
        """The first fault of the file that is due on a request, or None ("Faults")."""
        for fault in self.faults:
            if (fault.resource, fault.route) == (resource.name, route) and self.is_due(fault, ordinal):
                return fault
        return None

    def is_due(self, fault, ordinal):
        """By its ordinal, or by chance ("The fault draw")."""
        if fault.on_requests is not None:
            return ordinal in fault.on_requests
        return draw(self.seed, fault.id, ordinal) < float(fault.probability)

    def fire(self, fault, ordinal):
        """Every fault that fires is counted, the first 1,000 are listed ("Faults")."""
        self.fired += 1
        if len(self.entries) < MAX_LISTED:
            self.entries.append(entry(fault, ordinal))

    # Create

    def create(self, resource, headers, body):
        """The steps of a create in their order; only the last one changes anything ("Create")."""
        check_media_type(headers)
        check_size(body)
        members = body_members(resource, body)
        key = idempotency_key(resource, headers)
        first = None if key is None else record_with_key(resource, key)
        if first is not None:
            return replay(resource, first, members)
        record = {resource.id_field: next_id(resource), **members}
        if key is not None:
            record[resource.key_field] = key
        self.check_limits(resource, record)
        resource.records.append(record)
        resource.created += 1
        return answer(201, record, *location(resource, record))

    def check_limits(self, resource, record):
        """The records of all resources, and the size of the state ("Limits")."""
        if sum(len(each.records) for each in self.resources) >= MAX_RECORDS:
            raise Refused(507, "world_full", f"This world holds {MAX_RECORDS} records and takes no more.")
        state = self.state()
        state[resource.name] = resource.records + [record]
        if size(state) + size(self.entries) + self.reserve() > MAX_STATE:
            raise Refused(507, "world_full", "With this record the state of this world would be too large.")

    def reserve(self):
        """The room for the entries that the definition can still list ("Limits")."""
        longest = max((size(entry(fault, largest_ordinal(fault))) + 1 for fault in self.faults), default=0)
        return (self.listable() - len(self.entries)) * longest

    def listable(self):
        if any(fault.probability is not None for fault in self.faults):
            return MAX_LISTED
        return min(MAX_LISTED, sum(len(fault.on_requests) for fault in self.faults))


# Requests


def split_path(path):
    """The percent-decoded segments of a path at which something could be served ("Requests")."""
    if not path.startswith("/") or path.endswith("/"):
        raise nothing_served()
    return [decoded_segment(segment) for segment in path.split("/")[1:]]


def decoded_segment(segment):
    if re.search(r"%(?![0-9A-Fa-f]{2})", segment):
        raise nothing_served()
    try:
        return percent_decoded(segment.encode("utf-8")).decode("utf-8")
    except UnicodeError:
        raise nothing_served() from None


def percent_decoded(data):
    """Every whole escape as its byte; a broken one stays as it is."""
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), data)


def nothing_served():
    return Refused(
        404,
        "not_found",
        "Nothing is served at this path: every path of this world begins with the path part of its base URL. "
        "Joining with a leading slash, as new URL and urljoin do, may have dropped it.",
    )


def methods_of(routes):
    """What `Allow` says of a path's routes ("Requests")."""
    reads = ["GET", "HEAD"] if "list" in routes or "get" in routes else []
    return reads + (["POST"] if "create" in routes else [])


def check_method(method, allowed):
    if method not in allowed:
        methods = ", ".join(allowed)
        raise Refused(405, "method_not_allowed", f"This path takes {methods}.", ("Allow", methods))


# List


def listed(resource, query):
    """The records that match every filter ("List")."""
    wanted = query_filters(resource, query)
    return [record for record in resource.records if all(matches(record, *each) for each in wanted)]


def query_filters(resource, query):
    """Name and text of each parameter of a query, all of them declared ("List")."""
    found = []
    for piece in query.split("&"):
        if piece == "":
            continue
        name, _, text = piece.partition("=")
        name, text = form_decoded(resource, name), form_decoded(resource, text)
        if name not in resource.filters:
            raise bad_query(resource, f"has the parameter {name}, which is no filter")
        if name in [each for each, _ in found]:
            raise bad_query(resource, f"has the parameter {name} twice")
        found.append((name, text))
    return found


def form_decoded(resource, text):
    try:
        return percent_decoded(text.replace("+", " ").encode("utf-8")).decode("utf-8")
    except UnicodeError:
        raise bad_query(resource, "is not UTF-8") from None


def bad_query(resource, reason):
    filters = ", ".join(resource.filters) or "none"
    return Refused(400, "invalid_query", f"The query {reason}. The filters of this list are: {filters}.")


def matches(record, name, text):
    """Whether one filter matches a record ("List")."""
    if name not in record:
        return False
    value = record[name]
    if isinstance(value, str):
        return value == text
    if isinstance(value, Number):
        return is_json_number(text) and exact_value(value.text) == exact_value(text)
    if isinstance(value, (dict, list)):
        return False
    return text == compact(value)


# Get


def record_with_id(resource, id_text):
    """The record whose id has a text ("Get")."""
    for record in resource.records:
        if text_of(record[resource.id_field]) == id_text:
            return record
    raise Refused(404, "not_found", f"There is no record with the id {id_text} in {resource.name}.")


# Faults


def scripted(fault):
    """The answer of a scripted 429 or 500; it says nothing about faults ("Faults")."""
    if fault.fault == "429":
        return Refused(429, "too_many_requests", "Too many requests. Try again later.")
    return Refused(500, "internal_error", "An internal error occurred.")


def entry(fault, ordinal):
    """What the snapshot lists of a fault that fired ("Faults")."""
    return {
        "id": fault.id,
        "resource": fault.resource,
        "route": fault.route,
        "fault": fault.fault,
        "request": Number(str(ordinal)),
    }


def largest_ordinal(fault):
    """The ordinal at which a fault's entry is longest ("Limits")."""
    return MAX_INTEGER if fault.on_requests is None else max(fault.on_requests)


def draw(seed, fault_id, ordinal):
    """The draw of one ordinal, a number in 0..1 ("The fault draw")."""
    key = seed.to_bytes(8, "little") + bytes(24)
    nonce = hashlib.sha256(fault_id.encode("utf-8")).digest()[:8]
    block, at = divmod(8 * (ordinal - 1), 64)
    word = fault_draw.keystream_block(key, block, nonce)[at : at + 8]
    return fault_draw.draw(int.from_bytes(word, "little"))


# Create


def header_values(headers, name):
    """The values of a request header, one for each time it was sent."""
    return [value for each, value in headers if each.lower() == name.lower()]


TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
QUOTED = r'"(?:[^"\\]|\\.)*"'
MEDIA_TYPE = re.compile(rf"({TOKEN}/{TOKEN})[ \t]*(?:;(.*))?", re.DOTALL)


def check_media_type(headers):
    """Plain JSON in UTF-8 ("Create", step 1)."""
    if not is_json_type(headers):
        raise unsupported(headers, "Content-Type", "Send Content-Type: application/json, in UTF-8.")
    if not is_plain(headers):
        raise unsupported(headers, "Content-Encoding", "Send the body without a coding.")


def unsupported(headers, name, advice):
    sent = b", ".join(header_values(headers, name)).decode("latin-1")
    return Refused(415, "unsupported_media_type", f"The {name} of this request is {sent or 'empty'}. {advice}")


def is_plain(headers):
    """Whether every coding of `Content-Encoding` is `identity`."""
    codings = b",".join(header_values(headers, "Content-Encoding")).split(b",")
    return all(coding.strip(b" \t").lower() in (b"", b"identity") for coding in codings)


def is_json_type(headers):
    values = header_values(headers, "Content-Type")
    if len(values) != 1:
        return values == []
    found = MEDIA_TYPE.fullmatch(values[0].decode("latin-1").strip(" \t"))
    if found is None:
        return False
    media_type = found[1].lower()
    subtype = media_type.split("/")[1]
    if media_type != "application/json" and subtype.removesuffix("+json") in ("", subtype):
        return False
    return all(is_utf8(charset) for charset in parameter_values(found[2] or "", "charset"))


def parameter_values(text, wanted):
    """The values of a media type's parameter, unquoted; one without `=` has the value ""."""
    found = []
    for piece in split_parameters(text):
        name, _, value = piece.strip(" \t").partition("=")
        if name.strip(" \t").lower() == wanted:
            found.append(unquoted(value.strip(" \t")))
    return found


def split_parameters(text):
    """The pieces between semicolons; a semicolon within quotes separates nothing."""
    return re.findall(rf"(?:{QUOTED}|[^;])+", text, re.DOTALL)


def unquoted(value):
    if re.fullmatch(QUOTED, value, re.DOTALL):
        return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)
    return value


def is_utf8(charset):
    return charset.lower() in ("utf-8", "utf8")


def check_size(body):
    """Step 2."""
    if body is None or len(body) > MAX_BODY:
        raise Refused(413, "body_too_large", f"The body is over {MAX_BODY} bytes.")


def body_members(resource, body):
    """The members of a create's body, without a null id (step 3)."""
    try:
        members = parse_json(body)
    except NotJson as reason:
        raise Refused(400, "invalid_body", f"The body is no JSON object that this world reads: {reason}.") from None
    if not isinstance(members, dict):
        raise Refused(400, "invalid_body", "The body is not a JSON object.")
    if members.pop(resource.id_field, None) is not None:
        raise Refused(400, "id_field_set", f"The member {resource.id_field} is written by this world.")
    if resource.key_field is not None and resource.key_field in members:
        message = f"The member {resource.key_field} is written by this world, from the header {resource.key_header}."
        raise Refused(400, "idempotency_field_set", message)
    return members


def idempotency_key(resource, headers):
    """The key of a create, or None (step 4, "Idempotency")."""
    if resource.key_header is None:
        return None
    values = header_values(headers, resource.key_header)
    if not values:
        return None
    if len(values) > 1 or not re.fullmatch(rb"[ -~]{1,%d}" % MAX_KEY, values[0], re.DOTALL):
        raise Refused(
            400,
            "invalid_idempotency_key",
            f"The header {resource.key_header} has to be one value of 1 to {MAX_KEY} printable ASCII characters.",
        )
    return values[0].decode("ascii")


def record_with_key(resource, key):
    """The first record that holds a key; a key that was never seen finds none ("Idempotency")."""
    for record in resource.records:
        if record.get(resource.key_field) == key:
            return record
    return None


def replay(resource, record, members):
    """A key seen before (step 5, "Idempotency").

    The body that a key was seen with is its record without the id and the key, for seed
    records and created ones alike.
    """
    seen = {name: value for name, value in record.items() if name not in (resource.id_field, resource.key_field)}
    if not same_value(seen, members):
        message = f"The key of the header {resource.key_header} was seen before with another body."
        raise Refused(422, "idempotency_key_reused", message)
    return answer(200, record, ("Idempotent-Replayed", "true"))


def next_id(resource):
    """The id format applied to the number of the next creation ("Keys", "Create")."""
    return formatted(resource.id_format, resource.created + 1)


def formatted(id_format, counter):
    def verb(found):
        if found[0] == "%%":
            return "%"
        zero, width = found.groups()
        return str(counter).rjust(int(width or 0), "0" if zero else " ")

    return re.sub(r"%%|%(0?)([1-9][0-9]?)?d", verb, id_format)


def location(resource, record):
    """The header of a create, where the resource has `get` ("Replies")."""
    if "get" not in resource.routes:
        return []
    return [("Location", resource.path + "/" + quote(record[resource.id_field], safe=""))]
