// Lets another person vote in the name of the caller.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { id, optional } from '../../base/wire/fields.ts'
import { mustActInPerson } from '../../identity/access/assurance.ts'
import { personNow } from '../../identity/access/permissions.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { builtInNode } from '../manifests/load.ts'
import { nodeHeads } from '../manifests/node.ts'
import { type Delegation, delegations, delegationsOf, delegators, mustBeWindow, mustFitBeside } from './delegation.ts'
import { mailsToBoth, mayDecide } from './view.ts'
import { termsOf } from './proof.ts'

const NODES_MAX = 20
const REASON_MAX = 500

const instant = z.iso.datetime({ offset: true })

export const CreateDelegationBody = z.strictObject({
  to_user_id: id.describe('The person who votes in the name of the other.'),
  from_at: optional(instant).describe('When it begins, within 90 days. Without it: now.'),
  until: instant.describe('When it ends, at most 30 days after it begins.'),
  node_ids: optional(z.array(id).min(1).max(NODES_MAX)).describe(
    'Only for actions of these nodes. Without them: for all.',
  ),
  reason: optional(z.string().min(1).max(REASON_MAX)).describe('The reason, for people.'),
})
type Body = z.output<typeof CreateDelegationBody>

/**
 * Afterwards the other person may vote in the caller's name within the window, and both have got a mail. The giver is the caller, never a
 * member of the body. Throws 403 unless the caller is there in person, 409 for too many delegations or one that overlaps, 422 for a person
 * who could not vote, an unknown node or a window that is too long. Of two at once the second sees the first.
 */
export async function createDelegation(ctx: Context, body: Body): Promise<Delegation> {
  await mustActInPerson(ctx)
  const delegation = await newDelegation(ctx, body)
  await mustReach(ctx, delegation)
  return retryWhenChanged(() => store(ctx, delegation))
}

async function newDelegation(ctx: Context, body: Body): Promise<Delegation> {
  const now = ctx.now()
  const from = body.from_at === undefined ? now : Date.parse(body.from_at)
  const until = Date.parse(body.until)
  mustBeWindow({ from, until }, now)
  const { reason } = await storedTexts(ctx, { reason: body.reason })
  return {
    ...ctx.space,
    id: ctx.id('dlg'),
    from_user_id: ctx.principal.id,
    to_user_id: body.to_user_id,
    from_at: iso(from),
    until: iso(until),
    ...(body.node_ids && { node_ids: [...new Set(body.node_ids)] }),
    reason,
    created_at: iso(now),
    artifact_id: ctx.id('art'),
  }
}

/** Throws 422 for a person who could not vote, or a node that does not exist: both would believe that somebody decides. */
async function mustReach(ctx: Context, { from_user_id, to_user_id, node_ids = [] }: Delegation): Promise<void> {
  const { table, space } = ctx
  if (to_user_id === from_user_id) throw invalid(['to_user_id'], 'must be somebody else')
  if (!mayDecide(await personNow(table, { tenant_id: space.tenant_id, id: to_user_id })))
    throw invalid(['to_user_id'], 'must be an active person of your tenant who may decide on approvals')
  const known = await Promise.all(
    node_ids.map(async (node_id) => builtInNode(node_id) ?? table.get(nodeHeads, { ...space, node_id })),
  )
  const unknown = known.findIndex((node) => node === undefined)
  if (unknown >= 0) throw invalid(['node_ids', unknown], 'is no registered node')
}

async function store(ctx: Context, delegation: Delegation): Promise<Delegation> {
  const { table, space } = ctx
  const { id: delegation_id, from_user_id, to_user_id, artifact_id } = delegation
  const { tenant_id } = space
  const [guard, others, giver, delegate] = await Promise.all([
    table.get(delegators, { ...space, id: from_user_id }),
    table.query(delegations, delegationsOf(space, from_user_id)),
    personNow(table, { tenant_id, id: from_user_id }),
    personNow(table, { tenant_id, id: to_user_id }),
  ])
  mustFitBeside(delegation, others, iso(ctx.now()))
  const moved = { ...space, id: from_user_id, last: delegation_id }
  await table.commit(
    [
      guard
        ? delegators.replace(moved, guard, new ChangedMeanwhile())
        : delegators.insert(moved, new ChangedMeanwhile()),
      delegations.insert(delegation),
      ...changed(
        ctx,
        [
          {
            action: 'delegation.created',
            artifact: 'delegation.created',
            artifact_id,
            subject: { type: 'delegation', id: delegation_id },
            data: termsOf(delegation),
            ...(delegation.reason !== undefined && { reason: delegation.reason }),
          },
        ],
        { mails: mailsToBoth(ctx, 'delegation_created', delegation, { giver, delegate }) },
      ),
    ],
    delegation_id,
  )
  return delegation
}
