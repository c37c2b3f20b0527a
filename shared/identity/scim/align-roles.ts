// Brings the roles of many people in line with their groups: after a group got another name, or the setting changed.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { againIfOvertaken } from '../../base/table/again.ts'
import type { TenantSettings } from '../../base/tenant/tenant.ts'
import { membersOf } from './find-groups.ts'
import { givingGroups, roleChanges, roleMapping } from './group-roles.ts'
import { leaveNote, noteOf, removeNote } from './unsettled.ts'

const AT_ONCE = 40

type Mapping = TenantSettings['group_roles']

/** For whoever changes the setting, before the change: should it break off after that, the sweeper still finishes it. */
export async function expectGroupRoles(ctx: Context, was: Mapping, next: Mapping): Promise<void> {
  for (const { id } of await givingGroups(ctx, [...was, ...next])) {
    await againIfOvertaken(async () => ctx.table.commit([leaveNote(ctx, id, await noteOf(ctx, id))]))
  }
}

/** For whoever changes the setting, after the change: everybody in a group that gave or gives something is looked at. */
export async function applyGroupRoles(ctx: Context, was: Mapping, now: Mapping): Promise<void> {
  for (const { id } of await givingGroups(ctx, [...was, ...now])) await settleGroup(ctx, id)
}

/**
 * Gives the members of a group what the setting gives now. May be repeated: who has the right roles already keeps them. The
 * note comes first, since one that is left later is about a change that may not have been seen here.
 */
export async function settleGroup(ctx: Context, id: string): Promise<void> {
  const note = await noteOf(ctx, id)
  const ids = (await membersOf(ctx, id)).map(({ value }) => value)
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    await againIfOvertaken(() => align(ctx, id, ids.slice(from, from + AT_ONCE)))
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
