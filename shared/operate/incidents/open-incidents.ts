import type { Context } from '../../base/context.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { incidents, incidentsKey } from './incident.ts'

const MOST = 20_000

/** How many incidents of the space are neither resolved nor duplicates. */
export async function openIncidents({ table, space }: Context): Promise<number> {
  const all = await wholeRange(table, incidents, { pk: incidentsKey(space), index: 'gsi1' }, MOST)
  return all.filter(({ status }) => status !== 'resolved' && status !== 'duplicated').length
}
