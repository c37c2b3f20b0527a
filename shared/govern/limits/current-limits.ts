// The present usage of the limits that an action was beyond when it was held.
import type { Context } from '../../base/context.ts'
import { windowSeconds } from '../governance/rule-terms.ts'
import { Policy } from '../governance/policy.ts'
import { policies } from '../governance/stored-rules.ts'
import { counterOf } from './counters.ts'
import { partiesOf, type Requester } from './parties.ts'
import type { Reached, StoredReached } from './reached.ts'
import { counterUsageOf } from './usage.ts'

type Held = { kind: string; node_id: string; action_id: string; limits?: readonly StoredReached[] | undefined }

/** The reached limits with their present usage. A limit that has come to count something else since is left out. */
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
  const used = hash === undefined ? undefined : (await counterUsageOf(ctx, policy, limit, hash)).used
  const subject = Object.fromEntries(
    limit.per.flatMap((key) => (key === 'recipient_domain' ? [] : [[key, subjects[key]]])),
  )
  return { policy_id, name, measure, currency, max, window_s: windowSeconds(window), used, subject }
}
