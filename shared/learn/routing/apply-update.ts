// Applies an approved routing update: from then on decisions follow its rule, or its model takes its slot. What was approved is read
// from the evidence, since the table alone could be made to say anything.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { approvedPayload } from '../../govern/approvals/proven.ts'
import { ROUTING_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { mustHaveSteppedUp } from '../../identity/access/assurance.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { ruleEffect, type UpdateEffect } from './rule-effect.ts'
import { slotEffect } from './slot-effect.ts'
import { mustBeAnother } from './update-effect.ts'
import { saysTheSame } from './update-payload.ts'
import { isOfRule, moveUpdate, type RoutingUpdate, routingUpdates, targetOf, updateTargets } from './update.ts'

const UPDATE_ID = idPattern('rtu')

export async function findUpdate({ table, space }: Context, id: string): Promise<Stored<RoutingUpdate>> {
  const found = UPDATE_ID.test(id) ? await table.get(routingUpdates, { ...space, id }) : undefined
  if (!found) throw notFound('routing update')
  return found
}

/** Throws 409 for one that is not approved, that came too late, or whose action or present value has changed since. */
export async function applyUpdate(ctx: Context, id: string): Promise<RoutingUpdate> {
  await mustHaveSteppedUp(ctx)
  return retryWhenOvertaken(() => apply(ctx, id))
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
  const next = updateTargets.replace({ ...was, open: undefined, applied: update.id }, was, new Overtaken())
  if (!former || former.status !== 'applied') return [next]
  const isReverted = former.from === update.to && former.to === update.from
  const { write, transition } = moveUpdate(ctx, former, isReverted ? 'reverted' : 'superseded', {
    superseded_by: update.id,
  })
  return [next, write, ...recorded(ctx, [transition])]
}
