import type { FactAsk, OptionalFacts } from '../../base/ports/facts.ts'
import { iso } from '../../base/lib/clock.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { approvals, slaOf, statusPartition } from './approval.ts'

/** The longest time for which an approval waits: it may have been asked for so long before the window. */
const WAITS_MS = 7 * 86_400_000
const MOST = 50_000

const DECIDED = ['approved', 'rejected', 'expired'] as const

/** What was dropped has neither met its SLA nor missed it. */
export async function sla_approvals({ ctx, since }: FactAsk): Promise<OptionalFacts['sla_approvals']> {
  const range = { index: 'gsi1', from: iso(since - WAITS_MS) } as const
  const found = await Promise.all(
    DECIDED.map((status) =>
      wholeRange(ctx.table, approvals, { ...range, pk: statusPartition(ctx.space, status) }, MOST),
    ),
  )
  return found.flat().flatMap((approval) => {
    const status = slaOf(approval)?.status
    const isDecided = (approval.decided_at ?? '') >= iso(since)
    return isDecided && (status === 'hit' || status === 'missed') ? [{ id: approval.id, met: status === 'hit' }] : []
  })
}
