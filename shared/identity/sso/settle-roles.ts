// Takes roles away that a changed or deleted configuration no longer gives to anybody. People who do not sign in again, and
// the keys that they made, would keep them otherwise. A note makes the sweeper do it once more: it finishes interrupted work,
// and finds accounts that the index did not show yet.
import * as z from 'zod'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged, unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { userUpdated } from '../accounts/find.ts'
import { type User, users, usersPartition } from '../accounts/user.ts'
import { configurationRaced, type SsoConfiguration, ssoConfigurations } from './settings/configuration.ts'
import { rolesStillGiven } from './roles.ts'

const WAIT_MS = 60_000
const PAGE = 100
const AT_ONCE = 40

const notes = entity({
  name: 'SSOROLES',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string(), due_at: z.string() }),
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }), sk: 'SSOROLES' }),
  index: ({ due_at, tenant_id }) => dueAt(due_at, tenant_id),
})

/** The write of a note, for the commit that changes the configuration. `was`: the configuration before. */
export async function settleLater(ctx: Context, was: SsoConfiguration | undefined): Promise<Write[]> {
  if (was?.group_attribute === undefined) return []
  const note = { tenant_id: ctx.space.tenant_id, due_at: iso(ctx.now() + WAIT_MS) }
  const found = await noteOf(ctx)
  return [found ? notes.replace(note, found, configurationRaced()) : notes.insert(note, configurationRaced())]
}

/** Safe to repeat. Does nothing without a note. */
export async function settleRoles(ctx: Context): Promise<void> {
  if (await noteOf(ctx)) await settle(ctx)
}

/** For the sweeper. The note is read first: one that is left later comes from a later change. */
export async function finishSettling(ctx: Context): Promise<void> {
  const note = await noteOf(ctx)
  if (!note) return
  await settle(ctx)
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': note._v } }
  await unlessChangedMeanwhile(ctx.table.commit([notes.remove(note, isSame)]))
}

const noteOf = ({ table, space }: Context) => table.get(notes, { tenant_id: space.tenant_id })

async function settle(ctx: Context): Promise<void> {
  const { table, space } = ctx
  const { tenant_id } = space
  const sso = await table.get(ssoConfigurations, { tenant_id })
  const pk = usersPartition(tenant_id)
  for (let after: string | undefined; ;) {
    const page = await table.keys({ pk, index: 'gsi1', after, limit: PAGE })
    const concerned = (await table.read(users, page)).filter((user) => loses(user, sso))
    for (let from = 0; from < concerned.length; from += AT_ONCE) {
      const ids = concerned.slice(from, from + AT_ONCE).map(({ id }) => ({ tenant_id, id }))
      await retryWhenChanged(async () => takeAway(ctx, await table.getAll(users, ids), sso))
    }
    if (page.length < PAGE) return
    after = page.at(-1)?.sort
  }
}

const loses = ({ sso_roles }: User, sso: SsoConfiguration | undefined): boolean =>
  rolesStillGiven(sso, sso_roles).length < sso_roles.length

async function takeAway(
  ctx: Context,
  people: readonly Stored<User>[],
  sso: SsoConfiguration | undefined,
): Promise<void> {
  const changes = people
    .filter((user) => loses(user, sso))
    .map((was) => ({
      was,
      next: { ...was, sso_roles: rolesStillGiven(sso, was.sso_roles), updated_at: iso(ctx.now()) },
    }))
  if (changes.length === 0) return
  await ctx.table.commit([
    ...changes.map(({ was, next }) => users.replace(next, was, new ChangedMeanwhile())),
    ...changed(ctx, [
      {
        action: 'sso.roles_ended',
        artifact: 'identity.user.updated',
        subject: { type: 'sso', id: ctx.space.tenant_id },
        data: { user_ids: changes.map(({ was }) => was.id), changed_fields: ['sso_roles'] },
        events: changes.map(({ was, next }) => userUpdated(next, was._v + 1, ['sso_roles'], 'sso')),
      },
    ]),
  ])
}
