import type { FactAsk, SecurityEventFact } from '../../base/ports/facts.ts'
import { firstId } from '../../base/lib/ids.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { securityEvents, securityEventsPartition } from './security-event.ts'

const MOST = 50_000

/** People sign in to live mode, so both modes have the same. */
export async function security_events({ ctx, now, since }: FactAsk): Promise<SecurityEventFact[]> {
  const { tenant_id } = ctx.space
  const from = firstId('sev', since)
  const partitions = monthsBack(now, since).map((month) => securityEventsPartition({ tenant_id, mode: 'live' }, month))
  const found = await Promise.all(partitions.map((pk) => wholeRange(ctx.table, securityEvents, { pk, from }, MOST)))
  return found
    .flat()
    .filter(({ severity }) => severity === 'high' || severity === 'critical')
    .map(({ id, at, action_taken }) => ({ id, at, action_taken }))
}
