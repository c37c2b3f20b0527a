import type { FactAsk, OptionalFacts } from '../../base/ports/facts.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { datasets as items, datasetsPartition } from './dataset.ts'

const MOST = 20_000

/** Those that can be trained from. One that reports nothing about personal data was not redacted. */
export async function datasets({ ctx: { table, space }, since }: FactAsk): Promise<OptionalFacts['datasets']> {
  const range = { pk: datasetsPartition(space), index: 'gsi1', from: firstId('dst', since) } as const
  const found = await wholeRange(table, items, range, MOST)
  return found
    .filter(({ status }) => status === 'ready')
    .map(({ id, pii }) => ({
      id,
      redacted: pii !== undefined && pii.mode !== 'keep',
      residual_findings: pii?.residual ?? 0,
    }))
}
