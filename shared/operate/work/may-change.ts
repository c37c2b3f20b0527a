// Who may change a task.
import type { Context, Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { FOR_PEOPLE } from '../../govern/tasks/states.ts'
import type { Task } from '../../govern/tasks/task.ts'
import { workerOf } from '../../govern/tasks/worker.ts'

/** Whoever looks after workers or decides on actions sees to all work; others to what they made or were given. */
const isWide = ({ permissions }: Principal): boolean =>
  permissions.has('workers:write') || permissions.has('approvals:decide')

/** Throws 403. What only people may do, no credential of an agent does, whatever its rights. */
export async function mustBeTheirs(ctx: Context, { kind, assignee, created_by }: Task): Promise<void> {
  const { principal } = ctx
  if (principal.agent_id !== undefined && FOR_PEOPLE.includes(kind))
    throw forbidden('An agent cannot change a task of this kind. Ask a person to do it.')
  if (isWide(principal) || created_by.id === principal.id) return
  if (assignee && (await namesOf(ctx)).includes(assignee.id)) return
  throw forbidden('You can only change tasks that are assigned to you or that you created. Ask to be assigned.')
}

/** By which ids tasks name the caller: a person's own, or that of the worker whom a key stands for. */
export async function namesOf({ table, space, principal }: Context): Promise<string[]> {
  if (principal.user_id !== undefined) return [principal.user_id]
  const worker = await workerOf(table, space, principal.id)
  return worker ? [worker.id] : []
}
