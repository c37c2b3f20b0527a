import type { FactAsk, KeyFact } from '../../base/ports/facts.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { apiKeys, keysPartition, statusOf } from './api-key.ts'

const MOST = 20_000

/** All keys are read, also those that should have ended: one of them may still be active. */
export async function keys({ ctx, now }: FactAsk): Promise<KeyFact[]> {
  const { tenant_id, mode } = ctx.space
  const all = await wholeRange(ctx.table, apiKeys, { pk: keysPartition(tenant_id), index: 'gsi1' }, MOST)
  return all
    .filter((key) => key.kind === mode && statusOf(key, now) === 'active')
    .map(({ id, scopes, created_at, expires_at, last_used_at }) => ({
      id,
      scopes,
      created_at,
      expires_at,
      last_used_at,
    }))
}
