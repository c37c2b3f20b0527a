import type { Context } from '../../../base/context.ts'
import type { Execution } from '../execution.ts'

/** Ends the undo that an execution carries out; most carry out none, and load nothing for it. */
export async function settleUndoOf(ctx: Context, child: Execution): Promise<void> {
  if (!child.undo_of) return
  const { settleUndo } = await import('./settle-undo.ts')
  await settleUndo(ctx, child)
}
