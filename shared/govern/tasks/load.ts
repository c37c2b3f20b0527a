// How much a worker has to do moves with the task, in its transaction, and never passes what they take.
import type { Space } from '../../base/context.ts'
import { conflict, type Failure } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { hasEnded } from './states.ts'
import type { Task } from './task.ts'
import { workers } from './worker.ts'

const FULL = conflict('The worker has as much work as they take, or is paused. Choose another one.')

/** Counts one more task; fails when the worker is paused by then, or has as many as they take. */
const takeOn = (space: Space, id: string, otherwise: Failure = FULL): Write =>
  workers.update(
    { ...space, id },
    {
      add: { load: 1 },
      condition: {
        expression: '#load < #capacity AND #status = :active',
        names: { '#capacity': 'capacity', '#status': 'status' },
        values: { ':active': 'active' },
      },
    },
    otherwise,
  )

const letGo = (space: Space, id: string): Write =>
  workers.update({ ...space, id }, { add: { load: -1 }, condition: { expression: 'attribute_exists(pk)' } })

const loadedOn = ({ status, worker_id }: Task): string | undefined => (hasEnded(status) ? undefined : worker_id)

/** Moves the load from who had it to who has it. */
export function loadWrites(was: Task | undefined, next: Task, full?: Failure): Write[] {
  const from = was && loadedOn(was)
  const to = loadedOn(next)
  if (from === to) return []
  return [...(from === undefined ? [] : [letGo(next, from)]), ...(to === undefined ? [] : [takeOn(next, to, full)])]
}
