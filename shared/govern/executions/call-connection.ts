// Calls an operation of a tool with the credential of the tenant's connection. Loaded with the first such action. The provider
// gets its own request: no envelope, no signature, nothing of this service but the idempotency key.
import type { OpenConnection } from '../../base/ports/effects.ts'
import type { Context } from '../../base/context.ts'
import { outbound, type Outcome } from '../../base/lib/safe-http.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { type ConnectionRequest, requestOf } from '../manifests/connection-request.ts'
import type { ConnectionTarget } from '../manifests/connection-target.ts'
import { ANSWER_MAX, type Calls, callRepeatedly, type TargetOutcome } from './call-target.ts'
import { openConnection } from './connections.ts'

const TIMEOUT_MS = 10_000

/** `idempotent`: a repeat is safe. */
export type ThroughConnection = { connection: ConnectionTarget; idempotent: boolean }
type Message = { request_id: string; payload: JsonObject }
type Credential = OpenConnection['headers']

/**
 * Calls the provider, at most three times in all. Never throws for what a provider does: a refusal, an expired credential and a lost answer
 * are outcomes. The host is the published one; a connection that leads elsewhere by now is not called.
 */
export async function callConnection(
  ctx: Context,
  { connection: target, idempotent }: ThroughConnection,
  { request_id, payload }: Message,
  calls: Calls,
): Promise<TargetOutcome> {
  const connection = await reached(() => openConnection(ctx, target.connector_id))
  if (!connection)
    return failed(calls, 'connection_inactive', `The connection to ${target.connector_id} is not active.`)
  if (connection === 'unreachable')
    return failed(calls, 'target_unreachable', 'The provider of the connection could not be reached.')
  if (target.host !== undefined && target.host !== new URL(connection.base_url).host)
    return failed(calls, 'target_refused', 'The connection leads to another host than was published. Publish it again.')
  const request = requestOf(target, payload, connection.base_url)
  if (!request) return failed(calls, 'target_refused', 'The address of the target may not be called.')
  const { method } = target
  const once = async (deadlineMs: number): Promise<Outcome> => {
    const end = ctx.now() + deadlineMs
    const send = (credential: Credential) =>
      sendWith(credential, { request, method, request_id, deadlineMs: end - ctx.now() })
    return refreshed(connection, send)
  }
  const outcome = await callRepeatedly(ctx, { timeout_ms: TIMEOUT_MS, idempotent, once }, calls)
  if (outcome.status !== 'executed') return outcome
  if (!connection.isError(outcome.output)) return { ...outcome, estimated: true }
  const error = { code: 'provider_error', message: 'The provider answered with an error.' }
  return { status: 'failed', error, retries: outcome.retries }
}

/** A provider or a table that cannot be reached now may be reached later, so the state of the connection does not change. */
async function reached<T>(ask: () => Promise<T>): Promise<T | 'unreachable'> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unavailable') return 'unreachable'
    throw error
  }
}

const failed = ({ first }: Calls, code: string, message: string): TargetOutcome => ({
  status: 'failed',
  error: { code, message },
  retries: first - 1,
})

/** A 401 is answered by a renewed credential, once. */
async function refreshed(
  connection: OpenConnection,
  send: (credential: Credential) => Promise<Outcome>,
): Promise<Outcome> {
  const first = await send(connection.headers)
  if (!isUnauthorized(first)) return first
  const renewed = await reached(connection.renewed)
  if (renewed === 'unreachable') return first
  const second = renewed && (await send(renewed))
  if (second && !isUnauthorized(second)) return second
  await reached(connection.refused)
  return second ?? first
}

const isUnauthorized = (outcome: Outcome): boolean => outcome.kind === 'answer' && outcome.status === 401

type Sent = { request: ConnectionRequest; method: ConnectionTarget['method']; request_id: string; deadlineMs: number }

/** The credential comes last: nothing in a payload takes its place. */
const sendWith = (credential: Credential, { request, method, request_id, deadlineMs }: Sent): Promise<Outcome> =>
  outbound({
    ...request,
    method,
    headers: {
      accept: 'application/json',
      ...request.headers,
      'user-agent': 'Countersign/1.0',
      'accept-encoding': 'identity',
      'idempotency-key': request_id,
      ...credential,
    },
    deadlineMs,
    answerBytesMax: ANSWER_MAX,
  })
