// Who may still vote: the earlier voters of an approval, and people in the name of somebody who is away. The vote of a person who has
// left, was suspended or lost the permission or group does not count.
import { apiKeys, keyRefs, statusOf } from '../../../identity/access/api-key.ts'
import { permissionsOfScopes } from '../../../base/catalog/permissions.ts'
import { grantNow, makerOf, personNow, personsOf } from '../../../identity/access/permissions.ts'
import type { Context, Space } from '../../../base/context.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import type { Table } from '../../../base/table/table.ts'
import { allRoles, type User, users } from '../../../identity/accounts/user.ts'
import { raisersBehind } from '../../../identity/access/raised.ts'
import {
  covers,
  type Delegation,
  delegations,
  delegationsKey,
  LATEST_END_MS,
  statusAt,
} from '../../delegations/delegation.ts'
import { changesGovernance } from '../../manifests/platform-nodes.ts'
import { mayDecide, pairOf } from '../../delegations/view.ts'
import type { Approval, Vote } from '../approval.ts'
import { counts, groupsOf, type Voter } from './rules.ts'
import { memberships } from './voters.ts'
import { iso } from '../../../base/lib/clock.ts'
import { firstId } from '../../../base/lib/ids.ts'

/**
 * A voter who may still vote, and the checks that let a commit fail when that changes. A `delegation` still has to be proven by
 * its evidence.
 */
export type EligibleVoter = { voter: Voter; stillEligible: Write[]; delegation?: Delegation }

/** The earlier voters who may still vote, by id. Its reads join the other reads of the moment. */
export async function eligibleVoters(
  table: Table,
  space: Space,
  approval: Approval,
): Promise<Map<string, EligibleVoter>> {
  const read = approval.votes
    .filter(counts)
    .map(async (vote) => [vote.by.id, await eligibleVoterOf(table, space, approval, vote)] as const)
  const found = await Promise.all(read)
  return new Map(found.flatMap(([id, eligible]) => (eligible ? [[id, eligible]] : [])))
}

function eligibleVoterOf(
  table: Table,
  space: Space,
  approval: Approval,
  vote: Vote,
): Promise<EligibleVoter | undefined> | undefined {
  if (vote.on_behalf_of !== undefined) return ofDelegate(table, space, approval, vote)
  if (vote.by.type === 'user') return ofPerson(table, space, approval, vote)
  return vote.by.type === 'api_key' ? ofKey(table, space, vote) : undefined
}

async function ofPerson(
  table: Table,
  space: Space,
  approval: Approval,
  { by: { id }, groups }: Vote,
): Promise<EligibleVoter | undefined> {
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
    stillEligible: [userCheck(user), ...rows.map(({ stays }) => stays)],
  }
}

async function ofKey(table: Table, { tenant_id }: Space, { by: { id } }: Vote): Promise<EligibleVoter | undefined> {
  const ref = await table.get(keyRefs, { tenant_id, id })
  const key = ref && (await table.get(apiKeys, ref))
  if (!key || statusOf(key, table.clock.now()) !== 'active') return undefined
  const [maker, raised_by] = await Promise.all([makerOf(table, key), raisersBehind(table, tenant_id, personsOf(key))])
  const scoped = permissionsOfScopes(key.scopes)
  if (!grantNow(key, maker)?.intersection(scoped).has('approvals:decide')) return undefined
  return {
    voter: { type: 'api_key', id, persons: personsOf(key), roles: [], raised_by },
    stillEligible: [apiKeys.stays(key, key._v, new ChangedMeanwhile()), ...(maker ? [userCheck(maker.user)] : [])],
  }
}

/** The voter of a vote in the name of another: with that person's roles and groups, while the delegation lasts. */
async function ofDelegate(table: Table, space: Space, { node_id }: Approval, vote: Vote) {
  const { by, on_behalf_of, delegation_id, groups } = vote
  if (by.type !== 'user' || !on_behalf_of || !delegation_id) return undefined
  const delegation = await table.get(delegations, { ...space, from_user_id: on_behalf_of, id: delegation_id })
  const isFor = delegation?.to_user_id === by.id && covers(delegation, node_id)
  return isFor ? inNameOf(table, space, delegation, groups) : undefined
}

/**
 * The voter in the name of somebody, with those of the named directory groups that they belong to. Undefined unless the
 * delegation is in force and both of its people may decide.
 */
export async function inNameOf(
  table: Table,
  space: Space,
  delegation: Stored<Delegation>,
  named: readonly string[],
): Promise<EligibleVoter | undefined> {
  if (statusAt(delegation, iso(table.clock.now())) !== 'active') return undefined
  const { id: delegation_id, from_user_id: on_behalf_of, to_user_id: id } = delegation
  const [pair, rows] = await Promise.all([
    pairOf(table, space, delegation),
    memberships(table, space, on_behalf_of, named),
  ])
  if (!pair) return undefined
  const { giver, delegate } = pair
  return {
    voter: {
      type: 'user',
      id,
      persons: [id, on_behalf_of],
      roles: allRoles(giver.user),
      groups: rows.map(({ group_id }) => group_id),
      raised_by: [...giver.raised, ...delegate.raised].map(({ by }) => by),
      on_behalf_of,
      delegation_id,
    },
    stillEligible: [
      userCheck(giver.user),
      userCheck(delegate.user),
      delegations.stays(delegation, delegation._v, new ChangedMeanwhile()),
      ...rows.map(({ stays }) => stays),
    ],
    delegation,
  }
}

const userCheck = (user: Stored<User>): Write => users.stays(user, user._v, new ChangedMeanwhile())

/** The ids of people who may vote on an approval because somebody who is away delegated to them. */
export async function delegatesOn(ctx: Context, approval: Approval): Promise<string[]> {
  const { table, space } = ctx
  const { node_id, stages, stage } = approval
  const from = firstId('dlg', ctx.now() - LATEST_END_MS)
  const recent = await table.query(delegations, { pk: delegationsKey(space), index: 'gsi1', from })
  const found = await Promise.all(
    recent.filter((one) => covers(one, node_id)).map((one) => inNameOf(table, space, one, stages[stage]?.groups ?? [])),
  )
  const asked = found.filter((one) => one && groupsOf(approval, one.voter, stage).length > 0)
  return [...new Set(asked.flatMap((one) => one?.voter.id ?? []))]
}
