// Approved actions that have not begun, because a freeze stops them.
import { KIND_NAMES } from '../../base/catalog/kinds.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Approval, approvals, statusPartition } from '../approvals/approval.ts'
import { frozenBy, requesterOf } from '../governance/freeze.ts'
import { readTargetText } from '../governance/decide/policy-facts.ts'
import type { Freeze } from './freeze.ts'

export type Unstarted = { approvals: Approval[]; complete: boolean }

/** No approval lives longer, extensions included. */
const LIFE_MS = 15 * 86_400_000
const READ_MAX = 2_000

export async function readUnstarted(ctx: Context): Promise<Unstarted> {
  const { table, space } = ctx
  const pk = statusPartition(space, 'approved')
  const from = iso(ctx.now() - LIFE_MS)
  const read = await table.query(approvals, { pk, index: 'gsi1', from, descending: true, limit: READ_MAX + 1 })
  const unstarted = read.filter(({ status, consumed_at }) => status === 'approved' && consumed_at === undefined)
  return { approvals: unstarted, complete: read.length <= READ_MAX }
}

export const isWaitingFor = (freeze: Freeze, approval: Approval): boolean =>
  frozenBy([freeze], {
    ...approval,
    kind: KIND_NAMES.find((kind) => kind === approval.kind) ?? 'unknown',
    requester: requesterOf(approval),
    called: approval.target === undefined ? undefined : readTargetText(approval.target),
  }).length > 0
