// The caller as a voter, with their directory groups, and all people who could decide instead. Only people belong to groups, and few
// policies name one.
import type { Context, Space } from '../../../base/context.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import type { Table } from '../../../base/table/table.ts'
import { raisersOf } from '../../../identity/access/raised.ts'
import type { Approval } from '../approval.ts'
import { isDependent, raisersAmong, refusalOf, type Voter } from './rules.ts'
import { freshCustomRoles, permissionsOfUser, raisesOf } from '../../../identity/access/permissions.ts'
import { allRoles, type User, users, usersPartition } from '../../../identity/accounts/user.ts'

const PREFIX = 'group:'

async function withGroups(ctx: Context, reading: Promise<readonly string[]> | []): Promise<Voter> {
  const { kind: type, id, persons, roles } = ctx.principal
  const [groups, raised_by] = await Promise.all([reading, raisersOf(ctx)])
  return { type, id, persons, roles, groups, raised_by }
}

/** For one approval: a consistent read of the groups that the open stage names. */
export async function voterOn(ctx: Context, { stages, stage }: Approval): Promise<Voter> {
  const { space, table, principal } = ctx
  if (principal.kind !== 'user') return withGroups(ctx, [])
  const rows = memberships(table, space, principal.id, stages[stage]?.groups ?? [])
  return withGroups(
    ctx,
    rows.then((all) => all.map(({ group_id }) => group_id)),
  )
}

/** The named directory groups that a person belongs to, each with a check that lets a commit fail when they leave it. */
export async function memberships(table: Table, space: Space, value: string, named: readonly string[]) {
  const groups = new Set(named.filter((group) => group.startsWith(PREFIX)))
  if (groups.size === 0) return []
  const { scimMembers } = await import('../../../identity/scim/groups/stored-group.ts')
  const rows = [...groups].map((group) => ({ ...space, group_id: group.slice(PREFIX.length), value }))
  const found = await table.getAll(scimMembers, rows)
  return found.map((row) => ({ group_id: row.group_id, stays: scimMembers.stays(row, row._v, new ChangedMeanwhile()) }))
}

/** For a list of approvals: all groups, from an index that may be a moment late. */
export async function voterOnAny(ctx: Context): Promise<Voter> {
  const { principal } = ctx
  return withGroups(ctx, principal.kind === 'user' ? groupIdsOf(ctx, principal.id) : [])
}

export async function groupIdsOf({ table, space }: Context, person: string): Promise<string[]> {
  const { userGroupsPartition } = await import('../../../identity/scim/groups/stored-group.ts')
  const keys = await table.keys({ pk: userGroupsPartition(space, person), index: 'gsi1' })
  return keys.map(({ sort }) => sort)
}

const PAGE = 100
/** Only people count as others: a key decides for the person who made it. */
const STRICT = { require_human_approver: true, allow_self_approval: false }

/**
 * The voter, marked as `alone` if they depend on a requester and their vote counts because nobody independent could decide instead
 * (decision 0175). For an independent voter nothing is read.
 */
export async function weighed(ctx: Context, approval: Approval, voter: Voter): Promise<Voter> {
  if (!isDependent(approval, voter)) return voter
  for await (const one of deciders(ctx, approval.stages[approval.stage]?.groups ?? [])) {
    if (couldDecide(approval, one)) return voter
  }
  return { ...voter, alone: true }
}

/** Whether a person may vote on it now, has not done so, and is independent of its requesters. */
export const couldDecide = (approval: Approval, person: Voter): boolean =>
  refusalOf(approval, person, STRICT, 'approve') === undefined

/** All active people who may decide on approvals, with those of the named directory groups that they belong to. */
export async function* deciders(ctx: Context, named: readonly string[]): AsyncGenerator<Voter> {
  const { table, space } = ctx
  const roles = await freshCustomRoles(table, space.tenant_id)
  const mayDecide = (user: User) => user.status === 'active' && permissionsOfUser(user, roles).has('approvals:decide')
  const pk = usersPartition(space.tenant_id)
  for (let after: string | undefined; ;) {
    const page = await table.keys({ pk, index: 'gsi1', after, limit: PAGE })
    const able = (await table.read(users, page)).filter(mayDecide)
    yield* await Promise.all(
      able.map(async (user): Promise<Voter> => {
        const { id } = user
        const groups = (await memberships(table, space, id, named)).map(({ group_id }) => group_id)
        const raised_by = raisesOf(user, roles, ctx.now()).map(({ by }) => by)
        return { type: 'user', id, persons: [id], roles: allRoles(user), groups, raised_by }
      }),
    )
    if (page.length < PAGE) return
    after = page.at(-1)?.sort
  }
}

/** The same for a list of approvals, without groups, so that it may show somebody more than they can decide. */
export async function allDeciders(ctx: Context): Promise<Voter[]> {
  const all: Voter[] = []
  for await (const one of deciders(ctx, [])) all.push(one)
  return all
}

/** For the caller who reads an approval: the requesters on whom they depend, and whether their vote counts all the same. */
export async function dependenceOf(ctx: Context, approval: Approval) {
  if (approval.status !== 'pending' || !ctx.principal.permissions.has('approvals:decide')) return undefined
  const voter = await voterOn(ctx, approval)
  if (!isDependent(approval, voter)) return undefined
  const { alone = false } = await weighed(ctx, approval, voter)
  return { by: raisersAmong(approval, voter), counts: alone }
}
