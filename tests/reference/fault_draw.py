#!/usr/bin/env python3
"""The fault draw, written a second time from the specification alone.

Whether a fault with a probability is due on a request is a pure function of the world's
seed, the fault's id and the request's ordinal. This file computes it without any code of
the engine, so that the vectors in ``tests/v1/generator`` have a source of their own.

Spec: "The fault draw".

    python3 tests/reference/fault_draw.py                  the due ordinals of the vectors, on stdout
    python3 tests/reference/fault_draw.py --check          hold the vector files against this reference
    python3 tests/reference/fault_draw.py --due SEED ID P  due ordinals of 1..64 for one fault

Standard library only.
"""

import hashlib
import json
import pathlib
import sys

MASK = 0xFFFFFFFF
CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)  # "expand 32-byte k"
ORDINALS = 64
GENERATOR = pathlib.Path(__file__).resolve().parent.parent / "v1" / "generator"


def due_ordinals(seed, fault_id, probability, last=ORDINALS):
    """The ordinals of 1..last on which the fault is due; `probability` is a number's text."""
    bound = float(probability)
    return [n for n, word in enumerate(draw_words(seed, fault_id, last), 1) if draw(word) < bound]


def draw(word):
    """A 64-bit word as a number in 0..1: its upper 53 bits over 2^53, exact in a double."""
    return (word >> 11) / 2**53


def draw_words(seed, fault_id, count):
    """The first `count` words of the fault's keystream; word n belongs to ordinal n."""
    key = seed.to_bytes(8, "little") + bytes(24)
    nonce = hashlib.sha256(fault_id.encode()).digest()[:8]
    blocks = (count * 8 + 63) // 64
    stream = b"".join(keystream_block(key, counter, nonce) for counter in range(blocks))
    return [int.from_bytes(stream[8 * n : 8 * n + 8], "little") for n in range(count)]


def keystream_block(key, counter, nonce):
    """64 keystream bytes of ChaCha20 in the original layout.

    Words 12 and 13 of the state are a 64-bit block counter, words 14 and 15 a 64-bit nonce.
    (RFC 8439 instead has a 32-bit counter and a 96-bit nonce; the block function is the same.)
    """
    return chacha20_block(key, counter.to_bytes(8, "little") + nonce)


def chacha20_block(key, tail):
    """The ChaCha20 block function; `tail` is the 16 bytes of state words 12 to 15."""
    start = list(CONSTANTS) + words(key) + words(tail)
    state = list(start)
    for _ in range(10):
        for column in range(4):
            quarter_round(state, column, 4 + column, 8 + column, 12 + column)
        for shift in range(4):
            quarter_round(state, shift, 4 + (shift + 1) % 4, 8 + (shift + 2) % 4, 12 + (shift + 3) % 4)
    return b"".join(((a + b) & MASK).to_bytes(4, "little") for a, b in zip(state, start))


def quarter_round(s, a, b, c, d):
    """Four additions, exclusive ors and rotations, in place on the words a, b, c, d of `s`."""
    for target, source, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[target] = (s[target] + s[source]) & MASK
        mixed = s[turned] ^ s[target]
        s[turned] = ((mixed << bits) | (mixed >> (32 - bits))) & MASK


def words(data):
    """Bytes as little-endian 32-bit words."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def self_check():
    """Published test vectors of the block function; a fault here says nothing about the engine."""
    state = [0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567]
    quarter_round(state, 0, 1, 2, 3)  # RFC 8439, section 2.1.1
    assert state == [0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB], "quarter round"

    # RFC 8439, section 2.3.2: counter 1 and nonce 00000009 0000004a 00000000 are the tail's words.
    tail = bytes.fromhex("01000000000000090000004a00000000")
    assert chacha20_block(bytes(range(32)), tail).hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    ), "block function"

    # The original layout with key, counter and nonce zero, and its second block.
    zero = bytes(32)
    assert keystream_block(zero, 0, bytes(8)).hex() == (
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
    ), "counter 0"
    assert keystream_block(zero, 1, bytes(8)).hex().startswith("9f07e7be5551387a98ba977c732d080d"), "counter 1"
    # The counter's upper half is word 13, the word that RFC 8439 gives to the nonce.
    assert keystream_block(zero, 2**32, bytes(8)) == chacha20_block(zero, bytes(4) + b"\x01" + bytes(11)), "64 bits"


def computed(case):
    """A vector's case with `first_words_hex` and `due` as this reference has them."""
    seed, fault_id = case["seed"], case["fault_id"]
    return {
        **case,
        "first_words_hex": [f"{word:016x}" for word in draw_words(seed, fault_id, 8)],
        "due": [
            {"probability": row["probability"], "ordinals": due_ordinals(seed, fault_id, row["probability"])}
            for row in case["due"]
        ],
    }


def main(arguments):
    self_check()
    if arguments[:1] == ["--due"] and len(arguments) == 4:
        print(*due_ordinals(int(arguments[1]), arguments[2], arguments[3]))
        return 0
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    passed = failed = 0
    for path in sorted(GENERATOR.glob("*.json")):
        for case in json.loads(path.read_text("utf-8"))["cases"]:
            expected = computed(case)
            if not arguments:
                print(json.dumps(expected))
            elif case == expected:
                passed += 1
            else:
                failed += 1
                print(f"{path.name}: {case['description']}: expected {json.dumps(expected)}")
    if arguments:
        print(f"{passed} passed, {failed} failed")
    return 1 if failed or (arguments and not passed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
