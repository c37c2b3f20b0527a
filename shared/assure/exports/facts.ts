import type { FactAsk, OldestFact } from '../../base/ports/facts.ts'
import { iso } from '../../base/lib/clock.ts'
import { exports, exportsPartition, fileExpiry } from './export.ts'

export async function oldest_files({ ctx: { table, space } }: FactAsk): Promise<OldestFact[]> {
  const found = await table.query(exports, { pk: exportsPartition(space), index: 'gsi1', limit: 1 })
  return found.map((oldest) => ({ id: oldest.id, until: iso(fileExpiry(oldest)) }))
}
