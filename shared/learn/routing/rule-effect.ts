// What an update of an action puts into effect: the next version of the action's rule.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { type RoutingRule, routingRules } from '../../govern/governance/stored-rules.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { type ActionFacts, actionFacts } from './action-facts.ts'
import { isLooser, mayLoosen } from './loosening.ts'
import { ruleEvent } from './rule-event.ts'
import { presentValue, ruleAfter } from './rules.ts'
import type { RoutingUpdate, RuleUpdate } from './update.ts'

/** A rule that loosens ends by itself, so that it is proposed again from what is seen by then. */
const LOOSENS_MS = 180 * DAY_MS

export type UpdateEffect = {
  change: Partial<RoutingUpdate>
  rule?: Omit<RoutingRule, 'artifact_id'>
  /** They name the artifact of the application. */
  writes: (artifact_id: string) => Write[]
  event: (update: RoutingUpdate) => EventDraft
}

/** Throws 409 when the action or its present value has changed since. */
export async function ruleEffect(ctx: Context, was: RuleUpdate): Promise<UpdateEffect> {
  const { node_id = '', action_id = '' } = was
  const facts = mustStillFit(await actionFacts(ctx, { node_id, action_id }), was)
  const valid_until = was.loosens ? iso(ctx.now() + LOOSENS_MS) : undefined
  const rule = { ...ctx.space, ...ruleAfter(facts, { ...was, valid_until }) }
  const { stored } = facts
  return {
    change: { valid_until, rule_version: rule.version },
    rule,
    writes: (artifact_id) => {
      const next = { ...rule, artifact_id }
      return [stored ? routingRules.replace(next, stored, new Overtaken()) : routingRules.insert(next, new Overtaken())]
    },
    event: (update) => ruleEvent(update, rule.version),
  }
}

function mustStillFit(facts: ActionFacts | undefined, update: RuleUpdate): ActionFacts {
  if (!facts || facts.endpoint_sha256 !== update.endpoint_sha256)
    throw conflict('The action has changed since the update was proposed. Propose it again.')
  if (presentValue(facts, update.type) !== update.from)
    throw conflict('What the update changes has changed since it was proposed. Propose it again.')
  const isBelow = update.type === 'tier_change' && isLooser(update.to as ActionFacts['floor_tier'], facts.floor_tier)
  if (isBelow || (update.loosens && !mayLoosen(facts)))
    throw conflict(`The floor of this action is ${facts.floor_tier} by now. Propose the update again.`)
  return facts
}
