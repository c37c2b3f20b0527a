// Takes payload, output and note of an execution out of the table. What is counted as stored shrinks in the same transaction.
import type { Context } from '../../base/context.ts'
import { retryWhenOvertaken } from '../../base/table/retry.ts'
import { payloadBytes } from '../../ledger/sealing/seal.ts'
import { storageChange } from '../../ledger/usage/storage.ts'
import { executions, payloads } from './execution.ts'

/** May be repeated: what is gone already counts no more. */
export function removeSealed(ctx: Context, id: string): Promise<void> {
  const of = { ...ctx.space, id }
  return retryWhenOvertaken(async () => {
    const [was, long] = await Promise.all([ctx.table.get(executions, of), ctx.table.get(payloads, of)])
    const sealed = [was?.payload, was?.output, long?.payload].filter((one) => one !== undefined)
    if (!was || (sealed.length === 0 && !was.report_note)) return
    const bytes = sealed.reduce((sum, one) => sum + payloadBytes(one), 0)
    const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } }
    await ctx.table.commit([
      executions.update(of, { remove: ['payload', 'payload_apart', 'output', 'report_note'], condition: unchanged }),
      payloads.remove(of),
      ...storageChange(ctx, -bytes),
    ])
  })
}
