import type { FactAsk, TaskFact } from '../../base/ports/facts.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { hasEnded, TASK_STATUSES } from './states.ts'
import { listsOf, statusPartition, type Task, tasks as items } from './task.ts'

const MOST = 20_000

/** Tasks of one kind stand in the same list as all that people made, so one query a status reads them. */
const LISTS = listsOf('general')

export async function tasks({ ctx: { table, space }, since }: FactAsk): Promise<TaskFact[]> {
  const ranges = TASK_STATUSES.flatMap((status) =>
    LISTS.map((list) => ({
      pk: statusPartition(space, status, list),
      index: 'gsi1' as const,
      ...(hasEnded(status) && { from: firstId('tsk', since) }),
    })),
  )
  const found = await Promise.all(ranges.map((range) => wholeRange(table, items, range, MOST)))
  return [...new Map(found.flat().map((task) => [task.id, factOf(task)])).values()]
}

const factOf = ({ id, kind, status, source, created_at, completed_at, resolution }: Task): TaskFact => ({
  id,
  kind,
  status,
  source_id: source?.id,
  opened_at: created_at,
  ended_at: hasEnded(status) ? completed_at : undefined,
  resolved: resolution !== undefined && resolution.trim() !== '',
})
