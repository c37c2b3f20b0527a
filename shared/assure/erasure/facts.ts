import type { FactAsk, RequiredFacts } from '../../base/ports/facts.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { erasures as items, erasuresPartition } from './erasure.ts'

const MOST = 10_000

export async function erasures({ ctx: { table, space } }: FactAsk): Promise<RequiredFacts['erasures']> {
  const range = { pk: erasuresPartition(space), index: 'gsi1', prefix: 'running#' } as const
  const found = await wholeRange(table, items, range, MOST)
  return found.filter(({ status }) => status === 'running').map(({ id, requested_at }) => ({ id, requested_at }))
}
