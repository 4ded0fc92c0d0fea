"""INC-1042, twice: an agent that retries without an idempotency key, and the same one with it.

The number of refunds is read from the final snapshot of each run, not from what the agent said.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENGINE = os.environ.get("ATTEST_ENGINE", str(ROOT / "target" / "debug" / "attest-engine"))


def refunds_after(*agent_options):
    """Runs the agent in a fresh world and returns how many refunds the world holds at the end."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder) / "snapshot.json"
        command = [
            ENGINE, "world", "--file", "world.yaml", "--snapshot-out", str(snapshot),
            "--", sys.executable, "agent.py", *agent_options,
        ]
        shown = ["attest-engine", *command[1:5], "after.json", "--", "python3", *command[8:]]
        print("$", *shown, flush=True)
        subprocess.run(command, cwd=HERE, check=True)
        state = json.loads(snapshot.read_text())["state"]
    return sum(refund["order_id"] == "O-1042" for refund in state["refunds"])


def said(count):
    return f"{count} refund" if count == 1 else f"{count} refunds"


def main():
    if not Path(ENGINE).exists():
        print(f"{ENGINE} is not there; run `make build` first", file=sys.stderr)
        return 1
    print("INC-1042: the refund API commits the first refund, but its answer never comes.")
    print(f"(The commands below run in {HERE.relative_to(ROOT)}.)\n")
    print("1. The agent tries again, without an idempotency key.\n", flush=True)
    blind = refunds_after()
    print(f"\n   The world holds {said(blind)} for O-1042.\n")
    print("2. The same agent, sending one idempotency key with both tries.\n", flush=True)
    keyed = refunds_after("--idempotency-key", "refund-O-1042")
    print(f"\n   The world holds {said(keyed)} for O-1042.")
    return 0 if (blind, keyed) == (2, 1) else 1


if __name__ == "__main__":
    sys.exit(main())
