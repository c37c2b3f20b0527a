// What the engine knows of an action before any payload: the tier that it starts at, its floor, and the rule in force.
import type { Context } from '../../base/context.ts'
import { KINDS, type Kind, maxTier, type Tier } from '../../base/catalog/kinds.ts'
import { activeGovernance } from '../../govern/governance/governance.ts'
import { classifyAction } from '../../govern/executions/payload.ts'
import { scopeMatches } from '../../govern/governance/conditions/glob.ts'
import type { Policy } from '../../govern/governance/policy.ts'
import { isProvenRule } from '../../govern/governance/proven-rule.ts'
import { isCurrent, type RoutingRule, routingRules } from '../../govern/governance/stored-rules.ts'
import { endpointHash } from '../../govern/manifests/node.ts'
import { findAction, type LoadedAction } from '../../govern/manifests/load.ts'
import type { Stored } from '../../base/table/entity.ts'

export type ActionFacts = {
  node_id: string
  action_id: string
  endpoint_sha256: string
  kind: Kind
  /** Without a rule. */
  base_tier: Tier
  /** The tier with the rule in force. */
  current_tier: Tier
  /** The strictest of class floor, floors of the manifest and policies that hold for every request. */
  floor_tier: Tier
  /** The manifest names an action that undoes it, and does not call it irreversible. */
  reversible: boolean
  /** The threshold of the slot's model for this action. */
  raise_below: number
  /** The stored rule, in force or not. */
  stored: Stored<RoutingRule> | undefined
  /** The rule that decisions follow. */
  rule: RoutingRule | undefined
}

/** Undefined when the latest version of the node has no such action. */
export async function actionFacts(
  ctx: Context,
  { node_id, action_id }: { node_id: string; action_id: string },
): Promise<ActionFacts | undefined> {
  const [action, governance, stored] = await Promise.all([
    findAction(ctx.table, ctx.space, node_id, action_id),
    activeGovernance(ctx.table, ctx.space),
    ctx.table.get(routingRules, { ...ctx.space, node_id, action_id }),
  ])
  if (!action) return undefined
  const { kind, base, floor } = await classifyAction(action, null, governance)
  const endpoint_sha256 = endpointHash(action.endpoint)
  const counts = stored && isCurrent(stored, { endpoint_sha256, at: ctx.now() }) && (await isProvenRule(ctx, stored))
  const rule = counts ? stored : undefined
  const policies = governance.set.policies.map(({ policy }) => policy)
  const floor_tier = maxTier(
    KINDS[kind].classFloor,
    floor,
    ...policies.map((policy) => floorBy(policy, { kind, action })),
  )
  const { undo_action_id, annotations } = action.endpoint
  return {
    node_id,
    action_id,
    endpoint_sha256,
    kind,
    base_tier: base,
    // A rule that does not hold still tightens.
    current_tier: maxTier(rule?.base_tier ?? maxTier(base, stored?.base_tier), floor_tier),
    floor_tier,
    reversible: undo_action_id !== undefined && annotations?.irreversible !== true,
    raise_below: rule?.raise_below ?? governance.settings.raise_below,
    stored,
    rule,
  }
}

/** The tier that a policy without a condition sets. One with a condition is evaluated at every request. */
function floorBy(policy: Policy, { kind, action }: { kind: Kind; action: LoadedAction }): Tier {
  const { scope, effect, mode, when, unless } = policy
  const { node, endpoint, listing_tier } = action
  const isAlways =
    mode === 'enforce' &&
    when === undefined &&
    unless === undefined &&
    scope.agents.length === 0 &&
    scopeMatches(scope.node_ids, node.id) &&
    scopeMatches(scope.categories, node.category) &&
    scopeMatches(scope.action_ids, endpoint.action_id) &&
    scopeMatches(scope.action_kinds, kind) &&
    scopeMatches(scope.listing_tiers, listing_tier)
  if (!isAlways) return 'AUTO'
  if (effect === 'require_approval') return 'HARD'
  return effect === 'min_tier' ? (policy.tier ?? 'HARD') : 'AUTO'
}
