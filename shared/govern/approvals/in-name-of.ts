// Votes in the name of somebody who is away: with that person's roles and groups, as long as the delegation holds.
import type { Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Table } from '../../base/table/table.ts'
import { allRoles } from '../../identity/accounts/all-roles.ts'
import { type User, users } from '../../identity/accounts/user.ts'
import { type Delegation, delegations } from '../delegations/delegation.ts'
import { pairOf } from '../delegations/people.ts'
import { covers, statusAt } from '../delegations/rules.ts'
import type { Approval, Vote } from './approval.ts'
import type { Standing } from './standing.ts'
import { memberships } from './voter.ts'

/** For the vote that somebody gave in the name of another. */
export async function ofDelegate(table: Table, space: Space, { node_id }: Approval, vote: Vote) {
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
): Promise<Standing | undefined> {
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
    stays: [
      userCheck(giver.user),
      userCheck(delegate.user),
      delegations.stays(delegation, delegation._v, new Overtaken()),
      ...rows.map(({ stays }) => stays),
    ],
    delegation,
  }
}

export const userCheck = (user: Stored<User>): Write => users.stays(user, user._v, new Overtaken())
