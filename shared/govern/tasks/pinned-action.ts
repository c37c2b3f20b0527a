// The action of a task, pinned when the task is opened: a runbook that is edited later does not change it, and neither does
// anybody who can write to the table, because the artifact of the task holds its digest.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { entity, type Write } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { TaskAction, taskPartition } from './task.ts'

export const PinnedAction = TaskAction.omit({ digest: true, execution: true }).extend({
  payload: freeForm.describe('What the action is sent: the template of the step, filled when the task was opened.'),
  /** Everybody who could have written what it does. None of them may approve it. */
  authors: z.array(z.string()).describe('The persons who could have written the action. None of them can approve it.'),
})
export type PinnedAction = z.output<typeof PinnedAction>

export const pinnedActions = entity({
  name: 'TASKACTION',
  unbound: 'proven by artifacts',
  schema: z.object({
    ...spaceMembers,
    task_id: z.string(),
    /** The artifact of the task's creation. */
    artifact_id: z.string(),
    /** The pinned action as canonical JSON. */
    text: z.string(),
  }),
  key: (of: Space & { task_id: string }) => ({ pk: taskPartition(of, of.task_id), sk: 'ACTION' }),
})

const textOf = ({ node_id, action_id, runbook_id, runbook_version, payload, authors }: PinnedAction): string =>
  canonicalJson({ node_id, action_id, runbook_id, runbook_version, payload, authors })

export const pinnedDigest = (text: string): string => `sha256:${sha256Hex(text)}`

/** How the task itself names what is pinned. */
export function reference(action: PinnedAction): z.output<typeof TaskAction> {
  const { payload: _, authors: __, ...named } = action
  return { ...named, digest: pinnedDigest(textOf(action)) }
}

export const pin = (space: Space, action: PinnedAction, of: { task_id: string; artifact_id: string }): Write =>
  pinnedActions.insert({ ...space, ...of, text: textOf(action) })

/** What is pinned to a task, for showing it. */
export async function findPinned({ table, space }: Context, task_id: string): Promise<PinnedAction | undefined> {
  const found = await table.get(pinnedActions, { ...space, task_id })
  return found && PinnedAction.parse(JSON.parse(found.text))
}
