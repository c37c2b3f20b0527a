// Moves on a chain whose signature is late. Called by the sweeper.
import type { Context } from '../../../base/context.ts'
import { advanceChain, signaturesDue } from './advance-chain.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'

/**
 * Goes on with a chain whose signature is late. The due item goes away when nothing is left to sign; it is kept when another
 * process has moved it meanwhile, because that one has seen something newer.
 */
export async function advanceLate(ctx: Context): Promise<void> {
  const due = await ctx.table.get(signaturesDue, ctx.space)
  if (!due || Date.parse(due.due_at) > ctx.now()) return
  await advanceChain(ctx)
  const unmoved = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': due._v } }
  await unlessChangedMeanwhile(ctx.table.commit([signaturesDue.remove(ctx.space, unmoved)]))
}
