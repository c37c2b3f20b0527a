import * as z from 'zod'
import { Policy } from '../governance/policy.ts'
import type { StoredPolicy } from '../governance/stored-policy.ts'

export const PolicyView = Policy.extend({
  created_at: z.string(),
  updated_at: z.string(),
  updated_by: z.object({ type: z.string(), id: z.string() }),
  warnings: z.array(z.string()).optional(),
  /** The directory groups of `approval`, by `group:<id>`. */
  group_names: z.record(z.string(), z.string()).optional(),
})

export const policyView = (stored: StoredPolicy) => ({
  ...(JSON.parse(stored.body) as Policy),
  created_at: stored.created_at,
  updated_at: stored.updated_at,
  updated_by: stored.updated_by,
})
