// Applies an approved routing update: from then on decisions follow its rule, or its model takes its slot. What was approved is read
// from the evidence, since rows of the table could be rewritten.
import type { Context } from '../../base/context.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { approvedPayload } from '../../govern/approvals/proven.ts'
import { ROUTING_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { mustHaveSteppedUp } from '../../identity/access/assurance.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { mustBeAnother } from './update-effect.ts'
import {
  isOfRule,
  moveUpdate,
  type RoutingUpdate,
  routingUpdates,
  type RuleUpdate,
  saysTheSame,
  targetOf,
  updateTargets,
} from './update.ts'
import { type RoutingRule, routingRules } from '../../govern/governance/stored-rules.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { type ActionFacts, actionFacts } from './action-facts.ts'
import { isLooser, mayLoosen, presentValue, ruleAfter, ruleEvent, slotEvent } from './rules.ts'
import { deployUnder, freeSlotFor } from '../models/move-model.ts'
import { findModel } from '../models/model.ts'

const UPDATE_ID = idPattern('rtu')

export async function findUpdate({ table, space }: Context, id: string): Promise<Stored<RoutingUpdate>> {
  const found = UPDATE_ID.test(id) ? await table.get(routingUpdates, { ...space, id }) : undefined
  if (!found) throw notFound('routing update')
  return found
}

/**
 * Puts the update into effect, ends the one that it replaces, and records both in one transaction. Throws 403 for a person who
 * proposed it and without a fresh second factor, 409 for one that is not approved, that came too late, or whose action or present
 * value has changed since. The change comes from the stored update, which must equal the approved payload of the chain; the
 * caller gives only its id. A second caller finds it `applied` and gets the 409.
 */
export async function applyUpdate(ctx: Context, id: string): Promise<RoutingUpdate> {
  await mustHaveSteppedUp(ctx)
  return retryWhenChanged(() => apply(ctx, id))
}

async function apply(ctx: Context, id: string): Promise<RoutingUpdate> {
  const was = await findUpdate(ctx, id)
  mustBeAnother(ctx, was)
  if (was.status !== 'approved') throw conflict(`The update is ${was.status}. Only an approved one can be applied.`)
  if (was.expires_at !== undefined && ctx.now() >= Date.parse(was.expires_at))
    throw conflict('The approval was given too long ago. Propose the update again.')
  const approval_id = await mustBeApproved(ctx, was)
  const effect = isOfRule(was) ? await ruleEffect(ctx, was) : await slotEffect(ctx, was, approval_id)
  return commitApplied(ctx, was, effect)
}

/** The chain holds the request with exactly this change, and its approval, whose id it answers. */
async function mustBeApproved(ctx: Context, update: RoutingUpdate): Promise<string> {
  const approved = await approvedPayload(ctx, update.execution_id)
  if (approved?.node_id === ROUTING_NODE_ID && saysTheSame(update, approved.payload)) return approved.approval_id
  alarm('routing_update_without_evidence', 'the table states what the chain does not prove', { id: update.id })
  throw conflict('The evidence does not show that this update was approved. Propose it again.')
}

async function commitApplied(ctx: Context, was: Stored<RoutingUpdate>, effect: UpdateEffect): Promise<RoutingUpdate> {
  const { kind: type, id: by } = ctx.principal
  const change = { ...effect.change, applied_at: iso(ctx.now()), applied_by: { type, id: by } }
  const { item: update, write, transition } = moveUpdate(ctx, was, 'applied', change, effect)
  const { artifact_id, header } = transition.artifact
  await ctx.table.commit(
    [
      write,
      ...effect.writes(artifact_id),
      ...(await movedTarget(ctx, update)),
      ...changed(ctx, [
        {
          action: 'routing_update.applied',
          artifact: 'routing.update.changed',
          artifact_id,
          subject: { type: 'routing_update', id: update.id },
          of: given({ node_id: update.node_id, action_id: update.action_id }),
          data: JSON.parse(header).data,
          changes: [{ path: update.type, before: update.from, after: update.to }],
          events: [effect.event(update)],
        },
      ]),
    ],
    update.id,
  )
  return update
}

/** The update in force before is superseded, or reverted by one that swaps its values. */
async function movedTarget(ctx: Context, update: RoutingUpdate): Promise<Write[]> {
  const { table, space } = ctx
  const target = targetOf(update)
  const was = await table.get(updateTargets, { ...space, target })
  if (was?.open !== update.id) throw conflict('Another update of the same target has taken its place.')
  const former = was.applied && (await table.get(routingUpdates, { ...space, id: was.applied }))
  const next = updateTargets.replace({ ...was, open: undefined, applied: update.id }, was, new ChangedMeanwhile())
  if (!former || former.status !== 'applied') return [next]
  const isReverted = former.from === update.to && former.to === update.from
  const { write, transition } = moveUpdate(ctx, former, isReverted ? 'reverted' : 'superseded', {
    superseded_by: update.id,
  })
  return [next, write, ...commitWith(ctx, [transition])]
}

/** A rule that loosens ends by itself, so that it is proposed again from the decisions of that time. */
const LOOSENS_MS = 180 * DAY_MS

type UpdateEffect = {
  change: Partial<RoutingUpdate>
  rule?: Omit<RoutingRule, 'artifact_id'>
  /** They name the artifact of the application. */
  writes: (artifact_id: string) => Write[]
  event: (update: RoutingUpdate) => EventDraft
}

/** The next version of the action's rule. Throws 409 when the action or its present value has changed since. */
async function ruleEffect(ctx: Context, was: RuleUpdate): Promise<UpdateEffect> {
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
      return [
        stored
          ? routingRules.replace(next, stored, new ChangedMeanwhile())
          : routingRules.insert(next, new ChangedMeanwhile()),
      ]
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

/**
 * The model of the update is loaded, tested and deployed, under the approval of the update. Throws 409 when another model is in
 * the slot by now, or the model's file is another.
 */
async function slotEffect(ctx: Context, was: RoutingUpdate, approval_id: string): Promise<UpdateEffect> {
  const { execution_id } = was
  const model = await findModel(ctx, String(was.to))
  const slot = await freeSlotFor(ctx, model)
  const isThat = model.name === was.slot && model.artifact.sha256 === was.model_sha256
  if (!isThat || (slot.deployed ?? null) !== was.from)
    throw conflict('What the update changes has changed since it was proposed. Propose it again.')
  return {
    change: {},
    writes: () => deployUnder(ctx, { was: model, slot, execution_id, approval_id }),
    event: (update) => slotEvent(update, model.model_version),
  }
}
