// What is registered, and what rules and people stand behind it.
import type { ActionFact, FactAsk, NodeFact, PolicyFact } from '../../base/ports/facts.ts'
import type { Context } from '../../base/context.ts'
import { ID } from '../../base/wire/fields.ts'
import { findUserByEmail } from '../../identity/accounts/find.ts'
import { users } from '../../identity/accounts/user.ts'
import { idsByKey } from '../../identity/scim/users/find-users.ts'
import { groupsOf } from '../../identity/scim/groups/stored-group.ts'
import { activeGovernance } from '../governance/governance.ts'
import { scopeMatches } from '../governance/conditions/glob.ts'
import { knownOf } from '../governance/words/opinions.ts'
import type { Policy } from '../governance/policy.ts'
import { ofLatestNodes } from '../manifests/view.ts'
import { allPolicies } from './policy-change.ts'

export async function policies({ ctx }: FactAsk): Promise<PolicyFact[]> {
  const all = await allPolicies(ctx)
  return all.filter(({ enabled }) => enabled).map(({ policy_id: id, updated_at }) => ({ id, updated_at }))
}

export async function actions({ ctx }: FactAsk): Promise<ActionFact[]> {
  const { set, lexicon } = await activeGovernance(ctx.table, ctx.space)
  const inForce = set.policies.map(({ policy }) => policy).filter(({ mode }) => mode === 'enforce')
  const found = await ofLatestNodes(ctx, async ({ node, stored: { trusted } }) =>
    node.endpoints.map((endpoint) => {
      const { kind } = knownOf({ node, endpoint, kindIsVouched: trusted, lexicon }).opinions
      const named = { node: node.id, category: node.category, action: endpoint.action_id, kind }
      return {
        id: `${node.id}/${endpoint.action_id}`,
        recognised: kind !== 'unknown',
        governed: inForce.some((policy) => names(policy, named)),
        target: endpoint.target?.type === 'http' ? endpoint.target.url : undefined,
      }
    }),
  )
  return found.flat()
}

export type Named = { node: string; category: string | undefined; action: string; kind: string }

/**
 * Whether the scope of a policy names an action. A list that matches everything names nothing, and what binds some agents or
 * listings leaves the others free.
 */
export function names({ scope }: Policy, { node, category, action, kind }: Named): boolean {
  const lists = [
    [scope.node_ids, node],
    [scope.categories, category],
    [scope.action_ids, action],
    [scope.action_kinds, kind],
  ] as const
  const bindsAll = scope.agents.length === 0 && scope.listing_tiers.length === 0
  const isNaming = lists.some(([globs]) => globs.length > 0 && !globs.some((glob) => /^\**$/.test(glob)))
  return bindsAll && isNaming && lists.every(([globs, text]) => scopeMatches(globs, text))
}

export const nodes = ({ ctx }: FactAsk): Promise<NodeFact[]> =>
  ofLatestNodes(ctx, async ({ node: { id, owner } }) => ({ id, has_owner: await isThere(ctx, owner) }))

/** By the address or id of an active user, or the name or id of a group, without regard to case. */
async function isThere(ctx: Context, owner: string | undefined): Promise<boolean> {
  if (owner === undefined) return false
  const { table, space } = ctx
  const id = owner.toLowerCase()
  const [byEmail, byId, named] = await Promise.all([
    findUserByEmail(ctx, owner),
    ID.test(id) ? table.get(users, { tenant_id: space.tenant_id, id }) : undefined,
    idsByKey(ctx, 'displayName', owner),
  ])
  if (byEmail?.status === 'active' || byId?.status === 'active') return true
  return (await groupsOf(ctx, [id, ...named])).length > 0
}
