// Updates the roles of all members of a group after the group was renamed or the tenant's setting `group_roles` changed.
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import { membersOf } from './stored-group.ts'
import type { GroupMapping as Mapping } from './group-mapping.ts'
import { givingGroups, roleChanges, roleMapping } from './group-roles.ts'
import { leaveNote, noteOf, removeNote } from './store-group.ts'

const AT_ONCE = 40

/** To be called before a change of the setting. If the request dies after the change, the sweeper finishes the work. */
export async function expectGroupRoles(ctx: Context, was: Mapping, next: Mapping): Promise<void> {
  for (const { id } of await givingGroups(ctx, [...was, ...next])) {
    await retryWhenChanged(async () => ctx.table.commit([leaveNote(ctx, id, await noteOf(ctx, id))]))
  }
}

/** To be called after a change of the setting. Updates all members of groups that gave or now give a role. */
export async function applyGroupRoles(ctx: Context, was: Mapping, now: Mapping): Promise<void> {
  for (const { id } of await givingGroups(ctx, [...was, ...now])) await settleGroup(ctx, id)
}

/**
 * Gives the members of a group the roles of the current setting. Safe to repeat. The note is read first: a note that is left
 * later may come from a change that this call has not seen, so it is not removed.
 */
export async function settleGroup(ctx: Context, id: string): Promise<void> {
  const note = await noteOf(ctx, id)
  const ids = (await membersOf(ctx, id)).map(({ value }) => value)
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    await retryWhenChanged(() => align(ctx, id, ids.slice(from, from + AT_ONCE)))
  }
  if (note) await removeNote(ctx, note)
}

async function align(ctx: Context, group_id: string, ids: readonly string[]): Promise<void> {
  const { mapping, guard } = await roleMapping(ctx)
  const giving = await givingGroups(ctx, mapping)
  const changes = (await roleChanges(ctx, ids, giving)).filter(({ event }) => event !== undefined)
  if (changes.length === 0) return
  await ctx.table.commit([
    ...changes.map(({ write }) => write),
    ...guard,
    ...changed(ctx, [
      {
        action: 'group.roles_applied',
        artifact: 'identity.user.updated',
        subject: { type: 'group', id: group_id },
        data: { user_ids: changes.map(({ user }) => user.id), changed_fields: ['group_roles'] },
        events: changes.flatMap(({ event }) => event ?? []),
      },
    ]),
  ])
}
