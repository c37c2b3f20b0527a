// What the API shows of a policy, and of a dry run.
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

/** The answer to a dry run, which is loaded with the first one. */
export const DryRun = z.object({
  valid: z.literal(true).describe('Whether it follows all rules.'),
  warnings: z.array(z.string()).describe('Effects that the author may not have intended.'),
  replay: z
    .object({
      evaluated: z.int().describe('The number of past decisions that were evaluated again.'),
      changed: z.int().describe('The number of decisions that would change.'),
      /** Counts by change, such as `AUTO->HARD`. `REJECT` is a rejected action. */
      by_change: z
        .record(z.string(), z.int())
        .describe('The number of decisions for each change, such as `AUTO->HARD`.'),
      /** At most 20 request ids of changed executions. */
      samples: z.array(z.string()).describe('Ids of decisions that would change.'),
      warm_from: z
        .string()
        .optional()
        .describe(
          'Executions before this time are decided on with a history that is shorter than limits and sequences look back. Absent when all there is was read.',
        ),
      /** How many of these were evaluated, and how many of them changed. */
      warming: z
        .object({
          evaluated: z.int().describe('The number of past decisions that were evaluated again.'),
          changed: z.int().describe('The number of decisions that would change.'),
        })
        .optional()
        .describe('The evaluated and changed executions before `warm_from`.'),
    })
    .describe('The effect that the change would have had on past decisions.'),
})

const replayed = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(1_000))

export const DryRunQuery = z.object({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: stores nothing. The answer shows the effect of the change.'),
  replay: replayed.optional().describe('With `dry_run`: how many past executions are evaluated again.'),
})
