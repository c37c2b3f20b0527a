// Votes on several held actions in one request. A vote that is refused does not stop the others.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import type { Kind } from '../../../base/catalog/kinds.ts'
import { asFailure, conflict, Failure } from '../../../base/lib/failure.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { alarm } from '../../../base/lib/log.ts'
import { eitherOf, id, optional } from '../../../base/wire/fields.ts'
import { httpResponse, type HttpResponse, unchanged } from '../../../base/wire/call.ts'
import type { Approval } from '../approval.ts'
import { castVote, DecisionBody } from './vote.ts'
import { loadVoteInputs, type VoteInputs } from '../inputs.ts'
import { APPROVAL_STATUSES } from '../states.ts'

const ITEMS_MAX = 50
const AT_ONCE = 4
/** No vote begins later than this after the request arrived. */
const BEGIN_WITHIN_MS = 25_000
/** Nobody approves these in passing. */
const SINGLY: ReadonlySet<string> = new Set<Kind>(['payment', 'delete', 'deploy', 'permission'])
const SINGLY_FROM_RISK = 85

const Item = z.strictObject({
  id: id.describe('The id, which never changes.'),
  action_digest: DecisionBody.shape.action_digest,
})

const areDistinct = (ids: readonly string[]) => new Set(ids).size === ids.length

export const BatchBody = z
  .strictObject({
    decision: z.enum(['approve', 'reject']).describe('The same vote on all of them.'),
    items: optional(z.array(Item).min(1).max(ITEMS_MAX)).describe('The approvals, each with the digest that was seen.'),
    ids: optional(z.array(id).min(1).max(ITEMS_MAX)).describe('The approvals, where no digest is sent.'),
    reason: DecisionBody.shape.reason,
    on_behalf_of: DecisionBody.shape.on_behalf_of,
  })
  .meta(eitherOf('items', 'ids'))
  .refine(({ items, ids }) => (items === undefined) !== (ids === undefined), 'send either items or ids')
  .refine(({ items, ids }) => areDistinct(ids ?? items?.map((item) => item.id) ?? []), 'the ids must be distinct')
type BatchInput = z.output<typeof BatchBody>
type Item = z.output<typeof Item>

const BatchResult = z.object({
  id: z.string().describe('The id, which never changes.'),
  http_status: z.int().describe('The status that this vote would have been answered with by itself.'),
  status: z
    .enum(APPROVAL_STATUSES)
    .optional()
    .describe('The status of the approval after the vote; absent when the vote was refused.'),
  code: z.string().optional().describe('Why the vote was refused.'),
  detail: z.string().optional().describe('The same in words.'),
})
type BatchResult = z.output<typeof BatchResult>
type Voted = { result: BatchResult; changed: boolean }

export const BatchReply = z.object({
  results: z.array(BatchResult).describe('What became of each vote, in the given order.'),
})

/**
 * Casts each vote as if it came alone, and answers what became of each, in the given order. One that is refused or fails stops no other.
 * Approves nothing that pays, deletes, deploys or changes permissions, nor a high risk; takes no `allow_for_s`. A vote that would begin
 * too late is left for another request, and a repeat changes nothing.
 */
export async function voteOnAll(ctx: Context, input: BatchInput): Promise<HttpResponse> {
  const items: Item[] = input.items ?? input.ids?.map((one) => ({ id: one, action_digest: undefined })) ?? []
  const votes = await votesOn(ctx, items, input)
  const body = { results: votes.map(({ result }) => result) }
  return votes.some(({ changed }) => changed) ? httpResponse(200, body) : unchanged(body)
}

type SharedVote = Pick<BatchInput, 'decision' | 'reason' | 'on_behalf_of'>

const votesOn = (ctx: Context, items: readonly Item[], draft: SharedVote): Promise<Voted[]> =>
  inParallel(AT_ONCE, items, (item) => voteOn(ctx, item, draft))

/** The same for a page, which answers in words. */
export const voteOnThem = async (ctx: Context, items: readonly Item[], draft: SharedVote): Promise<BatchResult[]> =>
  (await votesOn(ctx, items, draft)).map(({ result }) => result)

async function voteOn(ctx: Context, item: Item, { decision, reason, on_behalf_of }: SharedVote): Promise<Voted> {
  try {
    if (ctx.now() - ctx.request.at > BEGIN_WITHIN_MS) throw busy()
    const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id: item.id } })
    if (decision === 'approve') await mustSuitBatch(ctx, inputs)
    const voted = await castVote(ctx, inputs, {
      decision,
      reason,
      on_behalf_of,
      action_digest: item.action_digest,
    })
    const { status } = voted.approval
    return { result: { id: item.id, http_status: 200, status }, changed: !voted.repeated }
  } catch (error) {
    return { result: refused(item.id, error), changed: false }
  }
}

const busy = () => new Failure('unavailable', 'There was no time left for this one. Send it again.', { code: 'busy' })

const suitsBatch = ({ kind, risk }: Pick<Approval, 'kind' | 'risk'>) => !SINGLY.has(kind) && risk < SINGLY_FROM_RISK

/** By the approval, and by the evidence of the request: somebody could have changed the table. */
async function mustSuitBatch(ctx: Context, { held, execution }: VoteInputs): Promise<void> {
  const { decisionProven } = await import('../proven.ts')
  const proven = suitsBatch(held) && (await decisionProven(ctx, execution))
  if (proven && suitsBatch(proven)) return
  throw conflict('This action is approved singly only. Read it, and approve it by itself.', { code: 'decide_singly' })
}

function refused(approval: string, error: unknown): BatchResult {
  const { status, kind, options, message } = asFailure(error)
  if (status === 500) alarm('batch_vote_failed', error, { approval })
  return { id: approval, http_status: status, code: options.code ?? kind, detail: message }
}
