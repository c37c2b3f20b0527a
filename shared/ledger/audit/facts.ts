import type { FactAsk, RequiredFacts } from '../../base/ports/facts.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { auditEntries, resourcePartition } from './entry.ts'

const LOOKED_MS = 30 * 86_400_000
const MOST = 20_000

/** Reads and exports of the log by people, not by keys: software that reads it reviews nothing. */
export async function audit_reads({ ctx, now }: FactAsk): Promise<RequiredFacts['audit_reads']> {
  const pk = resourcePartition(ctx.space, { type: 'audit_log', id: ctx.space.tenant_id })
  const range = { pk, index: 'gsi2', from: firstId('aud', now - LOOKED_MS) } as const
  const entries = await wholeRange(ctx.table, auditEntries, range, MOST)
  return entries
    .filter(({ actor, outcome }) => actor.type === 'user' && outcome === 'success')
    .map(({ at, actor }) => ({ at, user_id: actor.id }))
}
