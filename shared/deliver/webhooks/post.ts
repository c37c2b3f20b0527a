// Makes one POST of a delivery, signed with the present time, and interprets its outcome.
import type { Context } from '../../base/context.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { iso } from '../../base/lib/clock.ts'
import { WEBHOOK_DEADLINE_MS } from '../../base/limits/published.ts'
import { outbound, type Outcome } from '../../base/lib/safe-http.ts'
import type { Attempt, Delivery } from './delivery.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { openParts, validSecrets } from './endpoints/sealed-parts.ts'
import { signDelivery } from '../../base/signing/signature.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Ended, finishAttempt } from './finish.ts'

const ANSWER_BYTES_MAX = 16_384
const KEPT_BODY_BYTES = 4_096
const KEPT_HEADERS = 20

/** What the receiver asks for: no more attempts of this delivery, or (`disable`) no more deliveries at all. */
export type Stop = { reason: 'gone' | 'receiver_request'; disable: boolean }

export type Posted = {
  attempt: Attempt
  delivered: boolean
  stop?: Stop | undefined
  retryAfter?: string | undefined
}

export type ToPost = { endpoint: Endpoint; delivery: Delivery; event: Envelope; n: number }

/** Uses the present URL, headers and secrets of the endpoint, and stores nothing. Throws only when these cannot be opened. */
export async function post(ctx: Context, { endpoint, delivery, event, n }: ToPost): Promise<Posted> {
  const parts = await openParts(endpoint)
  const now = ctx.now()
  const at = Math.floor(now / 1_000)
  const secrets = validSecrets(endpoint, parts, now)
  const { body, headers } = signDelivery({ envelope: event, secrets, at, delivery_id: delivery.id, attempt: n })
  const outcome = await outbound({
    url: endpoint.url,
    method: 'POST',
    headers: { ...parts.headers, ...headers },
    body,
    deadlineMs: WEBHOOK_DEADLINE_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  const { tenant_id, mode, id: delivery_id } = delivery
  const attempt = { tenant_id, mode, delivery_id, n, at: iso(now), signature_timestamp: at, ...resultOf(outcome) }
  if (outcome.kind !== 'answer') return { attempt, delivered: false }
  return {
    attempt,
    delivered: outcome.status >= 200 && outcome.status < 300,
    stop: stopOf(outcome.status, outcome.headers['webhook-delivery']),
    retryAfter: outcome.headers['retry-after'],
  }
}

function resultOf(outcome: Outcome): Omit<Attempt, 'tenant_id' | 'mode' | 'delivery_id' | 'n' | 'at'> {
  const { latency_ms, remote_ip } = outcome
  if (outcome.kind !== 'answer') return { error_class: outcome.error_class, latency_ms, remote_ip }
  return {
    status_code: outcome.status,
    latency_ms,
    remote_ip,
    response_headers: Object.fromEntries(Object.entries(outcome.headers).slice(0, KEPT_HEADERS)),
    response_body: outcome.body.subarray(0, KEPT_BODY_BYTES).toString(),
  }
}

/** 410 and the header `webhook-delivery: disable` end the endpoint, `abort-message` ends the delivery. */
function stopOf(status: number, wish: string | undefined): Stop | undefined {
  if (status === 410) return { reason: 'gone', disable: true }
  if (wish === 'disable') return { reason: 'receiver_request', disable: true }
  if (wish === 'abort-message') return { reason: 'receiver_request', disable: false }
  return undefined
}

/**
 * Answers of receivers that are not recorded yet. When the table refuses the record, the attempt is repeated soon, and a repeat in
 * the same container records the known answer instead of sending the event again.
 */
const answers = /* @__PURE__ */ memory<Posted>(1_000)

const nameOf = ({ tenant_id, mode, id, attempt }: Delivery) => `${tenant_id}/${mode}/${id}/${attempt + 1}`

/** Whether the next attempt of this delivery was made here and only has to be recorded. */
export const isAnswered = (delivery: Delivery): boolean => answers.has(nameOf(delivery))

/** Makes the next attempt of a delivery by `send`, unless its answer is known, and records it. */
export async function postOnce(
  ctx: Context,
  { was, endpoint }: Omit<Ended, 'posted'>,
  send: () => Promise<Posted>,
): Promise<Stored<Delivery>> {
  const name = nameOf(was)
  const posted = answers.get(name) ?? (await send())
  answers.set(name, posted)
  const stored = await finishAttempt(ctx, { was, endpoint, posted })
  answers.delete(name)
  return stored
}
