// The limits that an action was beyond when it was held, for whoever decides on it. Only the hash of a counter is kept, because
// the domains of recipients come from the sealed payload.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { Decision } from '../governance/evaluate.ts'
import { windowSeconds } from '../governance/limit.ts'
import { Policy } from '../governance/policy.ts'
import { policies } from '../governance/stored-policy.ts'
import { counterOf } from './counters.ts'
import type { Counting } from './counting.ts'
import { type Requester, partiesOf } from './parties.ts'
import { Standing, standingOf } from './usage.ts'

/** `name` and `hash` name the counter; absent where it is unknown what to count. */
export const StoredReached = z.object({
  policy_id: z.string(),
  name: z.string().optional(),
  hash: z.string().optional(),
})
type StoredReached = z.output<typeof StoredReached>

export const Reached = z.object({
  policy_id: z.string(),
  name: z.string(),
  ...Standing.pick({ measure: true, currency: true, max: true, window_s: true }).shape,
  /** In the window that ends now. Absent where it is unknown what to count. */
  used: Standing.shape.used.optional(),
  /** Whose total it is; without the domains of recipients, which the payload names. */
  subject: z.partialRecord(z.enum(['agent', 'principal', 'person', 'node', 'action', 'kind']), z.string()),
})
type Reached = z.input<typeof Reached>

/** Undefined where no enforced limit was reached. */
export function reachedBy(
  { policy_evaluations }: Decision,
  counting: Pick<Counting, 'over' | 'weighed'> | undefined,
): StoredReached[] | undefined {
  if (!counting) return undefined
  const applied = policy_evaluations.filter(({ result }) => result !== 'pass' && !result.startsWith('shadow:'))
  const all = applied.flatMap(({ policy_id }): StoredReached[] => {
    if (!counting.over.has(policy_id)) return []
    const full = counting.weighed.filter((one) => one.policy_id === policy_id && one.over)
    if (full.length === 0) return [{ policy_id }]
    return full.map(({ name, hash }) => ({ policy_id, name, hash }))
  })
  return all.length > 0 ? all : undefined
}

type Held = { kind: string; node_id: string; action_id: string; limits?: readonly StoredReached[] | undefined }

/** How the reached limits stand now. Those that have come to count something else since are left out. */
export async function reachedNow(ctx: Context, held: Held, requester: Requester): Promise<Reached[]> {
  const { limits = [] } = held
  if (limits.length === 0) return []
  const ids = [...new Set(limits.map(({ policy_id }) => policy_id))]
  const stored = await ctx.table.getAll(
    policies,
    ids.map((policy_id) => ({ ...ctx.space, policy_id })),
  )
  const known = new Map(stored.map(({ policy_id, body }) => [policy_id, Policy.parse(JSON.parse(body))]))
  const subjects = await subjectsOf(held, requester)
  const found = limits.map((one) => nowOf(ctx, one, known.get(one.policy_id), subjects))
  return (await Promise.all(found)).filter((one) => one !== undefined)
}

type Subjects = Required<Reached['subject']>

async function subjectsOf({ kind, node_id, action_id }: Held, requester: Requester): Promise<Subjects> {
  const { agent, principal, person } = await partiesOf(requester, [], false)
  return { agent, principal, person, node: node_id, action: `${node_id}/${action_id}`, kind }
}

async function nowOf(
  ctx: Context,
  { name: counter, hash }: StoredReached,
  policy: Policy | undefined,
  subjects: Subjects,
): Promise<Reached | undefined> {
  if (!policy?.limit) return undefined
  const { policy_id, name, limit } = policy
  if (counter !== undefined && counterOf(policy, limit).name !== counter) return undefined
  const { measure, currency, max, window } = limit
  const used = hash === undefined ? undefined : (await standingOf(ctx, policy, limit, hash)).used
  const subject = Object.fromEntries(
    limit.per.flatMap((key) => (key === 'recipient_domain' ? [] : [[key, subjects[key]]])),
  )
  return { policy_id, name, measure, currency, max, window_s: windowSeconds(window), used, subject }
}
