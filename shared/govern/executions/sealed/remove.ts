// Removes the sealed parts of an execution from the table. The bytes that are counted as stored shrink in the same transaction.
import type { Context } from '../../../base/context.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import { payloadBytes } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/usage-item.ts'
import { type Execution, executions, payloads } from '../execution.ts'

const SEALED = ['payload', 'payload_apart', 'output', 'report_note', 'origin'] as const

export const hasSealed = (execution: Execution): boolean => SEALED.some((name) => execution[name] !== undefined)

/** The writes need the revision that was read. `bytes`: the bytes that were counted as stored. */
export function sealedRemoval(
  was: Stored<Execution>,
  long: { payload: Uint8Array } | undefined,
): { writes: Write[]; bytes: number } {
  const sealed = [was.payload, was.output, long?.payload].filter((one) => one !== undefined)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } }
  return {
    writes: [
      executions.update(was, { remove: SEALED, condition: unchanged }),
      ...(long || was.payload_apart ? [payloads.remove(was)] : []),
    ],
    bytes: sealed.reduce((sum, one) => sum + payloadBytes(one), 0),
  }
}

/** Afterwards no sealed part of the execution is stored. A repeat changes nothing, and counts no bytes twice. */
export function removeSealed(ctx: Context, id: string): Promise<void> {
  const of = { ...ctx.space, id }
  return retryWhenChanged(async () => {
    const [was, long] = await Promise.all([ctx.table.get(executions, of), ctx.table.get(payloads, of)])
    if (!was || !(hasSealed(was) || long)) return
    const { writes, bytes } = sealedRemoval(was, long)
    await ctx.table.commit([...writes, ...storageChange(ctx, -bytes)])
  })
}
