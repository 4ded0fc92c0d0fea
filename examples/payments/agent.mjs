// A refund agent in Node, with the built-in fetch.
//
// It posts a refund to the API at PAYMENTS_BASE_URL and, like most HTTP clients, tries again when
// no answer comes in time, or one that says to. With --idempotency-key both tries carry the same key.

import { parseArgs } from "node:util";

const TRIES = 3;

const { values: options } = parseArgs({
  options: {
    order: { type: "string", default: "O-1042" },
    "idempotency-key": { type: "string" },
    timeout: { type: "string", default: "1" },
  },
});

class Refusal extends Error {
  constructor(status) {
    super(`the API answered ${status}`);
    this.status = status;
  }
}

async function request(method, path, { body, headers = {}, seconds = 10 } = {}) {
  const answer = await fetch(process.env.PAYMENTS_BASE_URL + path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(seconds * 1000),
  });
  if (!answer.ok) throw new Refusal(answer.status);
  return { status: answer.status, record: await answer.json() };
}

async function refund(orderId, key, seconds) {
  const { record: order } = await request("GET", `/orders/${orderId}`);
  const body = { order_id: orderId, amount_cents: order.total_cents };
  const headers = key ? { "Idempotency-Key": key } : {};
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      const { status, record } = await request("POST", "/refunds", { body, headers, seconds });
      console.log(`agent: try ${attempt}: ${status}, refund ${record.refund_id}`);
      return record;
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (isRefusal && error.status !== 429 && error.status < 500) throw error;
      const what = isRefusal ? error.status : `no answer (${error.name})`;
      console.log(`agent: try ${attempt}: ${what}; trying again`);
    }
  }
  return undefined;
}

const record = await refund(options.order, options["idempotency-key"], Number(options.timeout));
process.exitCode = record ? 0 : 1;
