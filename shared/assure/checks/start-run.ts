// Starts a run of checks that a caller requests.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { requestRun } from './request-run.ts'
import type { CheckRun } from './run.ts'

const ids = CHECKS.map(({ id }) => id)
const checkId = z
  .string()
  .refine((id) => ids.includes(id), 'must be the id of a check')
  .meta({ enum: ids })

export const StartRunBody = z.strictObject({
  /** All without it. */
  checks: z
    .array(checkId)
    .min(1)
    .max(CHECKS.length)
    .refine((named) => new Set(named).size === named.length, 'must name each check once')
    .meta({ uniqueItems: true })
    .optional()
    .describe('Ids of the checks. Without them: all.'),
})

/** A run that somebody asks for; the open one where there is one. Throws 429 for too many within an hour. */
export async function startRun(ctx: Context, { checks }: z.output<typeof StartRunBody>): Promise<CheckRun> {
  const { run, enqueue } = await retryWhenChanged(async () => {
    const requested = await requestRun(ctx, { trigger: 'manual', scope: checks ?? 'full' })
    if (requested.writes.length > 0) await ctx.table.commit(requested.writes, requested.run.id)
    return requested
  })
  await enqueue()
  return run
}
