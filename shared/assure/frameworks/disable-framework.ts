// Disables a framework.
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { openViolations, REPORTED_AT_ONCE } from '../../ledger/violations/violation.ts'
import { openRun, type RequestedRun, requestRun } from '../checks/request-run.ts'
import { frameworkId } from './state.ts'
import { frameworkChange, readFrameworks } from './store-framework.ts'

/**
 * Disables a framework. Its runs, evidence and history are kept, and its place in the plan is free. The same commit requests a run
 * that closes the violations for which no framework asks any more. False when it was not enabled. Throws 404.
 */
export async function disableFramework(ctx: Context, framework: string): Promise<boolean> {
  const id = frameworkId(framework)
  const enqueue = await retryWhenChanged(async () => {
    const { all, concernsWith } = await readFrameworks(ctx)
    const was = all.find(({ framework_id }) => framework_id === id)
    const next = was && { ...was, enabled: false }
    const change = next && frameworkChange(ctx, was, next)
    if (!change) return undefined
    const run = await closingRun(ctx)
    await ctx.table.commit([...change.writes, concernsWith(next), ...(run?.writes ?? [])], id)
    return run?.enqueue ?? (async () => {})
  })
  await enqueue?.()
  return enqueue !== undefined
}

/** An open run may still open violations for the framework, so all checks follow it. */
async function closingRun(ctx: Context): Promise<RequestedRun | undefined> {
  const [violations, open] = await Promise.all([openViolations(ctx), openRun(ctx)])
  const ids = violations.map(({ check_id }) => check_id).filter((id) => !REPORTED_AT_ONCE.includes(id))
  if (open) return requestRun(ctx, { trigger: 'enable', scope: 'full' })
  return ids.length > 0 ? requestRun(ctx, { trigger: 'enable', scope: ids }) : undefined
}
