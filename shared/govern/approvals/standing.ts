// Whether earlier voters could still vote. The vote of somebody who has left, was suspended or lost the permission or group
// does not count.
import { apiKeys, keyRefs, statusOf } from '../../identity/access/api-key.ts'
import { permissionsOfScopes } from '../../base/catalog/permissions.ts'
import { personsOf } from '../../identity/access/seen-by.ts'
import type { Space } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { allRoles } from '../../identity/accounts/all-roles.ts'
import { grantNow, makerOf } from '../../identity/access/grant-now.ts'
import { raisersBehind } from '../../identity/access/raised.ts'
import { personNow } from '../../identity/access/permissions-now.ts'
import type { Delegation } from '../delegations/delegation.ts'
import { changesGovernance } from '../manifests/platform-nodes.ts'
import { mayDecide } from '../delegations/people.ts'
import type { Approval, Vote } from './approval.ts'
import { ofDelegate, userCheck } from './in-name-of.ts'
import { counts, type Voter } from './rules.ts'
import { memberships } from './voter.ts'

/**
 * A voter who may still vote, and the checks that let a commit fail when that changes. A `delegation` still has to be proven by
 * its evidence.
 */
export type Standing = { voter: Voter; stays: Write[]; delegation?: Delegation }

/** The voters who may still vote, by id. Read in one batch with the other reads of the moment. */
export async function standings(table: Table, space: Space, approval: Approval): Promise<Map<string, Standing>> {
  const read = approval.votes
    .filter(counts)
    .map(async (vote) => [vote.by.id, await standingOf(table, space, approval, vote)] as const)
  const found = await Promise.all(read)
  return new Map(found.flatMap(([id, standing]) => (standing ? [[id, standing]] : [])))
}

function standingOf(
  table: Table,
  space: Space,
  approval: Approval,
  vote: Vote,
): Promise<Standing | undefined> | undefined {
  if (vote.on_behalf_of !== undefined) return ofDelegate(table, space, approval, vote)
  if (vote.by.type === 'user') return ofPerson(table, space, approval, vote)
  return vote.by.type === 'api_key' ? ofKey(table, space, vote) : undefined
}

async function ofPerson(
  table: Table,
  space: Space,
  approval: Approval,
  { by: { id }, groups }: Vote,
): Promise<Standing | undefined> {
  const of = { tenant_id: space.tenant_id, id }
  const [person, rows] = await Promise.all([personNow(table, of), memberships(table, space, id, groups)])
  if (!mayDecide(person) || (changesGovernance(approval) && !person.permissions.has('policies:write'))) return undefined
  const { user, raised } = person
  return {
    voter: {
      type: 'user',
      id,
      persons: [id],
      roles: allRoles(user),
      groups: rows.map(({ group_id }) => group_id),
      raised_by: raised.map(({ by }) => by),
    },
    stays: [userCheck(user), ...rows.map(({ stays }) => stays)],
  }
}

async function ofKey(table: Table, { tenant_id }: Space, { by: { id } }: Vote): Promise<Standing | undefined> {
  const ref = await table.get(keyRefs, { tenant_id, id })
  const key = ref && (await table.get(apiKeys, ref))
  if (!key || statusOf(key, table.clock.now()) !== 'active') return undefined
  const [maker, raised_by] = await Promise.all([makerOf(table, key), raisersBehind(table, tenant_id, personsOf(key))])
  const scoped = permissionsOfScopes(key.scopes)
  if (!grantNow(key, maker)?.intersection(scoped).has('approvals:decide')) return undefined
  return {
    voter: { type: 'api_key', id, persons: personsOf(key), roles: [], raised_by },
    stays: [apiKeys.stays(key, key._v, new Overtaken()), ...(maker ? [userCheck(maker.user)] : [])],
  }
}
