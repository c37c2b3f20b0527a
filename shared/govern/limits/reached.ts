// The limits that an action was beyond when it was held, for the people who decide on it. Only the hash of a counter is kept,
// because the domains of recipients come from the sealed payload.
import * as z from 'zod'
import type { Decision } from '../governance/decide/evaluate.ts'
import type { LimitCheck } from './counting.ts'

/** `name` and `hash` name the counter; absent where it is unknown what to count. */
export const StoredReached = z.object({
  policy_id: z.string(),
  name: z.string().optional(),
  hash: z.string().optional(),
})
export type StoredReached = z.output<typeof StoredReached>

/** A reached limit with its present usage. `used`: in the window that ends now; absent if the amount to count is unknown. */
export const Reached = z.object({
  policy_id: z.string().describe('Id of the policy.'),
  name: z.string().describe('The name of the policy.'),
  measure: z.enum(['count', 'sum']).describe('Whether executions are counted or amounts summed.'),
  currency: z.string().optional().describe('Currency (ISO 4217).'),
  max: z.number().describe('The largest total that passes.'),
  window_s: z.int().describe('The length of the window in seconds.'),
  used: z.number().optional().describe('The total of the window up to now; absent where it is unknown what to count.'),
  subject: z
    .partialRecord(z.enum(['agent', 'principal', 'person', 'node', 'action', 'kind']), z.string())
    .describe('Whose total it is. Domains of recipients are left out, because the payload names them.'),
})
export type Reached = z.input<typeof Reached>

/** Undefined where no enforced limit was reached. */
export function reachedBy(
  { policy_evaluations }: Decision,
  counting: Pick<LimitCheck, 'over' | 'weighed'> | undefined,
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
