import type { AffectedNodes } from '../../base/ports/effects.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { incidents, incidentsKey } from './incident.ts'

const MOST = 20_000

/** By when they were written down, which is when they were detected or later. */
export const affectedNodes: AffectedNodes = async ({ table, space }, since) => {
  const from = firstId('inc', since)
  const found = await wholeRange(table, incidents, { pk: incidentsKey(space), index: 'gsi1', from }, MOST)
  return [...new Set(found.flatMap(({ affected }) => affected.node_ids))]
}
