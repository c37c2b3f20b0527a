import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { PinnedAction, pinnedActions, pinnedDigest } from './pinned-action.ts'
import type { Task } from './task.ts'

/** What completing the task requests. Throws 409 where the evidence does not prove that the task was opened with it. */
export async function provenAction(ctx: Context, { id: task_id }: Task): Promise<PinnedAction> {
  const found = await ctx.table.get(pinnedActions, { ...ctx.space, task_id })
  const header = found && (await readSequenced(ctx, found.artifact_id))
  const isIts =
    header?.type === 'task.created' && header.subject?.id === task_id && header.chain === chainName(ctx.space)
  if (found && isIts && header.data?.action_digest === pinnedDigest(found.text))
    return PinnedAction.parse(JSON.parse(found.text))
  alarm('task_action_without_evidence', 'the table states an action that the chain does not prove', { id: task_id })
  throw conflict('The action of this task is not the one that it was opened with. Link the runbook again.')
}
