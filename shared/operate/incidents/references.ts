// What an incident may name: things of the same tenant, and times that have come.
import type { Context } from '../../base/context.ts'
import { invalid } from '../../base/lib/failure.ts'
import { tasks } from '../../govern/tasks/task.ts'
import { users } from '../../identity/accounts/user.ts'
import { alerts } from '../alerts/alert.ts'

/** Each throws 422 at the member that names what does not exist. */
export async function mustBeAlerts({ table, space }: Context, ids: readonly string[], member: string): Promise<void> {
  const found = await table.getAll(
    alerts,
    ids.map((id) => ({ ...space, id })),
  )
  mustBeFound(ids, found, { member, what: 'an alert' })
}

export async function mustBeTasks({ table, space }: Context, ids: readonly string[]): Promise<void> {
  const found = await table.getAll(
    tasks,
    ids.map((id) => ({ ...space, id })),
  )
  mustBeFound(ids, found, { member: 'follow_up_task_ids', what: 'a task' })
}

export async function mustBePerson({ table, space }: Context, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const user = await table.get(users, { tenant_id: space.tenant_id, id })
  if (user?.status !== 'active') throw invalid(['commander_id'], 'must be an active person of this tenant.')
}

function mustBeFound(
  ids: readonly string[],
  found: readonly { id: string }[],
  { member, what }: { member: string; what: string },
) {
  const known = new Set(found.map(({ id }) => id))
  const at = ids.findIndex((id) => !known.has(id))
  if (at >= 0) throw invalid([member, at], `must be ${what} of this tenant.`)
}

export function mustHavePassed(ctx: Context, member: string, at: string): void {
  if (Date.parse(at) > ctx.now()) throw invalid([member], 'must not lie in the future.')
}
