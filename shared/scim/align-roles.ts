// Brings the roles of many people in line with their groups: after a group got another name, or the setting changed.
import { changed } from '../audit/changed.ts'
import type { Context } from '../context.ts'
import type { TenantSettings } from '../tenants/tenant.ts'
import { againIfOvertaken } from './again.ts'
import { membersOf } from './find-groups.ts'
import { type GivingGroup, givingGroups, roleChanges } from './group-roles.ts'

const AT_ONCE = 40

type Mapping = TenantSettings['group_roles']

/** For whoever changes the setting, after the change: everybody in a group that gave or gives something is looked at. */
export async function applyGroupRoles(ctx: Context, was: Mapping, now: Mapping): Promise<void> {
  const groups = await givingGroups(ctx, [...was, ...now])
  await alignRoles(
    ctx,
    now,
    groups.map(({ id }) => id),
  )
}

/** Changes nothing for those who have the right roles already, so it may be repeated. */
export async function alignRoles(ctx: Context, mapping: Mapping, groupIds: readonly string[]): Promise<void> {
  const giving = await givingGroups(ctx, mapping)
  for (const id of groupIds) {
    const ids = (await membersOf(ctx, id)).map(({ value }) => value)
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      await againIfOvertaken(() => align(ctx, id, ids.slice(from, from + AT_ONCE), giving))
    }
  }
}

async function align(ctx: Context, group_id: string, ids: readonly string[], giving: GivingGroup[]): Promise<void> {
  const changes = (await roleChanges(ctx, ids, giving)).filter(({ event }) => event !== undefined)
  if (changes.length === 0) return
  await ctx.table.commit([
    ...changes.map(({ write }) => write),
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
