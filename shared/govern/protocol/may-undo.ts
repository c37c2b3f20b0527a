// Who may undo an action, and when.
import * as z from 'zod'
import type { Principal } from '../../base/context.ts'
import { conflict, forbidden, invalid } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Execution } from '../executions/execution.ts'
import { EXECUTION_STATES } from '../executions/states.ts'

export const UndoBody = z.strictObject({
  reason: optional(z.string().max(2_000)).describe('The reason, for people.'),
  during_freeze: optional(z.boolean()).describe(
    'Undoes in spite of freezes. Only for a person who may lift them, and with a `reason`.',
  ),
})
export type UndoBody = Partial<z.output<typeof UndoBody>>

/** Allowed: the requester of the action, other credentials of its bound agent, and approvers. */
export function mustBeTheirs({ id, persons, agent_id, permissions }: Principal, execution: Execution): void {
  const isRequester = id === execution.requested_by.id || persons.some((person) => execution.persons.includes(person))
  const sameAgent = execution.agent_bound === true && agent_id === execution.agent_id
  if (isRequester || sameAgent || permissions.has('approvals:decide')) return
  throw forbidden('You did not request this action. Ask its requester or an approver to undo it.')
}

/** What a freeze stops can still be taken back, by a person who could lift it and says why. */
export function mustBeAllowedDuringFreeze({ kind, permissions }: Principal, { during_freeze, reason }: UndoBody): void {
  if (!during_freeze) return
  if (kind !== 'user' || !permissions.has('freezes:lift'))
    throw forbidden('Only a person who may lift freezes can undo an action during one. Leave during_freeze out.')
  if (!reason) throw invalid(['reason'], 'is needed with during_freeze', 'missing')
}

/** The last millisecond of the window is inside it. */
export function mustBeUndoable({ status, undo, undo_until }: Execution, at: string): void {
  mustAllowMove(EXECUTION_STATES, status, 'undone')
  if (!undo_until) throw conflict('You can undo only SOFT actions.')
  if (at > undo_until) throw conflict(`You can no longer undo this action. Its undo window ended at ${undo_until}.`)
  if (undo?.state === 'running') throw conflict('The undo of this action is already running.')
}
