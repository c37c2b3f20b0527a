// One change of a routing update as parts of a commit: the item and its artifact.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { RoutingRule } from '../../govern/governance/routing-rule.ts'
import { ruleDigest } from '../../govern/governance/routing-rule.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import { UPDATE_STATES, type UpdateStatus } from './states.ts'
import { type RoutingUpdate, routingUpdates } from './update.ts'

export type UpdateParts = { update: RoutingUpdate; write: Write; transition: Transition }
/** `rule`: what the action's rule says after the change; its artifact is the one of this change. */
type With = { rule?: Omit<RoutingRule, 'artifact_id'>; events?: readonly EventDraft[] }

/** Throws 409 for a move that the table of states does not have. */
export function moveUpdate(
  ctx: Context,
  was: Stored<RoutingUpdate>,
  to: UpdateStatus,
  change: Partial<RoutingUpdate> = {},
  more: With = {},
): UpdateParts {
  mustAllowMove(UPDATE_STATES, was.status, to)
  return updateParts(ctx, { ...was, ...change, status: to }, { was, ...more })
}

/** Without `was` it is a new one. */
export function updateParts(
  ctx: Context,
  next: Omit<RoutingUpdate, 'updated_at' | 'artifact_id'>,
  { was, rule, events = [] }: With & { was?: Stored<RoutingUpdate> } = {},
): UpdateParts {
  const artifact = newArtifact(ctx, {
    type: 'routing.update.changed',
    subject: { type: 'routing_update', id: next.id },
    node_id: next.node_id,
    action_id: next.action_id,
    data: factsOf(next, was, rule),
  })
  const update: RoutingUpdate = { ...next, updated_at: iso(ctx.now()), artifact_id: artifact.artifact_id }
  const write = was ? routingUpdates.replace(update, was, new Overtaken()) : routingUpdates.insert(update)
  return { update, write, transition: { artifact, events } }
}

function factsOf(
  next: Omit<RoutingUpdate, 'updated_at' | 'artifact_id'>,
  was: RoutingUpdate | undefined,
  rule: With['rule'],
) {
  return {
    from: was?.status ?? null,
    to: next.status,
    update_type: next.type,
    value_from: next.from,
    value_to: next.to,
    loosens: next.loosens,
    execution_id: next.execution_id,
    source: next.source,
    ...(next.slot !== undefined && { slot: next.slot }),
    ...(next.endpoint_sha256 !== undefined && { endpoint_sha256: next.endpoint_sha256 }),
    ...(next.model_sha256 !== undefined && { model_sha256: next.model_sha256 }),
    ...(next.ended_because !== undefined && { reason: next.ended_because }),
    ...(rule && { rule_version: rule.version, rule_sha256: ruleDigest({ ...rule, artifact_id: '' }) }),
  }
}
