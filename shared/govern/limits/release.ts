// Takes back what was reserved for an action that then did not run.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { tally } from '../../base/limits/tally.ts'
import { retry } from '../../base/kernel/retry.ts'
import { Contended } from '../../base/table/table.ts'
import { takeFrom } from './give-back.ts'
import type { Added } from './item.ts'
import type { Reserved } from './weigh.ts'

const NONE: ReadonlySet<string> = new Set()
const TRIES = 4

/**
 * `kept`: the counters of what was stored. Never throws: a share that cannot be taken back stays counted until the window has passed,
 * and is told of.
 */
export async function release(ctx: Context, reserved: Reserved, kept: ReadonlySet<string> = NONE): Promise<void> {
  const unused = [...reserved].filter(([name]) => !kept.has(name))
  for (const [name] of unused) reserved.delete(name)
  await Promise.all(unused.map(([, share]) => takeBack(ctx, share)))
}

async function takeBack(ctx: Context, share: Added): Promise<void> {
  try {
    await retry(async () => {
      for (const write of await takeFrom(ctx, share)) await ctx.table.writeOne(write)
    }, [{ is: (error) => error instanceof Contended, tries: TRIES }])
  } catch (error) {
    warn('limit_reserved_lost', error)
    await tally(ctx.table, ctx.space, 'll')
  }
}
