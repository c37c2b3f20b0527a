// What an update of an action may change, and what it writes. Pure.
import { isStricter, type Kind, type Tier, TIERS } from '../../base/catalog/kinds.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { RoutingRule } from '../../govern/governance/stored-rules.ts'
import type { ActionFacts } from './action-facts.ts'
import type { RoutingUpdate, RuleUpdate } from './update.ts'
import type { EventDraft } from '../../ledger/events/event.ts'

export type Change = Pick<RuleUpdate, 'type' | 'from' | 'to' | 'loosens'>

const isTier = (value: unknown): value is Tier => TIERS.some((tier) => tier === value)

/** Throws 422 for what no update may do. `from` is what holds now. */
export function changeOf(facts: ActionFacts, { type, to }: Pick<RuleUpdate, 'type' | 'to'>): Change {
  const change = type === 'tier_change' ? tierChange(facts, to) : thresholdChange(facts, to)
  if (change.from === change.to) throw invalid(['to'], 'is what holds now.')
  if (change.loosens && !mayLoosen(facts))
    throw invalid(['to'], `would loosen an action of kind ${facts.kind}, which nothing that was learnt may loosen.`)
  return { type, ...change }
}

function tierChange({ current_tier, floor_tier }: ActionFacts, to: unknown): Omit<Change, 'type'> {
  if (!isTier(to)) throw invalid(['to'], `must be one of ${TIERS.join(', ')}.`)
  if (isLooser(to, floor_tier)) throw invalid(['to'], `must not be below ${floor_tier}, the floor of this action.`)
  return { from: current_tier, to, loosens: isLooser(to, current_tier) }
}

function thresholdChange({ raise_below }: ActionFacts, to: unknown): Omit<Change, 'type'> {
  if (typeof to !== 'number' || !(to >= 0 && to <= 1)) throw invalid(['to'], 'must be a number from 0 to 1.')
  return { from: raise_below, to, loosens: to < raise_below }
}

/** The present value of the kind that the update changes. */
export const presentValue = (facts: ActionFacts, type: RuleUpdate['type']): string | number =>
  type === 'tier_change' ? facts.current_tier : facts.raise_below

type Applied = Pick<RuleUpdate, 'id' | 'type' | 'to' | 'valid_until'>

/** The next version of the rule. What the former one says of another kind stays while it counts. */
export function ruleAfter(
  facts: ActionFacts,
  { id, type, to, valid_until }: Applied,
): Omit<RoutingRule, 'tenant_id' | 'mode' | 'artifact_id'> {
  const { node_id, action_id, endpoint_sha256, rule, stored } = facts
  return {
    node_id,
    action_id,
    endpoint_sha256,
    version: (stored?.version ?? 0) + 1,
    base_tier: type === 'tier_change' && isTier(to) ? to : rule?.base_tier,
    raise_below: type === 'threshold_change' && typeof to === 'number' ? to : rule?.raise_below,
    update_id: id,
    valid_until: earliest(valid_until, rule?.valid_until),
  }
}

const earliest = (one: string | undefined, other: string | undefined) =>
  one !== undefined && other !== undefined ? (one < other ? one : other) : (one ?? other)

/** The next version without what an update of this type set: a suspended or lapsed one takes its part out of the rule. */
export function ruleWithout(rule: RoutingRule, type: RuleUpdate['type']): Omit<RoutingRule, 'artifact_id'> {
  const { artifact_id: _, ...said } = rule
  const rest = type === 'tier_change' ? { ...said, base_tier: undefined } : { ...said, raise_below: undefined }
  const isEmpty = rest.base_tier === undefined && rest.raise_below === undefined
  return { ...rest, version: rule.version + 1, valid_until: isEmpty ? undefined : rest.valid_until }
}

/** Kinds that nothing that was learnt loosens. */
const NEVER_LOOSENED: readonly Kind[] = ['execute', 'permission', 'secret_read', 'unknown']
/** Actions of the service itself, which agents must not loosen for themselves. */
const OWN = ['platform.', 'agent.command.']

export const mayLoosen = ({ kind, node_id }: { kind: Kind; node_id: string }): boolean =>
  !NEVER_LOOSENED.includes(kind) && !OWN.some((prefix) => node_id.startsWith(prefix))

export const isLooser = (tier: Tier, than: Tier): boolean => isStricter(than, tier)

/** Reports that the rule of an action has changed. */
export const ruleEvent = ({ id, node_id, action_id }: RoutingUpdate, version: number): EventDraft => ({
  type: 'policy.updated',
  subject: { id: `${node_id}/${action_id}`, version },
  data: {
    policy_id: null,
    name: `Routing of ${node_id}/${action_id}`,
    change: 'routing',
    policy_version: version,
    previous_version: version > 1 ? version - 1 : null,
    node_id: node_id ?? null,
    action_id: action_id ?? null,
    update_id: id,
  },
})

/** Reports that another model is about to take its slot. */
export const slotEvent = ({ id, slot = '' }: RoutingUpdate, version: number): EventDraft => ({
  type: 'policy.updated',
  subject: { id: slot, version },
  data: {
    policy_id: null,
    name: `Model of ${slot}`,
    change: 'routing',
    policy_version: version,
    previous_version: null,
    node_id: null,
    action_id: null,
    update_id: id,
  },
})
