// Calls the target of an action, at most three times in all, always under the same Idempotency-Key. What
// cannot be known is reported as unknown, never guessed.
import type { Context } from '../../base/context.ts'
import { parseExact } from '../../base/wire/parse-body.ts'
import { type Json, sha256Hex } from '../../base/lib/json.ts'
import { type OutboundResponse, type NoResponse, outbound, type Outcome } from '../../base/lib/safe-http.ts'
import { traceparentOf } from '../../base/lib/trace.ts'
import { signBody } from '../../base/signing/signature.ts'
import type { Target } from '../manifests/open-target.ts'
import type { ExecutionError } from './execution.ts'

/**
 * `estimated`: the numbers of tokens in the answer are not the target's report of its own use. `created`: the target answered 201, so
 * the object that it names did not exist before.
 */
export type TargetOutcome =
  | { status: 'executed'; output: Json; retries: number; estimated?: true; created?: true }
  | { status: 'failed' | 'outcome_unknown'; error: ExecutionError; retries: number }

/** Waits before the second and the third call. */
const WAITS_MS = [200, 1_000]
/** Counted over all processes that call for one execution. */
export const CALLS_MAX = WAITS_MS.length + 1
const OVERALL_MS = 25_000
export const ANSWER_MAX = 1_048_576
const OUTPUT_MAX = 262_144
const RETRYABLE = [429, 502, 503, 504]

export type Message = { request_id: string } & Record<string, unknown>

/** `first`: the number of the next call, over all processes. `count` stores the number of each further call before it is made. */
export type Calls = { first: number; count: (call: number) => Promise<void> }

/** `message` is the body of the call; its `request_id` is the idempotency key. */
export const callTarget = (ctx: Context, target: Target, message: Message, calls: Calls): Promise<TargetOutcome> =>
  callRepeatedly(ctx, { ...target, once: (deadlineMs) => once(ctx, target, message, deadlineMs) }, calls)

type Repeated = Pick<Target, 'timeout_ms' | 'idempotent'> & { once: (deadlineMs: number) => Promise<Outcome> }

/** Makes one call after the other until its outcome is final or no time is left. */
export async function callRepeatedly(
  ctx: Context,
  { timeout_ms, idempotent, once: make }: Repeated,
  { first, count }: Calls,
): Promise<TargetOutcome> {
  const end = ctx.now() + OVERALL_MS
  for (let call = first; ; call += 1) {
    if (call > first) await count(call)
    const outcome = await make(Math.min(timeout_ms, end - ctx.now()))
    const { result, again } = judge(outcome, idempotent)
    const wait = WAITS_MS[call - 1]
    const more = again && wait !== undefined && ctx.now() + wait < end
    if (!more) return { ...result, retries: call - 1 }
    await ctx.clock.sleep(wait)
  }
}

function once(
  ctx: Context,
  { url, method, headers, secrets }: Target,
  message: Message,
  deadlineMs: number,
): Promise<Outcome> {
  const { trace_id } = ctx.request
  const signed = signBody(message, message.request_id, secrets, Math.floor(ctx.now() / 1_000))
  return outbound({
    url,
    method,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'user-agent': 'Countersign/1.0',
      'accept-encoding': 'identity',
      ...signed.headers,
      'idempotency-key': message.request_id,
      traceparent: traceparentOf(trace_id),
    },
    body: signed.body,
    deadlineMs,
    answerBytesMax: ANSWER_MAX,
  })
}

type Result =
  | { status: 'executed'; output: Json; created?: true }
  | { status: 'failed' | 'outcome_unknown'; error: ExecutionError }

/** What each way of ending means, and whether it may be tried again. */
function judge(outcome: Outcome, idempotent: boolean): { result: Result; again: boolean } {
  if (outcome.kind !== 'answer') return judgeNoResponse(outcome, idempotent)
  const { status } = outcome
  if (status >= 200 && status < 300) {
    const created = status === 201 && { created: true as const }
    return { result: { status: 'executed', output: outputOf(outcome), ...created }, again: false }
  }
  const error = { code: 'target_status', http_status: status, message: `The target answered ${status}.` }
  return { result: { status: 'failed', error }, again: idempotent && RETRYABLE.includes(status) }
}

function judgeNoResponse({ kind, error_class }: NoResponse, idempotent: boolean): { result: Result; again: boolean } {
  if (kind === 'unanswered') {
    const error = { code: 'target_timeout', message: 'The target gave no usable answer; the outcome is not known.' }
    return { result: { status: 'outcome_unknown', error }, again: idempotent }
  }
  const blocked = error_class === 'blocked_target'
  const error = blocked
    ? { code: 'target_refused', message: 'The address of the target may not be called.' }
    : { code: 'target_unreachable', message: 'The target could not be reached.' }
  return { result: { status: 'failed', error }, again: !blocked }
}

/** The output as JSON. One that is too long, cut short or not exact JSON is only described by its length and hash. */
function outputOf({ body, body_end }: OutboundResponse): Json {
  if (body.length === 0) return {}
  const whole = body_end === 'whole' && body.length <= OUTPUT_MAX
  const value = whole ? parseExact(body) : undefined
  if (value !== undefined && Buffer.byteLength(JSON.stringify(value)) <= OUTPUT_MAX) return value
  return described(body)
}

/** Length and hash, in the place of an output that is too long to carry. */
export const described = (body: Buffer) => ({ truncated: true, bytes: body.length, sha256: sha256Hex(body) })
