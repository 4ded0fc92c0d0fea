"""A reader of the part of JSON Schema that ``vector.schema.json`` uses, so that no package is needed.

`faults(value, schema, root)` gives one line per fault. A keyword it does not know raises, so
that a schema is never taken for checked where it is not.
"""

import re

ANNOTATIONS = {"$schema", "$defs", "title", "description"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "null": lambda v: v is None,
}


def faults(value, schema, root, path="(file)"):
    """Where and how `value` breaks `schema`; `$ref` is looked up in `root`."""
    found = []
    for keyword, argument in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword not in KEYWORDS:
            raise ValueError(f"the schema uses {keyword}, which schema_subset.py does not know")
        found += KEYWORDS[keyword](value, argument, root, path, schema)
    return found


def definition(root, reference):
    """The schema that `#/$defs/NAME` names."""
    return root["$defs"][reference.removeprefix("#/$defs/")]


def _type(value, names, root, path, schema):
    names = [names] if isinstance(names, str) else names
    return [] if any(TYPES[name](value) for name in names) else [f"{path}: is not {' or '.join(names)}"]


def _one_of(value, schemas, root, path, schema):
    results = [faults(value, each, root, path) for each in schemas]
    matching = results.count([])
    if matching == 1:
        return []
    # The shortest list of faults comes from the branch that was most likely meant.
    return [f"{path}: matches {matching} of the shapes it may have"] + (min(results, key=len) if not matching else [])


def _any_of(value, schemas, root, path, schema):
    results = [faults(value, each, root, path) for each in schemas]
    return [] if [] in results else [f"{path}: matches none of the shapes it may have"] + min(results, key=len)


def _required(value, names, root, path, schema):
    return [f"{path}: lacks {name}" for name in names if name not in value] if isinstance(value, dict) else []


def _properties(value, schemas, root, path, schema):
    if not isinstance(value, dict):
        return []
    present = [(name, each) for name, each in schemas.items() if name in value]
    return [line for name, each in present for line in faults(value[name], each, root, f"{path}.{name}")]


def _additional(value, allowed, root, path, schema):
    if not isinstance(value, dict):
        return []
    extra = [name for name in value if name not in schema.get("properties", {})]
    if allowed is False:
        return [f"{path}: has the unknown member {name}" for name in extra]
    return [line for name in extra for line in faults(value[name], allowed, root, f"{path}.{name}")]


def _items(value, each, root, path, schema):
    if not isinstance(value, list):
        return []
    return [line for index, item in enumerate(value) for line in faults(item, each, root, f"{path}[{index}]")]


def _holds(applies, test, reason):
    """A keyword that compares one property of a value; values of other kinds pass."""

    def keyword(value, argument, root, path, schema):
        return [f"{path}: {reason} {argument}"] if applies(value) and not test(value, argument) else []

    return keyword


def _anything(_value):
    return True


KEYWORDS = {
    "$ref": lambda value, ref, root, path, schema: faults(value, definition(root, ref), root, path),
    "type": _type,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "const": _holds(_anything, lambda v, a: v == a and type(v) is type(a), "is not"),
    "enum": _holds(_anything, lambda v, a: v in a, "is none of"),
    "pattern": _holds(TYPES["string"], lambda v, a: re.search(a, v), "does not match"),
    "minLength": _holds(TYPES["string"], lambda v, a: len(v) >= a, "is shorter than"),
    "maxLength": _holds(TYPES["string"], lambda v, a: len(v) <= a, "is longer than"),
    "minItems": _holds(TYPES["array"], lambda v, a: len(v) >= a, "has fewer items than"),
    "maxItems": _holds(TYPES["array"], lambda v, a: len(v) <= a, "has more items than"),
    "minimum": _holds(TYPES["number"], lambda v, a: v >= a, "is under"),
    "maximum": _holds(TYPES["number"], lambda v, a: v <= a, "is over"),
}
