import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { changedResource } from './resource-writes.ts'
import type { Person } from './stored-user.ts'
import { testChange } from './test-user.ts'
import type { UserChange } from './update-user.ts'

/** Records the changes that an account would go through. A password is neither checked nor stored. */
export async function changeTestUser(ctx: Context, person: Person, change: UserChange): Promise<void> {
  const { was, next, fields, password } = change
  const version = (person.item?._v ?? 0) + 1
  const named = [...fields, ...(password === undefined ? [] : ['password'])]
  const changes: Change[] = []
  if (named.length > 0) changes.push(testChange(person.id, 'updated', next, version, named))
  else if (next.active) changes.push(testChange(person.id, 'restored', next, version))
  if (was.active && !next.active) changes.push(testChange(person.id, 'deprovisioned', next, version))
  const [first, ...others] = changes
  if (!first) return
  await ctx.table.commit([...(await changedResource(ctx, person, change)), ...changed(ctx, [first, ...others])])
}
