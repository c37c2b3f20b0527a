import type { Context } from '../../base/context.ts'
import { retryWhenOvertaken } from '../../base/table/retry.ts'
import { frameworks } from './framework.ts'
import { frameworkId } from './state.ts'
import { frameworkChange } from './store-framework.ts'

/** Keeps runs, evidence and history, and frees the place in the plan. False when it was not enabled. Throws 404. */
export async function disableFramework(ctx: Context, framework: string): Promise<boolean> {
  const framework_id = frameworkId(framework)
  return retryWhenOvertaken(async () => {
    const was = await ctx.table.get(frameworks, { ...ctx.space, framework_id })
    const change = was && frameworkChange(ctx, was, { ...was, enabled: false })
    if (!change) return false
    await ctx.table.commit(change.writes, framework_id)
    return true
  })
}
