import * as z from 'zod'
import type { Context } from '../context.ts'
import { findPointer, readSettings } from '../governance/active.ts'
import { KIND_NAMES } from '../governance/kinds.ts'
import { type ListQuery, paginate } from '../http/pagination.ts'
import { iso } from '../lib/clock.ts'
import { type Approval, approvals, statusPartition } from './approval.ts'
import { refusalOf, type Voter } from './rules.ts'
import { APPROVAL_STATUSES } from './states.ts'

export const ApprovalFilters = z.object({
  status: z.enum(APPROVAL_STATUSES).default('pending'),
  node_id: z.string().optional(),
  action_id: z.string().optional(),
  agent_id: z.string().optional(),
  kind: z.enum(KIND_NAMES).optional(),
  /** Those that the caller may still decide. */
  assignee: z.literal('me').optional(),
  sort: z.enum(['requested_at', 'risk']).default('requested_at'),
})
type Filters = z.output<typeof ApprovalFilters>

const EXACT = ['node_id', 'action_id', 'agent_id', 'kind'] as const

/** Newest first; `sort=risk` puts the riskiest of each page first. */
export async function listApprovals(ctx: Context, query: ListQuery & Filters) {
  const { status, assignee, sort } = query
  const wanted = EXACT.filter((name) => query[name] !== undefined)
  const now = iso(ctx.now())
  const mayDecide = assignee ? await decidableBy(ctx) : () => true
  const matches = (item: Approval) =>
    wanted.every((name) => item[name] === query[name]) &&
    // The index may lag behind, and what has expired waits for nobody even before it is closed.
    (status !== 'pending' || (item.status === 'pending' && item.expires_at > now)) &&
    mayDecide(item)
  const filtered = wanted.length > 0 || assignee || status === 'pending'
  const page = await paginate(ctx, 'approvals-list', query, {
    of: approvals,
    index: 'gsi1',
    groups: [{ name: status, partitions: [statusPartition(ctx.space, status)] }],
    filter: filtered ? matches : undefined,
  })
  if (sort === 'risk') page.items.sort((a, b) => b.risk - a.risk)
  return page
}

async function decidableBy(ctx: Context): Promise<(approval: Approval) => boolean> {
  const settings = readSettings(await findPointer(ctx.table, ctx.space))
  const voter: Voter = { ...ctx.principal, type: ctx.principal.kind }
  return (approval) => refusalOf(approval, voter, settings, 'approve') === undefined
}
