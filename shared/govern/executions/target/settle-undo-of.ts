// Apart from settle-undo.ts, so that executions that carry out no undo load nothing for it.
import type { Context } from '../../../base/context.ts'
import type { Execution } from '../execution.ts'

/** Ends the undo that an execution carries out, if it carries out one. */
export async function settleUndoOf(ctx: Context, child: Execution): Promise<void> {
  if (!child.undo_of) return
  const { settleUndo } = await import('./settle-undo.ts')
  await settleUndo(ctx, child)
}
