// The list of approvals: by state and time or by risk, and for one person only those that they may decide.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { findPointer, readSettings } from '../../governance/settings.ts'
import { KIND_NAMES } from '../../../base/catalog/kinds.ts'
import { pageOf } from '../../../base/wire/page-of.ts'
import { type ListQuery, paginate } from '../../../base/wire/pagination.ts'
import { iso } from '../../../base/lib/clock.ts'
import { covers } from '../../delegations/delegation.ts'
import { type Approval, approvals, statusPartition } from '../approval.ts'
import { allDeciders, couldDecide, voterOnAny } from '../votes/voters.ts'
import { isDependent, refusalOf, type Voter } from '../votes/rules.ts'
import { APPROVAL_STATUSES } from '../states.ts'
import { eligibleVotersOnAny } from '../votes/vote-as.ts'
import { withEvidence } from '../evidence.ts'

export const ApprovalFilters = z.object({
  status: z.enum(APPROVAL_STATUSES).default('pending').describe('Only those in this state.'),
  node_id: z.string().optional().describe('Only of this node.'),
  action_id: z.string().optional().describe('Only of this action.'),
  agent_id: z.string().optional().describe('Only requests of this agent.'),
  kind: z.enum(KIND_NAMES).optional().describe('Only of this kind.'),
  assignee: z.literal('me').optional().describe('`me`: only those that the caller may still decide.'),
  sort: z
    .enum(['requested_at', 'risk'])
    .default('requested_at')
    .describe('`risk`: the riskiest first, instead of the newest.'),
})
type Filters = z.output<typeof ApprovalFilters>
type Filter = (approval: Approval) => boolean

const OPERATION = 'approvals-list'

const EXACT = ['node_id', 'action_id', 'agent_id', 'kind'] as const

/** Newest first, or with `sort=risk` the riskiest first. */
export async function listApprovals(ctx: Context, query: ListQuery & Filters) {
  const page = await pageOfApprovals(ctx, query)
  return { ...page, items: await withEvidence(ctx, page.items) }
}

async function pageOfApprovals(ctx: Context, query: ListQuery & Filters) {
  const { status, sort } = query
  const pk = statusPartition(ctx.space, status)
  const filter = await filterOf(ctx, query)
  if (sort === 'risk') return riskiestFirst(ctx, query, pk, filter)
  return paginate(ctx, OPERATION, query, {
    of: approvals,
    index: 'gsi1',
    groups: [{ name: status, partitions: [pk] }],
    filter,
  })
}

/** Of a longer queue only the newest are ranked. */
const RANKED_MAX = 2_000

/** No index has this order, so the whole queue is read. */
async function riskiestFirst(ctx: Context, query: ListQuery & Filters, pk: string, filter: Filter | undefined) {
  const read = await ctx.table.query(approvals, { pk, index: 'gsi1', descending: true, limit: RANKED_MAX + 1 })
  const ranked = read.slice(0, RANKED_MAX).filter(filter ?? (() => true))
  ranked.sort((a, b) => b.risk - a.risk)
  const page = await pageOf(ctx, OPERATION, query, ranked, ({ id }) => id)
  return { ...page, ...(read.length > RANKED_MAX && { total_is_lower_bound: true as const }) }
}

/** Undefined when the list of the status needs no filter. */
async function filterOf(ctx: Context, query: Filters): Promise<Filter | undefined> {
  const { status, assignee } = query
  const filters = EXACT.filter((name) => query[name] !== undefined)
  const now = iso(ctx.now())
  const mayDecide = assignee ? await decidableBy(ctx) : () => true
  const matches = (item: Approval) =>
    filters.every((name) => item[name] === query[name]) &&
    // The index may lag behind, and an expired approval waits for nobody even before the sweeper closes it.
    (status !== 'pending' || (item.status === 'pending' && item.expires_at > now)) &&
    mayDecide(item)
  return filters.length > 0 || assignee || status === 'pending' ? matches : undefined
}

const hasRaiser = ({ raised_by = [] }: Voter): boolean => raised_by.length > 0

async function decidableBy(ctx: Context): Promise<Filter> {
  const [pointer, voter] = await Promise.all([findPointer(ctx.table, ctx.space), voterOnAny(ctx)])
  const settings = readSettings(pointer)
  const others = await eligibleVotersOnAny(ctx)
  const people = [voter, ...others.map((one) => one.voter)].some(hasRaiser) ? await allDeciders(ctx) : []
  const weighed = (approval: Approval, one: Voter): Voter =>
    isDependent(approval, one) && !people.some((other) => couldDecide(approval, other)) ? { ...one, alone: true } : one
  const may = (approval: Approval, one: Voter) =>
    refusalOf(approval, weighed(approval, one), settings, 'approve') === undefined
  return (approval) =>
    may(approval, voter) ||
    others.some(
      ({ voter: one, delegation }) => (!delegation || covers(delegation, approval.node_id)) && may(approval, one),
    )
}
