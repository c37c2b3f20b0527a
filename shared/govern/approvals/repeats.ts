// The same request, asked again. Each held request leaves a keyed hash of its node, action, payload and accountable person in an index
// entry of its approval, so that one query finds its equals of the last 24 hours. The hash names the person and not the agent:
// a person who was refused with one agent does not ask anew with the next. Mode and tenant are part of the index key.
// The index lags a moment behind the table, so an equal request of the same caller at the same moment meets the same id.
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import type { Context, Space } from '../../base/context.ts'
import { canonicalJson, hmacSha256 } from '../../base/lib/json.ts'
import { DAY_MS, iso, MINUTE_MS } from '../../base/lib/clock.ts'
import { ulid } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { type Ages, NEVER_S } from '../executions/evaluate-action.ts'
import { type Approval, approvals, repeatPartition } from './approval.ts'

/** How many of the newest equal requests are compared. */
const LOOKED_AT = 20
/** A hash of few payloads is guessed by trying them all, so it needs a key; 16 bytes leave no chance of two equal ones. */
const KEY_BYTES = 16

type Requested = {
  node_id: string
  action_id: string
  /** The first of them is accountable. */
  persons: readonly string[]
  requested_by: { id: string }
}

/** Hex. */
export async function repeatKey(
  { tenant_id }: Space,
  { node_id, action_id, persons, requested_by }: Requested,
  payload: JsonObject | null,
): Promise<string> {
  const key = await derivedKey(`repeat/v2/${tenant_id}`)
  const person = persons[0] ?? requested_by.id
  return hmacSha256(key, canonicalJson({ node_id, action_id, person, payload })).subarray(0, KEY_BYTES).toString('hex')
}

/** The approvals of equal requests of the last 24 hours, newest first; not those that a newer one of the same request replaced. */
export async function equalTo(ctx: Context, repeat_key: string): Promise<Stored<Approval>[]> {
  const found = await ctx.table.query(approvals, {
    pk: repeatPartition(ctx.space, repeat_key),
    index: 'gsi4',
    from: iso(ctx.now() - DAY_MS),
    descending: true,
    limit: LOOKED_AT,
  })
  return found.filter((one) => one.repeat_key === repeat_key && one.superseded_by === undefined)
}

/** The equal requests that a request repeats: those that ran, and those that waited before it. A later one repeats this one. */
export const repeated = (equals: readonly Approval[], before: string): Approval[] =>
  equals.filter(
    (one) =>
      one.consumed_at !== undefined ||
      (one.requested_at < before && (one.status === 'pending' || one.status === 'approved')),
  )

/** The last of them that people refused. A policy, the time or the requester may have ended others, but refused none. */
export const lastRefused = (equals: readonly Approval[]): Approval | undefined =>
  equals
    .filter(({ status, method }) => status === 'rejected' && (method === 'manual' || method === 'api_key'))
    .toSorted((a, b) => ((a.decided_at ?? '') < (b.decided_at ?? '') ? 1 : -1))[0]

/** For the facts `request.repeated` and `request.refused`, in seconds. */
export function agesOf(equals: readonly Approval[], { now, before }: { now: number; before: string }): Ages {
  const age = (at: string | undefined) => (at === undefined ? NEVER_S : Math.max(0, (now - Date.parse(at)) / 1_000))
  const ages = repeated(equals, before).map(({ consumed_at, requested_at }) => age(consumed_at ?? requested_at))
  return { repeated: Math.min(NEVER_S, ...ages), refused: Math.min(NEVER_S, age(lastRefused(equals)?.decided_at)) }
}

/** The ages of a held request by now, for the second decision on it. */
export async function agesAgain(ctx: Context, held: Approval): Promise<Ages | undefined> {
  if (held.repeat_key === undefined) return undefined
  const equals = await equalTo(ctx, held.repeat_key)
  const others = equals.filter(({ request_id }) => request_id !== held.request_id)
  return agesOf(others, { now: ctx.now(), before: held.requested_at })
}

type Again = Pick<Approval, 'requested_by' | 'client_id' | 'agent_id' | 'agent_bound' | 'version'>

/**
 * The equal request of the same caller that still waits, under the same version of the node. Another caller of the same person gets
 * none of its answer, because it may do less with it.
 */
export const waitingTwin = (equals: readonly Stored<Approval>[], asked: Again, now: string) =>
  equals.find((one) => one.status === 'pending' && one.expires_at > now && isSameCall(one, asked))

const SAME = ['client_id', 'agent_id', 'agent_bound', 'version'] as const

const isSameCall = (one: Again, asked: Again): boolean =>
  one.requested_by.type === asked.requested_by.type &&
  one.requested_by.id === asked.requested_by.id &&
  SAME.every((name) => one[name] === asked[name])

/** Ids of approvals sort by time no finer than this. Equal requests on both sides of such a moment both wait. */
const ID_STEP_MS = MINUTE_MS

/**
 * The id of the approval of a request, by its equals. Two at the same moment, which do not see each other in the index, get the same, so
 * that only one is stored. Nobody can guess it, because what follows the time is keyed.
 */
export async function nextId(
  { tenant_id, mode }: Space,
  repeat_key: string,
  { equals, asked, at }: { equals: readonly Approval[]; asked: Again; at: number },
): Promise<string> {
  const key = await derivedKey(`repeat-id/v1/${tenant_id}`)
  const { requested_by, client_id, agent_id, agent_bound, version } = asked
  const call = { requested_by, client_id, agent_id, agent_bound, version }
  const after = equals.find((one) => isSameCall(one, asked))?.id
  const bytes = hmacSha256(key, canonicalJson({ mode, repeat_key, call, after }))
  return `apr_${ulid(at - (at % ID_STEP_MS), (size) => bytes.subarray(0, size))}`
}
