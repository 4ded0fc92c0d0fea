"""A refund agent in Python, standard library only.

It posts a refund to the API at PAYMENTS_BASE_URL and, like most HTTP clients, tries again when
no answer comes in time, or one that says to. With --idempotency-key both tries carry the same key.
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request

TRIES = 3


def request(method, path, body=None, headers=None, timeout=10.0):
    """Sends one request and returns its status and its JSON body."""
    data = None if body is None else json.dumps(body).encode()
    call = urllib.request.Request(
        os.environ["PAYMENTS_BASE_URL"] + path,
        data=data,
        method=method,
        headers={"Content-Type": "application/json", **(headers or {})},
    )
    with urllib.request.urlopen(call, timeout=timeout) as answer:
        return answer.status, json.load(answer)


def refund(order_id, key, timeout):
    """Refunds an order in full, trying again while no answer comes."""
    _, order = request("GET", f"/orders/{order_id}")
    body = {"order_id": order_id, "amount_cents": order["total_cents"]}
    headers = {"Idempotency-Key": key} if key else {}
    for attempt in range(1, TRIES + 1):
        try:
            status, record = request("POST", "/refunds", body, headers, timeout)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 429 and refusal.code < 500:
                raise
            print(f"agent: try {attempt}: {refusal.code}; trying again", flush=True)
            continue
        except (TimeoutError, urllib.error.URLError) as error:
            print(f"agent: try {attempt}: no answer ({error}); trying again", flush=True)
            continue
        print(f"agent: try {attempt}: {status}, refund {record['refund_id']}", flush=True)
        return record
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--order", default="O-1042", help="the order to refund")
    parser.add_argument("--idempotency-key", help="send this key with every try")
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds to wait for an answer")
    options = parser.parse_args()
    record = refund(options.order, options.idempotency_key, options.timeout)
    return 0 if record else 1


if __name__ == "__main__":
    sys.exit(main())
