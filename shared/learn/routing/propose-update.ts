// Proposes a routing update: an execution of the service's own node, which people approve like any other action that is HARD.
import * as z from 'zod'
import { TIERS } from '../../base/catalog/kinds.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden, invalid, notFound } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { id as anId, optional, plainText } from '../../base/wire/fields.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { NODE_ID } from '../../govern/manifests/node.ts'
import { ROUTING_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { requestOwn } from '../../govern/protocol/request-platform-action.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { findModel, SLOT } from '../models/model.ts'
import {
  beginUpdate,
  type Grounds,
  payloadOf,
  type RoutingUpdate,
  targetOf,
  updateIdOf,
  type UpdateTarget,
  updateTargets,
} from './update.ts'
import { freeSlotFor } from '../models/move-model.ts'
import { actionFacts } from './action-facts.ts'
import { changeOf } from './rules.ts'

const why = {
  rationale: plainText(2_000).describe('Why, in words for those who decide on it.'),
  snapshot_id: optional(plainText(64)).describe('The snapshot that it refers to.'),
}
const action = {
  node_id: z.string().regex(NODE_ID, 'must match namespace.category.name').describe('Id of the node.'),
  action_id: plainText(128).describe('Id of the action in its manifest.'),
  ...why,
}
const SlotName = z.string().regex(SLOT, 'must be lower case letters, digits and hyphens, 63 at most')

export const ProposeBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z
      .literal('tier_change')
      .describe('What it changes: the tier that an action starts at, or below which probability its model raises it.'),
    to: z.enum(TIERS).describe('The tier, or the threshold from 0 to 1.'),
    ...action,
  }),
  z.strictObject({
    type: z
      .literal('threshold_change')
      .describe('What it changes: the tier that an action starts at, or below which probability its model raises it.'),
    to: z.number().min(0).max(1).describe('The tier, or the threshold from 0 to 1.'),
    ...action,
  }),
  z.strictObject({
    type: z
      .literal('model_change')
      .describe('What it changes: the tier that an action starts at, or below which probability its model raises it.'),
    slot: SlotName.describe('The slot of a model.'),
    to: anId.describe('The tier, or the threshold from 0 to 1.'),
    ...why,
  }),
])
export type ProposeBody = z.output<typeof ProposeBody>

type Without<T> = T extends unknown ? Omit<T, 'snapshot_id'> : never
export type Proposal = Without<ProposeBody> & { evidence?: Grounds | undefined; source: RoutingUpdate['source'] }

/**
 * Stores the update with the execution that people approve, in one transaction; nothing changes before they have approved it and
 * somebody has applied it. Throws 409 while another update of the same target waits, 404 for an unknown action or model, 422 for
 * a change that no update may make, 403 where a policy forbids it. The value that it replaces and whether it loosens are read
 * here, never taken from the caller. Of two proposals for a target at once, one gets the 409.
 */
export const proposeUpdate = (ctx: Context, proposal: Proposal): Promise<RoutingUpdate> =>
  retryWhenChanged(() => propose(ctx, proposal))

async function propose(ctx: Context, proposal: Proposal): Promise<RoutingUpdate> {
  const said = await saidBy(ctx, proposal)
  const target = await freeTarget(ctx, targetOf(said))
  const { rationale } = await storedTexts(ctx, { rationale: proposal.rationale })
  const { kind: type, id, persons } = ctx.principal
  const holder: { update?: RoutingUpdate } = {}
  const { execution } = await requestOwn(
    ctx,
    { node_id: ROUTING_NODE_ID, action_id: 'apply_update', payload: payloadOf({ ...said, rationale }), asked: {} },
    (execution_id, decision) => {
      if (decision.rejection) return []
      const {
        item: update,
        write,
        transition,
      } = beginUpdate(ctx, {
        ...ctx.space,
        id: updateIdOf(execution_id),
        ...said,
        rationale,
        evidence: proposal.evidence,
        source: proposal.source,
        proposed_by: { type, id },
        persons: [...persons],
        status: 'proposed',
        execution_id,
        created_at: iso(ctx.now()),
      })
      holder.update = update
      return [write, target.open(update.id), ...commitWith(ctx, [transition])]
    },
  )
  if (!holder.update) throw forbidden(`A policy forbids it: ${execution.rejection?.detail ?? 'no reason given'}.`)
  return holder.update
}

async function freeTarget({ table, space }: Context, target: string) {
  const was: Stored<UpdateTarget> | undefined = await table.get(updateTargets, { ...space, target })
  if (was?.open !== undefined)
    throw conflict(`The update ${was.open} of the same target waits already. Decide on it first.`)
  const open = (id: string): Write => {
    const next = { ...space, target, applied: was?.applied, open: id }
    return was
      ? updateTargets.replace(next, was, new ChangedMeanwhile())
      : updateTargets.insert(next, new ChangedMeanwhile())
  }
  return { open }
}

// The content of a proposal, checked against the action or the slot as it is now.

type Said = Pick<
  RoutingUpdate,
  'type' | 'node_id' | 'action_id' | 'endpoint_sha256' | 'slot' | 'model_sha256' | 'from' | 'to' | 'loosens'
>
type Asked = ProposeBody extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'snapshot_id' | 'rationale'>
    : never
  : never

/** Throws 404 for an unknown action or model, 422 for what no update may do, 409 for a model that cannot take its slot now. */
const saidBy = (ctx: Context, asked: Asked): Promise<Said> =>
  asked.type === 'model_change' ? ofSlot(ctx, asked) : ofAction(ctx, asked)

async function ofAction(ctx: Context, asked: Exclude<Asked, { type: 'model_change' }>): Promise<Said> {
  const facts = await actionFacts(ctx, asked)
  if (!facts) throw notFound('action')
  const { node_id, action_id, endpoint_sha256 } = facts
  return { ...changeOf(facts, asked), node_id, action_id, endpoint_sha256 }
}

/** It loosens nothing for good: no model lowers a tier. */
async function ofSlot(ctx: Context, { type, slot, to }: Extract<Asked, { type: 'model_change' }>): Promise<Said> {
  const model = await findModel(ctx, to)
  if (model.name !== slot) throw invalid(['to'], `is a model of the slot ${model.name}.`)
  if (model.quality_gate !== 'passed')
    throw conflict(`The quality gate of this model is ${model.quality_gate}. Ask for its deployment, and say why.`)
  const { deployed = null } = await freeSlotFor(ctx, model)
  return { type, slot, model_sha256: model.artifact.sha256, from: deployed, to, loosens: false }
}
