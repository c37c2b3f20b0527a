// What a dry run takes and answers. The dry run itself is loaded with the first one.
import * as z from 'zod'

export const DryRun = z.object({
  valid: z.literal(true),
  warnings: z.array(z.string()),
  replay: z.object({
    evaluated: z.int(),
    changed: z.int(),
    /** Counts by change, such as `AUTO->HARD`. `REJECT` stands for a rejected action. */
    by_change: z.record(z.string(), z.int()),
    /** At most 20 request ids of changed executions. */
    samples: z.array(z.string()),
    /** Executions before it are decided on with a shorter history than the policies look back. */
    warm_from: z.string().optional(),
    /** How many of these were evaluated, and how many of them changed. */
    warming: z.object({ evaluated: z.int(), changed: z.int() }).optional(),
  }),
})

const replayed = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(1_000))

export const DryRunQuery = z.object({ dry_run: z.enum(['true', 'false']).optional(), replay: replayed.optional() })
