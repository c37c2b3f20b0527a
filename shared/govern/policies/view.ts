import * as z from 'zod'
import { Policy } from '../governance/policy.ts'
import type { StoredPolicy } from '../governance/stored-rules.ts'

export const PolicyView = Policy.extend({
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  updated_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that last changed it.'),
  warnings: z.array(z.string()).optional().describe('Effects that the author may not have intended.'),
  group_names: z
    .record(z.string(), z.string())
    .optional()
    .describe('The present names of the directory groups among the approvers, by `group:<id>`.'),
})

export const policyView = (stored: StoredPolicy) => ({
  ...(JSON.parse(stored.body) as Policy),
  created_at: stored.created_at,
  updated_at: stored.updated_at,
  updated_by: stored.updated_by,
})
